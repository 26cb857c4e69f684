import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fault, unixMillis } from '../../src/core/index.ts';
import type { Scheduler } from '../../src/scheduler/index.ts';
import { blockedRuns } from './support/blocked-runs.ts';
import {
  at,
  hour,
  jobOf,
  jobsOf,
  minute,
  openSchedulerFixture,
  settled,
  type SchedulerFixture,
  type WrittenJob,
} from './support/scheduler-fixture.ts';

let fixture: SchedulerFixture;
beforeEach(async () => {
  fixture = await openSchedulerFixture('2026-11-21T08:30:00Z');
});
afterEach(() => fixture[Symbol.asyncDispose]());

const nine = at('2026-11-21T09:00:00Z');
const requestOf = (slot?: number, signal?: AbortSignal, written: WrittenJob = {}) => {
  const end = unixMillis(slot ?? fixture.clock.now());
  return {
    job: jobOf('job', written),
    interval: { start: unixMillis(end - hour), end },
    trigger: slot === undefined ? ('hand' as const) : ('backfill' as const),
    ...(slot === undefined ? {} : { slot: unixMillis(slot) }),
    ...(signal === undefined ? {} : { signal }),
  };
};
const rested = async <T>(scheduler: Scheduler, ordered: Promise<T>): Promise<T> => {
  await settled(scheduler);
  return ordered;
};

describe('a request of a slot', () => {
  it('made twice at once is one run, and both receive its outcome', async () => {
    const blocked = blockedRuns(fixture);
    const scheduler = await fixture.start(jobsOf({ job: {} }));
    const both = [
      scheduler.request(requestOf(at('2026-11-20T12:00:00Z'))),
      scheduler.request(requestOf(at('2026-11-20T12:00:00Z'))),
    ];
    await settled(scheduler);
    expect(blocked).toHaveLength(1);
    blocked[0]?.end();
    await settled(scheduler);
    expect((await Promise.all(both)).map(({ run, already }) => `${run.state} ${already}`)).toEqual([
      'ok false',
      'ok false',
    ]);
    const again = await rested(scheduler, scheduler.request(requestOf(at('2026-11-20T12:00:00Z'))));
    expect(again.already).toBe(true);
    expect(blocked).toHaveLength(1);
  });

  it('that accepts an emptied range passes that on to its own attempt, and to no retry', async () => {
    const accepted: (boolean | undefined)[] = [];
    const retries = { limit: 1, backoff: 'constant', initial: minute, max: minute } as const;
    fixture.play = async ({ acceptEmpty }) => {
      accepted.push(acceptEmpty);
      return Promise.reject(fault('gateway-timeout', 'no answer'));
    };
    const scheduler = await fixture.start(jobsOf({ job: { retries } }));
    const { slot: _, ...request } = requestOf(at('2026-11-20T12:00:00Z'));
    await rested(scheduler, scheduler.request({ ...request, acceptEmpty: true }));
    await fixture.goTo(nine);
    await settled(scheduler);
    expect(accepted.slice(0, 2)).toEqual([true, false]);
  });

  it('that waits for a retry is retried at once', async () => {
    fixture.play = () => Promise.reject(fault('gateway-unreachable', 'no way there'));
    const scheduler = await fixture.start(jobsOf({ job: {} }));
    await fixture.goTo(nine);
    expect((await fixture.runs())[0]?.nextAttempt).toBe(nine + 30_000);
    fixture.play = async () => ({ summary: 'done', figures: {} });
    const ordered = await rested(scheduler, scheduler.request(requestOf(nine)));
    expect(ordered).toMatchObject({ already: false, run: { state: 'ok', attempts: 2 } });
    expect((await fixture.runs())[0]).toMatchObject({ interval: { start: nine - hour, end: nine } });
  });
});

describe('a manual run', () => {
  it('at the moment of a slot does not replace it', async () => {
    const scheduler = await fixture.start(jobsOf({ job: {} }));
    fixture.clock.set(nine);
    const both = [scheduler.request(requestOf()), scheduler.request(requestOf())];
    await settled(scheduler);
    expect((await Promise.all(both)).map(({ run }) => run.slot)).toEqual([nine + 1, nine + 2]);
    await fixture.goTo('2026-11-21T09:00:01Z');
    expect((await fixture.runs()).map(({ slot, trigger }) => `${slot - nine} ${trigger}`)).toEqual([
      '0 schedule',
      '1 hand',
      '2 hand',
    ]);
  });

  it('is not retried by the next process, because its client has disconnected', async () => {
    const blocked = blockedRuns(fixture);
    const scheduler = await fixture.start(jobsOf({ job: {} }), { maxRunning: 1 });
    void scheduler.request(requestOf()).catch(() => undefined);
    void scheduler.request(requestOf()).catch(() => undefined);
    await settled(scheduler);
    expect(blocked).toHaveLength(1);
    const next = await fixture.start(jobsOf({ job: {} }));
    expect(next.openRuns()).toEqual([]);
    expect((await fixture.runs()).map(({ state }) => state)).toEqual(['interrupted', 'skipped']);
    expect(blocked).toHaveLength(1);
    expect(fixture.notices).toEqual([]);
  });
});

describe('a cancelled request', () => {
  it('stops the run it started permanently', async () => {
    const blocked = blockedRuns(fixture);
    const scheduler = await fixture.start(jobsOf({ job: {} }));
    const giveUp = new AbortController();
    const ordered = scheduler.request(requestOf(at('2026-11-20T12:00:00Z'), giveUp.signal));
    await settled(scheduler);
    giveUp.abort();
    const ended = await rested(scheduler, ordered);
    expect(ended.run).toMatchObject({ state: 'interrupted' });
    expect(ended.run).not.toHaveProperty('nextAttempt');
    expect(blocked[0]?.execution.signal.aborted).toBe(true);
    expect(fixture.notices).toEqual([]);
  });

  it('cancels a run that has not started', async () => {
    const blocked = blockedRuns(fixture);
    const scheduler = await fixture.start(jobsOf({ job: {} }));
    await fixture.goTo(nine);
    const giveUp = new AbortController();
    const ordered = scheduler.request(requestOf(undefined, giveUp.signal));
    await settled(scheduler);
    giveUp.abort();
    expect((await rested(scheduler, ordered)).run).toMatchObject({ state: 'skipped', attempts: 0 });
    blocked[0]?.end();
    await fixture.goTo('2026-11-21T09:00:01Z');
    expect(blocked).toHaveLength(1);
  });

  it('does not affect a run started by the schedule', async () => {
    const blocked = blockedRuns(fixture);
    const scheduler = await fixture.start(jobsOf({ job: {} }));
    await fixture.goTo(nine);
    const giveUp = new AbortController();
    const ordered = scheduler.request(requestOf(nine, giveUp.signal));
    await settled(scheduler);
    giveUp.abort();
    await settled(scheduler);
    blocked[0]?.end();
    expect((await rested(scheduler, ordered)).run.state).toBe('ok');
  });

  it('does nothing before it was accepted', async () => {
    const scheduler = await fixture.start(jobsOf({ job: {} }));
    const giveUp = new AbortController();
    giveUp.abort();
    await expect(scheduler.request(requestOf(undefined, giveUp.signal))).rejects.toThrow();
    expect(await fixture.rows()).toEqual([]);
  });
});

describe('a stopping daemon', () => {
  it('rejects requests that have not started and new ones', async () => {
    blockedRuns(fixture);
    const scheduler = await fixture.start(jobsOf({ job: {} }));
    await fixture.goTo(nine);
    const waiting = scheduler.request(requestOf());
    const failed = expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    await settled(scheduler);
    await scheduler.stop(0);
    await failed;
    await expect(scheduler.request(requestOf())).rejects.toMatchObject({ code: 'aborted' });
    const [slot] = await fixture.runs();
    expect(slot).toMatchObject({ state: 'interrupted', slot: nine, nextAttempt: nine + 30_000 });
  });
});
