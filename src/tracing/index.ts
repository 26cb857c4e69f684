import { lazy } from '../core/index.ts';

export { readSettings, type TracingSettings } from './settings.ts';

/** Loads OpenTelemetry, which a process without an endpoint does not need. */
export const startTracing = lazy(async () => (await import('./start-tracing.ts')).startTracing);
