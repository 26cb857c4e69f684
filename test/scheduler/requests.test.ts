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
  it('that succeeded does nothing, however often it is repeated', async () => {
    const scheduler = await fixture.start(jobsOf({ job: {} }));
    await fixture.goTo(nine);
    const ordered = await rested(scheduler, scheduler.request(requestOf(nine)));
    expect(ordered).toMatchObject({ already: true, run: { state: 'ok', trigger: 'schedule' } });
    expect(fixture.began).toHaveLength(1);
  });

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

  it('that is running waits for its end', async () => {
    const blocked = blockedRuns(fixture);
    const scheduler = await fixture.start(jobsOf({ job: {} }));
    await fixture.goTo(nine);
    const ordered = scheduler.request(requestOf(nine));
    await settled(scheduler);
    expect(blocked).toHaveLength(1);
    blocked[0]?.end();
    expect(await rested(scheduler, ordered)).toMatchObject({
      already: false,
      run: { state: 'ok', attempts: 1 },
    });
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

  it('that was missed runs with the interval of its claim, past its starting deadline and although suspended', async () => {
    const jobs = jobsOf({ job: { catchup: 'none', startingDeadline: minute, suspend: true } });
    await (await fixture.start(jobsOf({ job: { catchup: 'none' } }))).stop(0);
    fixture.clock.set(at('2026-11-21T10:30:00Z'));
    const scheduler = await fixture.start(jobs);
    expect((await fixture.rows()).map((row) => row.slice(11))).toEqual([
      '09:00:00 skipped',
      '10:00:00 skipped',
    ]);
    const ordered = await rested(
      scheduler,
      scheduler.request({ ...requestOf(nine), interval: { start: nine, end: nine } }),
    );
    expect(ordered.run).toMatchObject({ state: 'ok', interval: { start: nine - hour, end: nine } });
    expect((await fixture.rows()).map((row) => row.slice(11))).toEqual(['09:00:00 ok', '10:00:00 skipped']);
  });

  it('that failed permanently runs once more without retries beyond its limit', async () => {
    fixture.play = () => Promise.reject(fault('gateway-unreachable', 'no way there'));
    const retries = { limit: 0, backoff: 'constant', initial: 0, max: hour } as const;
    const scheduler = await fixture.start(jobsOf({ job: { retries } }));
    await fixture.goTo(nine);
    const ordered = await rested(scheduler, scheduler.request(requestOf(nine)));
    expect(ordered.run).toMatchObject({ state: 'failed', attempts: 2 });
    expect(ordered.run).not.toHaveProperty('nextAttempt');
    expect(scheduler.openRuns()).toEqual([]);
  });

  it('that is the first of an interval of missed slots removes it from the interval', async () => {
    const jobs = jobsOf({ job: { schedule: '* * * * *' } });
    await (await fixture.start(jobs)).stop(0);
    fixture.clock.set(at('2026-11-22T08:30:30Z'));
    const scheduler = await fixture.start(jobs);
    const [range] = await fixture.runs();
    expect(range).toMatchObject({ state: 'missed', slot: at('2026-11-21T08:31:00Z') });
    const ordered = await rested(scheduler, scheduler.request(requestOf(range?.slot)));
    expect(ordered).toMatchObject({ already: false, run: { state: 'ok', trigger: 'backfill' } });
    const inside = await rested(scheduler, scheduler.request(requestOf(at('2026-11-21T09:31:00Z'))));
    expect(inside).toMatchObject({ already: false, run: { state: 'ok' } });
    expect((await fixture.runs()).slice(0, 3).map(({ slot, state }) => [slot, state])).toEqual([
      [at('2026-11-21T08:31:00Z'), 'ok'],
      [at('2026-11-21T08:31:00.001Z'), 'missed'],
      [at('2026-11-21T09:31:00Z'), 'ok'],
    ]);
  });

  it('that is not claimed yet becomes the only run of the slot', async () => {
    const scheduler = await fixture.start(jobsOf({ job: {} }));
    fixture.clock.set(nine);
    const ordered = await rested(scheduler, scheduler.request(requestOf(nine)));
    expect(ordered.run.state).toBe('ok');
    await fixture.goTo('2026-11-21T09:00:01Z');
    expect(fixture.began).toEqual(['job 2026-11-21T09:00:00']);
    expect(await fixture.rows()).toEqual(['2026-11-21T09:00:00 ok']);
  });
});

describe('a manual run', () => {
  it('waits until the run of its job has ended, and causes no skipped run', async () => {
    const blocked = blockedRuns(fixture);
    const scheduler = await fixture.start(jobsOf({ job: {} }));
    await fixture.goTo(nine);
    const ordered = scheduler.request(requestOf());
    await settled(scheduler);
    expect(blocked).toHaveLength(1);
    blocked[0]?.end();
    await settled(scheduler);
    expect(blocked[1]?.execution.run.trigger).toBe('hand');
    // The slot of ten comes while it runs.
    await fixture.goTo('2026-11-21T10:00:00Z');
    expect(blocked).toHaveLength(2);
    blocked[1]?.end();
    await rested(scheduler, ordered);
    blocked[2]?.end();
    await fixture.goTo('2026-11-21T10:00:01Z');
    expect((await fixture.runs()).map(({ trigger, state }) => `${trigger} ${state}`)).toEqual([
      'schedule ok',
      'hand ok',
      'schedule ok',
    ]);
  });

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

  it('that waits follows a clock set back', async () => {
    const blocked = blockedRuns(fixture);
    const scheduler = await fixture.start(
      jobsOf({ job: { schedule: '0 0 1 1 *', locks: ['gateway'] }, other: { locks: ['gateway'] } }),
    );
    await fixture.goTo(nine);
    const ordered = scheduler.request(requestOf());
    await settled(scheduler);
    await fixture.goTo('2026-11-21T07:00:00Z');
    blocked[0]?.end();
    await fixture.goTo('2026-11-21T07:00:01Z');
    expect(blocked).toHaveLength(2);
    blocked[1]?.end();
    expect((await rested(scheduler, ordered)).run.state).toBe('ok');
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
