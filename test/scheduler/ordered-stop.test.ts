import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Scheduler } from '../../src/scheduler/index.ts';
import { blockedRuns } from './support/blocked-runs.ts';
import {
  jobsOf,
  minute,
  openSchedulerFixture,
  type SchedulerFixture,
  type WrittenJob,
} from './support/scheduler-fixture.ts';

let fixture: SchedulerFixture;
beforeEach(async () => {
  fixture = await openSchedulerFixture('2026-11-21T08:59:00Z');
});
afterEach(() => fixture[Symbol.asyncDispose]());

const retries = { limit: 1, backoff: 'exponential', initial: minute, max: 60 * minute } as const;
const ordered = { isOrdered: true } as const;

/** The process is stopped so many times while the run of 09:00 works, by order or not; the next one has just started. */
const stopped = async (
  times: number,
  how: Parameters<Scheduler['stop']>[1],
  job: WrittenJob = { retries },
) => {
  const blocked = blockedRuns(fixture);
  const jobs = jobsOf({ job });
  let scheduler = await fixture.start(jobs);
  await fixture.goTo('2026-11-21T09:00:00Z');
  for (let stop = 0; stop < times; stop += 1) {
    await scheduler.stop(0, how);
    scheduler = await fixture.start(jobs);
  }
  return { blocked, scheduler, jobs };
};

const theRun = async () => (await fixture.runs())[0];

describe('a run that an ordered stop interrupts', () => {
  it('is repeated by the next process at once, however often, and counts each attempt', async () => {
    const { blocked } = await stopped(5, ordered, { retries: { ...retries, limit: 0 } });
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

  it('is repeated at once where the clock of the next process is behind', async () => {
    const { blocked, scheduler, jobs } = await stopped(0, ordered);
    await scheduler.stop(0, ordered);
    fixture.clock.set(Date.parse('2026-11-21T08:30:00Z'));
    await fixture.start(jobs);
    expect(blocked).toHaveLength(2);
  });

  it('lets no slot be skipped that is due before it has ended', async () => {
    const { blocked, scheduler, jobs } = await stopped(0, ordered, { retries, schedule: '* * * * *' });
    await scheduler.stop(0, ordered);
    fixture.clock.set(Date.parse('2026-11-21T09:01:05Z'));
    await fixture.start(jobs);
    expect(await fixture.rows()).toEqual(['2026-11-21T09:00:00 running', '2026-11-21T09:01:00 queued']);
    blocked.at(-1)?.end();
    await fixture.goTo('2026-11-21T09:01:06Z');
    blocked.at(-1)?.end();
    await fixture.goTo('2026-11-21T09:01:07Z');
    expect(await fixture.rows()).toEqual(['2026-11-21T09:00:00 ok', '2026-11-21T09:01:00 ok']);
  });
});

it('a run that a stop without an order interrupts uses up one of its retries', async () => {
  const { blocked } = await stopped(1, { isOrdered: false });
  expect(blocked).toHaveLength(1);
  const run = await theRun();
  expect(run).toMatchObject({ state: 'interrupted', code: 'aborted' });
  expect((run?.nextAttempt ?? 0) - (run?.endedAt ?? 0)).toBe(minute);
});
