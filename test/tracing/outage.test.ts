import { describe, expect, it } from 'vitest';
import { openTown } from '../app/support/daemon.ts';
import { openReceiver } from './support/receiver.ts';
import { startTraced } from './support/tracing-fixture.ts';

const start = '2026-11-20T12:00:00Z';
const warning = 'cannot send traces';
const snapshot = 'snapshot: { kind: snapshot }';

const countOf = (text: string, part: string): number => text.split(part).length - 1;

describe('an endpoint that fails', () => {
  it('and refuses connections fails no run and costs one warning', async () => {
    await using town = await openTown(start, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' } });
    await town.jobs(snapshot);
    const before = town.clock.now();
    const ran = await town.run('run', 'snapshot');
    expect(ran.code).toBe(0);
    expect(countOf(ran.stderr, warning)).toBe(1);
    // The clock moves when somebody waits on it.
    expect(town.clock.now() - before).toBeLessThan(100);
  });

  it('and does not answer ends no process later than after its time limit', async () => {
    await using receiver = await openReceiver();
    receiver.answerWith(undefined);
    await using town = await openTown(start, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } });
    await town.jobs(snapshot);
    const running = town.run('run', 'snapshot');
    // The spans are sent at the end: the run did not wait for their answer.
    await receiver.arrived(1);
    town.clock.advance(2000);
    const ran = await running;
    expect(ran.code).toBe(0);
    expect(countOf(ran.stderr, warning)).toBe(1);
    expect(ran.stderr).toContain('did not answer within 2 s');
  });

  it('causes one warning an outage, at most one in ten minutes, and no retry', async () => {
    await using receiver = await openReceiver();
    const { tracing, clock, logged, hasLogged, measureCalls } = await startTraced({
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    });
    let requests = 0;
    const send = async (status: number): Promise<void> => {
      receiver.answerWith({ status });
      measureCalls(512);
      requests += 1;
      await receiver.arrived(requests);
    };
    for (const status of [500, 503, 429, 200, 500, 200]) await send(status);
    clock.advance(600_000);
    await send(404);
    await hasLogged(4);
    // An outage that lasts longer is the same outage.
    clock.advance(600_000);
    for (const status of [404, 200]) await send(status);
    await tracing[Symbol.asyncDispose]();
    expect(receiver.posted).toHaveLength(requests);
    const again = (dropped: number) => ({ level: 'info', message: 'traces are sent again', dropped });
    expect(logged()).toMatchObject([
      { level: 'warn', error: 'HTTP status 500', host: new URL(receiver.url).host },
      again(3 * 512),
      again(512),
      { level: 'warn', error: 'HTTP status 404' },
      again(2 * 512),
    ]);
  });

  it('gets no more spans than fit into the queue', async () => {
    await using receiver = await openReceiver();
    receiver.answerWith(undefined);
    const { tracing, clock, measureCalls } = await startTraced({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
    measureCalls(512);
    await receiver.arrived(1);
    measureCalls(10_000);
    const ended = tracing[Symbol.asyncDispose]();
    await receiver.arrived(5);
    clock.advance(2000);
    await ended;
    expect(receiver.spans()).toHaveLength(512 + 2048);
  });
});

describe('the headers of OTEL_EXPORTER_OTLP_HEADERS', () => {
  const token = 'token-of-the-collector';

  it('are sent, and the log shows none of their secrets', async () => {
    await using receiver = await openReceiver();
    const body = JSON.stringify({
      partialSuccess: { rejectedSpans: '3', errorMessage: `no tenant for ${token}` },
    });
    receiver.answerWith({ status: 200, body });
    await using town = await openTown(start, {
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_HEADERS: `Authorization=Bearer%20${token},x-scope=a%2Cb`,
      },
    });
    await town.jobs(snapshot);
    const { code, stderr } = await town.run('run', 'snapshot');
    expect(code).toBe(0);
    expect(receiver.posted[0]?.headers).toMatchObject({
      authorization: `Bearer ${token}`,
      'x-scope': 'a,b',
      'content-type': 'application/json',
    });
    expect(stderr).toMatch(/3 spans were rejected: .*\[secret\]/);
    expect(stderr).not.toContain(token);
  });
});
