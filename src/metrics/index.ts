import { lazy } from '../core/index.ts';

export type { Metrics } from './create-metrics.ts';
export { sample, type Readers, type Sample } from './sample.ts';
export { spendSamples } from './spend-samples.ts';

/** Loads prom-client, which a daemon without metrics does not need. */
export const createMetrics = lazy(async () => (await import('./create-metrics.ts')).createMetrics);
