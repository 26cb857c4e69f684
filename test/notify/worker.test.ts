import { describe, expect, it } from 'vitest';
import { deferred } from '../control/support/control-fixture.ts';
import { fault } from '../../src/core/index.ts';
import { createMailRoute, mailFolder } from '../../src/notify/index.ts';
import { createRateLimit } from '../../src/notify/route-worker.ts';
import type { OutboxRoute, RouteOutcome } from '../../src/notify/route.ts';
import { openOutboxFixture, openSending, type OutboxFixture } from './support/outbox-fixture.ts';
import { openPostOffice } from './support/post-office.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const never = new AbortController().signal;

const routeOf = (
  name: string,
  send: (recipient: string) => Promise<RouteOutcome> | RouteOutcome,
): OutboxRoute => ({ name, begin: () => ({ send: async (row) => send(row.recipient) }) });

const many = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `r${index}@example.com`);

const queueFor = async (fixture: OutboxFixture, route: string, recipient: string) =>
  fixture.put(recipient, await mailFolder(fixture.folder).store(Buffer.from(recipient)), route);

const states = async (fixture: OutboxFixture): Promise<readonly string[]> =>
  (await fixture.outbox.list()).map(({ state }) => state);

it('a mail whose bytes cannot be read from an unreachable database is sent by the next pass', async () => {
  await using fixture = await openOutboxFixture();
  await queueFor(fixture, 'chat', 'a@example.com');
  const { folder } = fixture;
  const sent: string[] = [];
  const route = routeOf('chat', (recipient) => {
    sent.push(recipient);
    return { state: 'sent', response: '' };
  });
  let isReachable = false;
  const { load } = mailFolder(folder);
  const mails = {
    load: async (file: string) => {
      if (!isReachable) throw fault('database-unreachable', 'the connection was cut');
      return load(file);
    },
  };
  const worker = fixture.deliveryWith({ mails }, route);
  expect(await worker.deliver({})).toMatchObject({ sent: 0, deferred: 1, failed: 0 });
  isReachable = true;
  expect(await worker.deliver({})).toMatchObject({ sent: 1 });
  expect(sent).toEqual(['a@example.com']);
});

describe('a server that is down for more than five days', () => {
  it('ends the retries and reports every message, even those never attempted', async () => {
    await using fixture = await openOutboxFixture();
    await fixture.enqueue({ to: many(3) });
    const why = fault('mail-unreachable', 'connection refused');
    const worker = fixture.delivery(routeOf('mail', () => ({ state: 'deferred', closed: true, fault: why })));
    expect(await worker.deliver({})).toMatchObject({ deferred: 3 });
    expect((await fixture.outbox.list()).map(({ attempts }) => attempts)).toEqual([1, 0, 0]);
    expect((await fixture.outbox.list())[2]?.lastError).toBe('not attempted: connection refused');
    fixture.clock.advance(5 * day);
    expect(await worker.deliver({})).toMatchObject({ failed: 3 });
    expect(await states(fixture)).toEqual(['failed', 'failed', 'failed']);
    const [{ lastError } = {}] = await fixture.outbox.list();
    expect(lastError).toMatch(/^abandoned after 5 days; .*: connection refused$/);
    expect(fixture.lines.filter((line) => line.includes('"mail failed"'))).toHaveLength(3);
  });
});

describe('a slow server', () => {
  it('delays no other route, and its mail arrives once', async () => {
    const held = deferred();
    await using office = await openPostOffice({ afterData: () => held.promise.then(() => 'accept') });
    await using fixture = await openOutboxFixture();
    await fixture.enqueue();
    await queueFor(fixture, 'webhook:chat', 'webhook:chat');
    await using transport = fixture.transport(office.url);
    const worker = fixture.delivery(
      createMailRoute(transport),
      routeOf('webhook:chat', () => ({ state: 'sent', response: '200' })),
    );
    expect(worker.routes).toEqual(['mail', 'webhook:chat']);
    const slow = worker.runCycle('mail', never);
    expect(await worker.runCycle('webhook:chat', never)).toMatchObject({ sent: 1 });
    expect(await states(fixture)).toEqual(['sending', 'sent']);
    held.resolve();
    expect(await slow).toMatchObject({ sent: 1 });
    expect(office.received).toHaveLength(1);
  });

  it('that never responds after the final dot leaves the outcome unknown', async () => {
    await using office = await openPostOffice({ afterData: () => new Promise(() => undefined) });
    await using fixture = await openOutboxFixture();
    await fixture.enqueue();
    // Long enough for a busy machine to come as far as the final dot.
    await using transport = fixture.transport(office.url, { timeouts: { idle: 3000 } });
    expect(await fixture.deliver(transport)).toMatchObject({ sent: 0, deferred: 0, unknown: 1 });
    expect((await fixture.outbox.list())[0]).toMatchObject({
      state: 'unknown',
      doubts: 1,
      nextAttempt: fixture.clock.now() + 5 * minute,
    });
  });

  it('is waited for until the grace period ends at a stop, and then the outcome is unknown', async () => {
    const stop = new AbortController();
    const arrived = deferred();
    await using fixture = await openSending(
      {
        afterData: () => {
          arrived.resolve();
          return new Promise(() => undefined);
        },
      },
      { to: many(2) },
      { timeouts: { idle: 60_000 } },
    );
    const ended = fixture.send(stop.signal);
    await arrived.promise;
    stop.abort();
    fixture.clock.advance(7999);
    expect(await states(fixture)).toEqual(['sending', 'queued']);
    fixture.clock.advance(1);
    expect(await ended).toMatchObject({ unknown: 1, sent: 0, deferred: 0 });
    expect(await fixture.outbox.list()).toMatchObject([
      { state: 'unknown', doubts: 1, nextAttempt: fixture.clock.now() + 5 * minute },
      { state: 'queued', attempts: 0 },
    ]);
  });
});

describe('the rate of a server', () => {
  it('of 3/m allows at most three in any minute, and all of them eventually', async () => {
    await using fixture = await openOutboxFixture();
    await fixture.enqueue({ to: many(7) });
    const moments: number[] = [];
    const worker = fixture.delivery({
      ...routeOf('mail', () => {
        moments.push(fixture.clock.now());
        return { state: 'sent', response: '250' };
      }),
      rate: { count: 3, per: minute },
    });
    // A command does not wait.
    expect(await worker.deliver({})).toMatchObject({ sent: 3 });
    expect(fixture.clock.waits).toEqual([]);
    const began = fixture.clock.now();
    while (moments.length < 7) {
      await worker.runCycle('mail', never);
      fixture.clock.advance(5000);
    }
    expect(fixture.clock.now() - began).toBe(2 * minute + 5000);
    for (const moment of moments)
      expect(moments.filter((one) => one > moment - minute && one <= moment).length).toBeLessThanOrEqual(3);
  });

  it('of 2/s is awaited within a cycle of the daemon', async () => {
    await using fixture = await openOutboxFixture();
    await fixture.enqueue({ to: many(8) });
    const worker = fixture.delivery({
      ...routeOf('mail', () => ({ state: 'sent', response: '250' })),
      rate: { count: 2, per: 1000 },
    });
    expect(await worker.runCycle('mail', never)).toMatchObject({ sent: 8 });
    expect(fixture.clock.waits).toEqual(Array.from({ length: 3 }, () => 1000));
  });

  it('is unaffected by a clock set back', () => {
    const limit = createRateLimit({ count: 1, per: minute });
    expect(limit.take(10 * hour)).toBe(0);
    expect(limit.take(10 * hour + 1)).toBe(minute - 1);
    expect(limit.take(0)).toBe(0);
    expect(limit.take(1)).toBe(minute - 1);
  });
});

describe('an obstacle of the worker', () => {
  it('like an unrecorded outcome is recorded by the next cycle, without sending the mail again', async () => {
    await using fixture = await openOutboxFixture();
    await fixture.enqueue();
    let sent = 0;
    let isFull = true;
    const outbox: typeof fixture.outbox = {
      ...fixture.outbox,
      settle: (id, end) =>
        isFull ? Promise.reject(fault('disk-full', 'no space is left')) : fixture.outbox.settle(id, end),
    };
    const route = routeOf('mail', () => ((sent += 1), { state: 'sent', response: '250' }));
    const worker = fixture.deliveryWith({ outbox }, route);
    await expect(worker.runCycle('mail', never)).rejects.toMatchObject({ code: 'disk-full' });
    expect(await states(fixture)).toEqual(['sending']);
    isFull = false;
    await worker.runCycle('mail', never);
    expect(await states(fixture)).toEqual(['sent']);
    expect(sent).toBe(1);
  });

  it('like a removed route makes its rows wait with the reason', async () => {
    await using fixture = await openOutboxFixture();
    await queueFor(fixture, 'webhook:gone', 'webhook:gone');
    await fixture.enqueue();
    const worker = fixture.delivery(routeOf('mail', () => ({ state: 'sent', response: '250' })));
    expect(await worker.deferUndeclared(never)).toMatchObject({ deferred: 1, sent: 0 });
    const [row] = await fixture.outbox.list();
    expect(row).toMatchObject({
      state: 'deferred',
      lastError: expect.stringContaining('webhook:gone') as string,
    });
    const declared = fixture.delivery(routeOf('webhook:gone', () => ({ state: 'sent', response: '200' })));
    fixture.clock.advance(minute);
    expect(await declared.runCycle('webhook:gone', never)).toMatchObject({ sent: 1 });
  });

  it('like a route that throws leaves the outcome unknown', async () => {
    await using fixture = await openOutboxFixture();
    await fixture.enqueue();
    const worker = fixture.delivery(
      routeOf('mail', () => {
        throw new Error('a slip');
      }),
    );
    expect(await worker.deliver({})).toMatchObject({ unknown: 1 });
    expect((await fixture.outbox.list())[0]?.lastError).toContain('mail failed: a slip');
  });
});
