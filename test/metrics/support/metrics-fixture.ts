import { once } from 'node:events';
import { request } from 'node:http';
import { unixMillis, type Secret } from '../../../src/core/index.ts';
import { createLog } from '../../../src/core/logging/json-log.ts';
import { createMetrics, type Metrics, type Readers } from '../../../src/metrics/index.ts';
import { listenForMetrics } from '../../../src/web/index.ts';
import { manualClock, type ManualClock } from '../../support/manual-clock.ts';

export type Answer = {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
};

/** One request as any program could send it. */
export const askPort = async (
  port: number,
  {
    path = '/metrics',
    method = 'GET',
    headers = {},
  }: {
    readonly path?: string;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Promise<Answer> => {
  const asking = request({ port, host: '127.0.0.1', path, method, headers, agent: false });
  asking.end();
  const [response] = await once(asking, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, headers: response.headers, text };
};

export type MetricsFixture = AsyncDisposable & {
  readonly metrics: Metrics;
  readonly clock: ManualClock;
  readonly ask: (options?: Parameters<typeof askPort>[1]) => Promise<Answer>;
  readonly logged: () => readonly Readonly<Record<string, unknown>>[];
};

/** The listener over these readers. */
export const openMetricsFixture = async (
  readers: Readers,
  more: {
    readonly token?: Secret;
    readonly names?: readonly string[];
    readonly redact?: (text: string) => string;
  } = {},
): Promise<MetricsFixture> => {
  const clock = manualClock(unixMillis(Date.UTC(2026, 10, 21, 7)));
  const lines: Readonly<Record<string, unknown>>[] = [];
  const log = createLog({
    write: (text) => void lines.push(JSON.parse(text) as Readonly<Record<string, unknown>>),
    level: 'debug',
    clock,
    redact: (text) => text,
  });
  const metrics = await createMetrics({ log, redact: more.redact ?? ((text) => text) });
  const listener = await listenForMetrics({
    host: '127.0.0.1',
    port: 0,
    names: more.names ?? [],
    token: more.token,
    scrape: () => metrics.scrape(readers),
    contentType: metrics.contentType,
    clock,
    log,
  });
  return {
    metrics,
    clock,
    ask: (options) => askPort(listener.port, options),
    logged: () => lines,
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  };
};
