import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTown, type Town } from '../app/support/daemon.ts';
import { enableMetrics, scrape, valueOf } from '../metrics/support/daemon-metrics.ts';
import { openReceiver, type Receiver, type Span } from './support/receiver.ts';

const start = '2026-11-20T12:00:00Z';
const [internal, client] = [1, 3];
const failed = 2;

const openTraced = async (receiver: Receiver, env: Record<string, string> = {}): Promise<Town> =>
  openTown(start, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...env } });

const pull = 'pull-logs: { kind: pull-logs, since: 2026-11-19, schedule: "7 * * * *" }';

const runsOf = (spans: readonly Span[]): readonly Span[] => spans.filter(({ kind }) => kind === internal);

const childrenOf = (spans: readonly Span[], { spanId, traceId }: Span): readonly Span[] =>
  spans.filter((span) => span.parentSpanId === spanId && span.traceId === traceId);

/** The gateway of the configuration refuses connections. */
const breakGateway = async ({ folder }: Town): Promise<void> => {
  const file = join(folder.path, 'config/tollkeeper.yaml');
  const config = await readFile(file, 'utf8');
  await writeFile(file, config.replace('"${GATEWAY_BASE_URL}"', 'http://127.0.0.1:9'));
};

describe('the trace of a run', () => {
  it('has a span for the run and one below it for each call of the gateway, and holds no key and no query', async () => {
    await using receiver = await openReceiver();
    await using town = await openTraced(receiver);
    await town.jobs(pull);
    expect((await town.run('run', 'pull-logs')).code).toBe(0);

    const spans = receiver.spans();
    const [run, ...others] = runsOf(spans);
    expect(others).toEqual([]);
    if (run === undefined) throw new Error('no span of the run');
    expect(run).toMatchObject({ name: 'run pull-logs', status: { code: 0 } });
    expect(run.parentSpanId ?? '').toBe('');
    expect(run.attributes).toEqual({
      'tollkeeper.job.name': 'pull-logs',
      'tollkeeper.job.kind': 'pull-logs',
      'tollkeeper.account': 'main',
      'tollkeeper.run.id': 'pull-logs-20261120T120000001Z',
      'tollkeeper.run.slot': '2026-11-20T12:00:00.001Z',
      'tollkeeper.run.attempt': 1,
      'tollkeeper.run.trigger': 'hand',
      'tollkeeper.run.state': 'ok',
    });
    const calls = childrenOf(spans, run);
    expect(calls.length).toBe(spans.length - 1);
    expect(new Set(calls.map(({ name }) => name))).toContain('GET /api/log/self/stream-export');
    const { hostname, port } = new URL(town.gateway.baseUrl);
    for (const call of calls) {
      expect(call.kind).toBe(client);
      const [method, template] = call.name.split(' ');
      expect(call.attributes).toEqual({
        'http.request.method': method,
        'url.template': template,
        'server.address': hostname,
        'server.port': Number(port),
        'http.response.status_code': 200,
      });
    }
    expect(receiver.resource()).toMatchObject({ 'service.name': 'tollkeeper' });
    const bytes = receiver.posted.map(({ headers, body }) => `${JSON.stringify(headers)}${body}`).join('\n');
    for (const secret of [town.sandbox.adminKey, '?', 'start_timestamp', 'traceparent'])
      expect(bytes).not.toContain(secret);
  });

  it('shows the error of a run that fails, and of its calls', async () => {
    await using receiver = await openReceiver();
    await using town = await openTraced(receiver);
    await breakGateway(town);
    await town.jobs('snapshot: { kind: snapshot }');
    expect((await town.run('run', 'snapshot')).code).toBe(1);
    const spans = receiver.spans();
    const [run] = runsOf(spans);
    expect(run).toMatchObject({
      status: { code: failed },
      attributes: { 'tollkeeper.run.state': 'failed', 'error.type': 'gateway-unreachable' },
    });
    const calls = spans.filter(({ kind }) => kind === client);
    // A failed GET is repeated: each attempt is a span of its own.
    expect(calls.length).toBeGreaterThan(1);
    for (const call of calls) {
      expect(call).toMatchObject({ parentSpanId: run?.spanId, status: { code: failed } });
      expect(call.attributes).toMatchObject({ 'error.type': 'gateway-unreachable', 'server.port': 9 });
      expect(call.attributes).not.toHaveProperty('http.response.status_code');
    }
  });

  it('shows the status of an answer that is an error', async () => {
    await using receiver = await openReceiver();
    await using town = await openTraced(receiver, { GATEWAY_ADMIN_KEY: `sk-admin-${'0'.repeat(32)}` });
    await town.jobs('snapshot: { kind: snapshot }');
    expect((await town.run('run', 'snapshot')).code).toBe(1);
    const call = receiver.spans().find(({ kind }) => kind === client);
    expect(call?.attributes).toMatchObject({
      'http.response.status_code': 401,
      'error.type': 'gateway-key-refused',
    });
  });
});

describe('the traces of a daemon', () => {
  it('have a span for each attempt of a run', async () => {
    await using receiver = await openReceiver();
    await using town = await openTraced(receiver);
    await breakGateway(town);
    await town.jobs(
      'snapshot: { kind: snapshot, schedule: "1 12 * * *", retries: { limit: 1, initial: 1s, max: 1s } }',
    );
    const daemon = await town.serve();
    town.clock.advance(60_000);
    await daemon.line({ message: 'the run failed', level: 'warn' });
    town.clock.advance(5000);
    await daemon.line({ message: 'the run failed', level: 'error' });
    await daemon.stop();
    const attempts = runsOf(receiver.spans()).filter(({ name }) => name === 'run snapshot');
    expect(attempts.map(({ attributes }) => attributes['tollkeeper.run.attempt'])).toEqual([1, 2]);
    expect(new Set(attempts.map(({ traceId }) => traceId)).size).toBe(2);
    expect(attempts.map(({ attributes }) => attributes['tollkeeper.run.trigger'])).toEqual([
      'schedule',
      'schedule',
    ]);
  });

  it('keep the calls of runs apart that run at the same time, beside metrics', async () => {
    await using receiver = await openReceiver();
    await using town = await openTraced(receiver);
    await enableMetrics(town);
    await town.jobs(
      pull,
      'pull-usage: { kind: pull-usage, since: 2026-11-19 }',
      'snapshot: { kind: snapshot }',
    );
    const daemon = await town.serve();
    expect(await daemon.line({ message: 'serving' })).toMatchObject({ traces: new URL(receiver.url).host });
    // The export is held in its middle while the other runs begin and end.
    town.gateway.holdAfter(0);
    const held = town.run('run', 'pull-logs');
    await town.gateway.blocked();
    for (const job of ['pull-usage', 'snapshot']) expect((await town.run('run', job)).code).toBe(0);
    town.gateway.resume();
    town.gateway.release();
    expect((await held).code).toBe(0);
    const profile = 'tollkeeper_gateway_calls_total{endpoint="GET /api/user/self",outcome="ok"}';
    expect(valueOf(await scrape(daemon), profile)).toBe('1');
    await daemon.stop();
    const spans = receiver.spans();
    const namesBelow = (name: string): ReadonlySet<string> =>
      new Set(
        runsOf(spans)
          .filter((run) => run.name === name)
          .flatMap((run) => childrenOf(spans, run))
          .map((call) => call.name),
      );
    expect(namesBelow('run pull-logs')).toContain('GET /api/log/self/stream-export');
    expect(namesBelow('run pull-usage')).toEqual(new Set(['GET /api/data/self/pivot/stream-export']));
    expect(namesBelow('run snapshot')).toContain('GET /api/user/self');
    expect(namesBelow('run snapshot')).not.toContain('GET /api/log/self/stream-export');
  });
});
