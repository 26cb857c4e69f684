import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunLedger } from '../../src/storage/index.ts';
import { blockedRuns } from './support/blocked-runs.ts';
import {
  at,
  jobsOf,
  minute,
  openSchedulerFixture,
  settled,
  type SchedulerFixture,
  type WrittenJob,
} from './support/scheduler-fixture.ts';
import type { Scheduler } from '../../src/scheduler/index.ts';

let fixture: SchedulerFixture;
beforeEach(async () => {
  fixture = await openSchedulerFixture('2026-11-21T08:59:00Z');
});
afterEach(() => fixture[Symbol.asyncDispose]());

const retries = { limit: 9, backoff: 'constant', initial: minute, max: minute } as const;
const jobs = jobsOf({ heavy: { retries, notify: ['failed', 'recovered'] } });

const outcome = async (job = 'heavy') => {
  const [run] = await fixture.runs(job);
  return `${run?.state} ${run?.code ?? ''}`.trim();
};

/** The process ends while `heavy` runs, so many times; the next one has just started. */
const endProcess = async (times: number): Promise<void> => {
  await fixture.start(jobs);
  for (let ended = 0; ended < times; ended += 1) {
    await fixture.goTo(Date.parse('2026-11-21T09:00:00Z') + ended * 2 * minute);
    expect(await outcome()).toBe('running');
    await fixture.start(jobs);
  }
};

describe('a job during whose runs the process ended three times', () => {
  it('is suspended, with a notification even in an outage, and its further slots are skipped', async () => {
    blockedRuns(fixture);
    await endProcess(2);
    expect(await outcome()).toBe('interrupted process-ended');
    expect(fixture.notices).toEqual([]);
    await fixture.goTo('2026-11-21T09:04:00Z');
    await fixture.start(jobs);
    expect(await outcome()).toBe('interrupted job-suspended');
    expect(fixture.notices).toMatchObject([{ kind: 'suspended', job: 'heavy', code: 'job-suspended' }]);
    await fixture.goTo('2026-11-21T10:00:00Z');
    expect(await fixture.rows()).toEqual([
      expect.stringContaining('09:00') as string,
      expect.stringMatching(/10:00.* skipped/) as string,
    ]);
    await fixture.start(jobs);
    await fixture.goTo('2026-11-21T11:00:00Z');
    expect((await fixture.rows()).at(-1)).toMatch(/11:00.* skipped/);
    expect(fixture.notices).toHaveLength(1);
  });

  it('runs again on schedule after a successful manual run, and not after a failed one', async () => {
    const blocked = blockedRuns(fixture);
    await endProcess(3);
    const scheduler = await fixture.start(jobs);
    const order = async (end: 'end' | 'fail') => {
      const [slot, job] = [fixture.clock.now(), jobs.get('heavy')];
      if (job === undefined) throw new Error('the job is not declared');
      const ordered = scheduler
        .request({ job, interval: { start: slot, end: slot }, trigger: 'hand' })
        .catch(() => undefined);
      await settled(scheduler);
      const last = blocked.at(-1);
      if (end === 'end') last?.end();
      else last?.fail(new Error('no luck'));
      await ordered;
      await settled(scheduler);
    };
    await order('fail');
    await fixture.goTo('2026-11-21T10:00:00Z');
    expect((await fixture.rows()).at(-1)).toMatch(/skipped/);
    await fixture.goTo('2026-11-21T10:30:00Z');
    await order('end');
    expect(fixture.notices.map(({ kind }) => kind)).toEqual(['suspended', 'recovered']);
    await fixture.goTo('2026-11-21T11:00:00Z');
    expect((await fixture.rows()).at(-1)).toMatch(/running/);
  });
});

describe('an end of the process that the database caused', () => {
  /** The database is lost while `heavy` runs, so many times; what the process knows of it is noted before or after the next one starts. */
  const loseDatabase = async (times: number, noted: 'before' | 'after', how?: { isOrdered: true }) => {
    blockedRuns(fixture);
    let [isLost, moment] = [false, Date.parse('2026-11-21T09:00:00Z')];
    const ledger: RunLedger = {
      ...fixture.ledger,
      end: (ends) => (isLost ? Promise.reject(new Error('lost')) : fixture.ledger.end(ends)),
    };
    let scheduler = await fixture.start(jobs, { ledger });
    for (let lost = 0; lost < times; lost += 1) {
      await fixture.goTo(moment);
      expect(await outcome()).toBe('running');
      isLost = true;
      await scheduler.stop(0, how);
      isLost = false;
      const ends = scheduler.unrecorded();
      expect(ends).toMatchObject([{ job: 'heavy', attempt: lost + 1 }]);
      if (noted === 'before') await fixture.ledger.noteEnds(ends);
      scheduler = await fixture.start(jobs, { ledger });
      if (noted === 'after') await fixture.ledger.noteEnds(ends);
      moment += 2 * minute;
    }
  };

  it('does not count for the suspension of a job, although its ledger could not be written', async () => {
    await loseDatabase(4, 'before');
    expect(await outcome()).toBe('interrupted lease-lost');
    expect(await fixture.ledger.processEnds()).toEqual(new Map());
  });

  it('does not count where another replica has taken over and taken it for a kill', async () => {
    await loseDatabase(4, 'after');
    expect(await outcome()).toBe('interrupted process-ended');
    await fixture.start(jobs);
    expect(await fixture.ledger.processEnds()).toEqual(new Map());
    expect(fixture.notices).toEqual([]);
  });

  it('costs nothing where it was ordered', async () => {
    await loseDatabase(2, 'before', { isOrdered: true });
    const [run] = await fixture.runs('heavy');
    expect(run).toMatchObject({ state: 'running', attempts: 3 });
    const attempts = await fixture.ledger.attempts([{ job: 'heavy', slot: at('2026-11-21T09:00:00Z') }]);
    expect(attempts.map(({ code }) => code)).toEqual(['run-stopped', 'run-stopped', undefined]);
  });
});

it('a job during whose run the process ended runs alone, so that no other job is suspended for it', async () => {
  const blocked = blockedRuns(fixture);
  const both = jobsOf({ heavy: { retries }, other: { retries } });
  await fixture.start(both);
  await fixture.goTo('2026-11-21T09:00:00Z');
  expect(blocked).toHaveLength(2);
  const scheduler = await fixture.start(both);
  await fixture.goTo('2026-11-21T09:02:00Z');
  expect(blocked).toHaveLength(3);
  const waiting = scheduler.openRuns().find((open) => open.waiting !== undefined);
  expect(waiting?.waiting).toMatch(/^\w+ to end: \w+ runs alone because the process ended while it ran$/);
  blocked.at(-1)?.end();
  await fixture.goTo('2026-11-21T09:02:01Z');
  expect(blocked).toHaveLength(4);
  blocked.at(-1)?.end();
  await fixture.goTo('2026-11-21T09:03:00Z');
  await fixture.goTo('2026-11-21T10:00:00Z');
  expect(blocked).toHaveLength(6);
});

const oneRetry = { limit: 1, backoff: 'exponential', initial: minute, max: 60 * minute } as const;
const ordered = { isOrdered: true } as const;

/** The process is stopped so many times while the run of 09:00 works, by order or not; the next one has just started. */
const stopped = async (
  times: number,
  how: Parameters<Scheduler['stop']>[1],
  job: WrittenJob = { retries: oneRetry },
) => {
  const blocked = blockedRuns(fixture);
  const declared = jobsOf({ job });
  let scheduler = await fixture.start(declared);
  await fixture.goTo('2026-11-21T09:00:00Z');
  for (let stop = 0; stop < times; stop += 1) {
    await scheduler.stop(0, how);
    scheduler = await fixture.start(declared);
  }
  return { blocked, scheduler, declared };
};

const theRun = async () => (await fixture.runs())[0];

describe('a run that an ordered stop interrupts', () => {
  it('is repeated by the next process at once, however often, and counts each attempt', async () => {
    const { blocked } = await stopped(5, ordered, { retries: { ...oneRetry, limit: 0 } });
    expect(blocked).toHaveLength(6);
    expect(await theRun()).toMatchObject({ state: 'running', attempts: 6 });
    blocked.at(-1)?.end();
    await fixture.goTo('2026-11-21T09:00:01Z');
    expect(await theRun()).toMatchObject({ state: 'ok', attempts: 6 });
    expect(fixture.notices).toEqual([]);
    const attempts = await fixture.ledger.attempts(await fixture.runs());
    expect(attempts.map(({ state, code }) => `${state} ${code ?? ''}`)).toEqual([
      ...Array.from({ length: 5 }, () => 'interrupted run-stopped'),
      'ok ',
    ]);
  });

  it('has all its retries left, and waits as after its first failure', async () => {
    const { blocked } = await stopped(3, ordered);
    blocked.at(-1)?.fail(new Error('no luck'));
    await fixture.goTo('2026-11-21T09:00:01Z');
    const run = await theRun();
    expect(run).toMatchObject({ state: 'failed', attempts: 4 });
    expect((run?.nextAttempt ?? 0) - (run?.endedAt ?? 0)).toBe(minute);
    await fixture.goTo('2026-11-21T09:01:01Z');
    blocked.at(-1)?.fail(new Error('no luck'));
    await fixture.goTo('2026-11-21T09:01:02Z');
    const last = await theRun();
    expect(last).toMatchObject({ state: 'failed', attempts: 5 });
    expect(last).not.toHaveProperty('nextAttempt');
  });
});

it('a run that a stop without an order interrupts uses up one of its retries', async () => {
  const { blocked } = await stopped(1, { isOrdered: false });
  expect(blocked).toHaveLength(1);
  const run = await theRun();
  expect(run).toMatchObject({ state: 'interrupted', code: 'aborted' });
  expect((run?.nextAttempt ?? 0) - (run?.endedAt ?? 0)).toBe(minute);
});
