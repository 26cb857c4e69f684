import { errorFields, type Clock, type Log } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import type { Metrics, Readers } from '../../metrics/index.ts';
import { listenForMetrics } from '../../web/index.ts';
import type { Page } from '../open-page.ts';

type MetricsDeps = {
  /** Undefined if metrics are off. */
  readonly metrics: Metrics | undefined;
  readonly readers: Readers;
  readonly clock: Clock;
  readonly log: Log;
};

/** Serves metrics if they are enabled. If they cannot be served, an error is logged and jobs run all the same. */
export const openMetrics = async (
  { host, port, names, token }: Config['settings']['metrics'],
  { metrics, readers, clock, log }: MetricsDeps,
): Promise<Page> => {
  const none: Page = { [Symbol.asyncDispose]: () => Promise.resolve() };
  if (metrics === undefined) return none;
  const { scrape, contentType } = metrics;
  try {
    const listener = await listenForMetrics({
      host,
      port,
      names,
      token,
      contentType,
      scrape: () => scrape(readers),
      clock,
      log,
    });
    return {
      address: `${host.includes(':') ? `[${host}]` : host}:${listener.port}`,
      [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
    };
  } catch (error) {
    log.warn('cannot serve metrics', {
      ...errorFields(error),
      advice: 'set another address under metrics in tollkeeper.yaml, or set enabled: false there',
    });
    return none;
  }
};
