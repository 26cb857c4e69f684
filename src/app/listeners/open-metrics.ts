import type { Clock, Log } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import type { Metrics, Readers } from '../../metrics/index.ts';
import { listenForMetrics } from '../../web/index.ts';
import { noListener, openOptional, type OptionalListener } from './optional-listener.ts';

type MetricsDeps = {
  /** Undefined if metrics are off. */
  readonly metrics: Metrics | undefined;
  /** Those of the moment. */
  readonly readers: () => Readers;
  readonly clock: Clock;
  readonly log: Log;
};

/** Serves metrics, if they are enabled. */
export const openMetrics = async (
  { host, port, names, token }: Config['settings']['metrics'],
  { metrics, readers, clock, log }: MetricsDeps,
): Promise<OptionalListener> => {
  if (metrics === undefined) return noListener;
  const { scrape, contentType } = metrics;
  return openOptional({ what: 'metrics', section: 'metrics', host, log }, async () =>
    listenForMetrics({
      host,
      port,
      names,
      token,
      contentType,
      scrape: () => scrape(readers()),
      clock,
      log,
    }),
  );
};
