import { describe, expect, it } from 'vitest';
import { fault } from '../../src/core/index.ts';
import type { Gateway } from '../../src/gateway/index.ts';
import { collect, rejection } from '../http/support/servers.ts';
import { freePort } from '../support/free-port.ts';
import { csv, json, ok, scriptedGateway, type Answer, spec, logs } from './support/scripted-gateway.ts';

const profile = ok({ username: 'a', balance: '1', used_quota: '2' });
const drop: Answer = (response) => response.destroy();
const halfJson: Answer = (response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('{"success":', () => response.destroy());
};

describe('reads', () => {
  it.each([
    ['500', { status: 500 }],
    ['503 with a page', { status: 503, body: '<h1>down</h1>' }],
    ['a dropped connection', drop],
    ['a body cut short', halfJson],
  ])('are retried after %s, with waits that may double', async (_name, answer) => {
    const { gateway, seen, clock, lines } = await scriptedGateway([answer, answer, answer, profile]);
    expect(await gateway.profile()).toMatchObject({ username: 'a' });
    expect(seen).toHaveLength(4);
    expect(clock.waits).toEqual([250, 500, 1000]);
    expect(lines.filter((line) => line.includes('; retrying'))).toHaveLength(3);
  });

  it('fail after four attempts', async () => {
    const { gateway, seen, clock } = await scriptedGateway([{ status: 502 }]);
    await expect(gateway.profile()).rejects.toMatchObject({
      code: 'gateway-server-error',
      retryHelps: true,
    });
    expect(seen).toHaveLength(4);
    expect(clock.waits).toHaveLength(3);
  });

  it('are not retried when a retry cannot help', async () => {
    for (const status of [400, 401, 403, 404, 302]) {
      const { gateway, seen } = await scriptedGateway([{ status }]);
      await rejection(gateway.profile());
      expect(seen).toHaveLength(1);
    }
  });

  it('are retried after a timeout', async () => {
    const { gateway, seen } = await scriptedGateway([() => undefined, profile], { pageTimeout: 80 });
    expect(await gateway.profile()).toMatchObject({ username: 'a' });
    expect(seen).toHaveLength(2);
  });

  it('of which nothing else waits call an unreachable gateway once, and one that answers again', async () => {
    const impatient = AbortSignal.abort();
    const answering = await scriptedGateway([{ status: 500 }, profile]);
    expect(await answering.gateway.profile({ impatient })).toMatchObject({ username: 'a' });
    expect(answering.seen).toHaveLength(2);
    const { gateway, clock } = await scriptedGateway([], { baseUrl: `http://127.0.0.1:${await freePort()}` });
    await expect(gateway.profile({ impatient })).rejects.toMatchObject({ code: 'gateway-unreachable' });
    expect(clock.waits).toEqual([]);
    await expect(gateway.profile()).rejects.toMatchObject({ code: 'gateway-unreachable' });
    expect(clock.waits).toHaveLength(3);
  });

  it('stop at once when they are aborted, with the reason', async () => {
    const reason = new Error('stop');
    const controller = new AbortController();
    const { gateway, seen } = await scriptedGateway(() => {
      controller.abort(reason);
      return { status: 500 };
    });
    expect(await rejection(gateway.profile({ signal: controller.signal }))).toBe(reason);
    expect(seen).toHaveLength(1);
  });
});

describe('Retry-After', () => {
  const waitsAfter = async (headers: Record<string, string>, status = 429): Promise<readonly number[]> => {
    const { gateway, clock } = await scriptedGateway([{ status, headers }, profile]);
    await gateway.profile();
    return clock.waits;
  };

  it('in seconds is the minimum wait', async () => {
    expect(await waitsAfter({ 'retry-after': '7' })).toEqual([7250]);
    expect(await waitsAfter({ 'retry-after': '0' })).toEqual([250]);
    expect(await waitsAfter({ 'retry-after': '7' }, 503)).toEqual([7250]);
  });

  it('as a date is compared with the date of the response', async () => {
    const headers = { 'retry-after': 'Fri, 20 Nov 2026 09:30:30 GMT', date: 'Fri, 20 Nov 2026 09:30:10 GMT' };
    expect(await waitsAfter(headers)).toEqual([20_250]);
  });

  it('as a date is compared with the local clock when the response has none', async () => {
    const { gateway, clock } = await scriptedGateway([
      (response) => {
        response.sendDate = false;
        response.writeHead(429, { 'retry-after': 'Fri, 20 Nov 2026 09:30:30 GMT' }).end();
      },
      profile,
    ]);
    await gateway.profile();
    expect(clock.waits).toEqual([30_250]);
  });

  it('that is invalid is ignored', async () => {
    for (const value of ['soon', '-5', '1.5', '2026-11-20', ''])
      expect(await waitsAfter({ 'retry-after': value }, 503)).toEqual([250]);
  });

  it('missing from a 429 defaults to a minute, so that three retries exceed a window of 180 s (G3.3)', async () => {
    const { gateway, seen, clock } = await scriptedGateway([{ status: 429 }]);
    await expect(gateway.profile()).rejects.toMatchObject({
      code: 'gateway-rate-limited',
      retryAfter: 60_000,
    });
    expect(seen).toHaveLength(4);
    expect(clock.waits).toEqual([60_250, 60_500, 61_000]);
    for (const value of ['soon', '-5', ''])
      expect(await waitsAfter({ 'retry-after': value })).toEqual([60_250]);
  });

  it('of more than five minutes is passed to the caller instead of waited for', async () => {
    const { gateway, clock } = await scriptedGateway([{ status: 429, headers: { 'retry-after': '301' } }]);
    await expect(gateway.profile()).rejects.toMatchObject({
      code: 'gateway-rate-limited',
      retryAfter: 301_000,
    });
    expect(clock.waits).toEqual([]);
  });
});

describe('writes', () => {
  const writes: readonly (readonly [string, (gateway: Gateway) => Promise<unknown>])[] = [
    ['create', (gateway) => gateway.createKey(spec)],
    ['update', (gateway) => gateway.updateKey({ ...spec, id: 1 })],
    ['delete', (gateway) => gateway.deleteKey(1)],
  ];
  it.each(writes)('%s is sent once, and an unknown outcome is reported (G3.5)', async (_name, write) => {
    for (const [answer, code] of [
      [{ status: 500 }, 'gateway-server-error'],
      [{ status: 408 }, 'gateway-timeout'],
      [drop, 'gateway-connection-lost'],
      [halfJson, 'gateway-connection-lost'],
      [{ body: '<html>' }, 'gateway-answer-unreadable'],
    ] as const) {
      const { gateway, seen, clock } = await scriptedGateway([answer]);
      await expect(write(gateway)).rejects.toMatchObject({
        code,
        retryHelps: false,
        advice: expect.stringContaining('list the keys before') as unknown,
      });
      expect(seen).toHaveLength(1);
      expect(clock.waits).toEqual([]);
    }
  });

  it.each(writes)('%s is sent once when the rate is limited', async (_name, write) => {
    const { gateway, seen } = await scriptedGateway([{ status: 429, headers: { 'retry-after': '3' } }]);
    await expect(write(gateway)).rejects.toMatchObject({ code: 'gateway-rate-limited', retryAfter: 3000 });
    expect(seen).toHaveLength(1);
  });

  it.each(writes)(
    '%s is not sent when it is not confirmed, and ends with its confirmation',
    async (_name, write) => {
      const lost = fault('lease-lost', 'another replica has taken over');
      const refused = await scriptedGateway([drop], { confirm: () => Promise.reject(lost) });
      expect(await rejection(write(refused.gateway))).toBe(lost);
      expect(refused.seen).toEqual([]);
      const ending = new AbortController();
      const open = await scriptedGateway([() => ending.abort(lost)], {
        confirm: () => Promise.resolve(ending.signal),
      });
      expect(await rejection(write(open.gateway))).toBe(lost);
      expect(open.seen).toHaveLength(1);
    },
  );
});

describe('exports', () => {
  it('are retried until the CSV has started', async () => {
    const cutBefore: Answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/csv' });
      response.write('\uFEFF', () => setImmediate(() => response.destroy()));
    };
    const { gateway, seen } = await scriptedGateway([
      { status: 500 },
      drop,
      json({ success: false, message: 'busy' }),
      csv('a\n1\n'),
    ]);
    const { body } = await gateway.exportLogs(logs);
    expect((await collect(body)).toString()).toBe('a\n1\n');
    expect(seen).toHaveLength(4);
    const second = await scriptedGateway([cutBefore, csv('a\n')]);
    expect((await collect((await second.gateway.exportLogs(logs)).body)).toString()).toBe('a\n');
    expect(second.seen).toHaveLength(2);
  });

  it('are not retried afterwards', async () => {
    const { gateway, seen } = await scriptedGateway([
      (response) => {
        response.writeHead(200, { 'content-type': 'text/csv' });
        response.write('a,b\n1,2\n3,');
        setImmediate(() => response.destroy());
      },
    ]);
    const { body } = await gateway.exportLogs(logs);
    await expect(collect(body)).rejects.toMatchObject({ code: 'gateway-connection-lost', retryHelps: true });
    expect(seen).toHaveLength(1);
  });
});
