import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fault } from '../../src/base/index.ts';
import type { Execution, Outcome } from '../../src/schedule/index.ts';
import { hour, jobsOf, minute, openSchedulerHouse, settled } from './support/scheduler-house.ts';
import type { SchedulerHouse } from './support/scheduler-house.ts';

let house: SchedulerHouse;
beforeEach(async () => {
  house = await openSchedulerHouse('2026-11-21T08:30:00Z');
});
afterEach(() => house[Symbol.asyncDispose]());

/** Runs that end when the test says so. */
const heldRuns = () => {
  const held: { execution: Execution; end: (outcome?: Outcome) => void; fail: (error: unknown) => void }[] =
    [];
  house.play = (execution) =>
    new Promise((resolve, reject) => {
      execution.signal.addEventListener('abort', () => reject(execution.signal.reason as Error));
      held.push({
        execution,
        end: (outcome = { summary: 'done', figures: {} }) => resolve(outcome),
        fail: reject,
      });
    });
  return held;
};

describe('slots', () => {
  it('are claimed when they come, run once, and end ok with their interval and attempt', async () => {
    await house.start(jobsOf({ hourly: {} }));
    await house.goTo('2026-11-21T08:59:59.999Z');
    expect(house.began).toEqual([]);
    await house.goTo('2026-11-21T09:00:00Z');
    await house.goTo('2026-11-21T09:00:01Z');
    expect(house.began).toEqual(['hourly 2026-11-21T09:00:00']);
    const [run] = await house.runs();
    expect(run).toMatchObject({ state: 'ok', trigger: 'schedule', attempts: 1, version: 1 });
    expect(run?.interval).toEqual({ start: house.clock.now() - hour - 1000, end: house.clock.now() - 1000 });
    expect(run?.summary).toBe('hourly ran');
    expect(house.good).toEqual(['hourly']);
  });

  it('begin after the randomised delay of the job, the same every time', async () => {
    await house.start(jobsOf({ spread: { randomizedDelay: 30 * minute } }));
    await house.goTo('2026-11-21T09:00:00Z');
    expect(house.began).toEqual([]);
    expect((await house.runs())[0]?.state).toBe('queued');
    await house.goTo('2026-11-21T09:30:00Z');
    expect(house.began).toEqual(['spread 2026-11-21T09:00:00']);
    const [run] = await house.runs();
    const delay = (run?.startedAt ?? 0) - (run?.slot ?? 0);
    expect(delay).toBeGreaterThan(0);
  });

  it('come by the schedule in force: an edit begins a new version at now, what was due before is the old one’s', async () => {
    const scheduler = await house.start(jobsOf({ job: { schedule: '0 * * * *' } }));
    house.clock.set(Date.parse('2026-11-21T09:00:30Z'));
    await scheduler.adopt(jobsOf({ job: { schedule: '15 * * * *' } }), 4);
    await settled(scheduler);
    await house.goTo('2026-11-21T10:00:00Z');
    await house.goTo('2026-11-21T10:15:00Z');
    expect(await house.rows()).toEqual([
      '2026-11-21T09:00:00 ok',
      '2026-11-21T09:15:00 ok',
      '2026-11-21T10:15:00 ok',
    ]);
    expect((await house.runs()).map(({ version }) => version)).toEqual([1, 2, 2]);
  });
});

describe('retries', () => {
  it('come from the ledger, after growing waits, and survive a restart', async () => {
    house.play = () => Promise.reject(fault('gateway-unreachable', 'no way there'));
    await house.start(
      jobsOf({ hourly: { retries: { limit: 2, backoff: 'exponential', initial: 60_000, max: hour } } }),
    );
    await house.goTo('2026-11-21T09:00:00Z');
    const [first] = await house.runs();
    expect(first).toMatchObject({ state: 'failed', attempts: 1, code: 'gateway-unreachable' });
    expect((first?.nextAttempt ?? 0) - (first?.endedAt ?? 0)).toBe(60_000);
    await house.start(
      jobsOf({ hourly: { retries: { limit: 2, backoff: 'exponential', initial: 60_000, max: hour } } }),
    );
    await house.goTo('2026-11-21T09:01:00Z');
    const [second] = await house.runs();
    expect(second).toMatchObject({ attempts: 2 });
    expect((second?.nextAttempt ?? 0) - (second?.endedAt ?? 0)).toBe(120_000);
    expect(house.notices).toEqual([]);
    await house.goTo('2026-11-21T09:03:00Z');
    const [third] = await house.runs();
    expect(third).toMatchObject({ state: 'failed', attempts: 3 });
    expect(third).not.toHaveProperty('nextAttempt');
    expect(house.notices).toMatchObject([{ kind: 'failed', job: 'hourly', code: 'gateway-unreachable' }]);
  });

  it('are not made for what a retry does not help, nor for runs by hand', async () => {
    house.play = () => Promise.reject(fault('gateway-key-refused', 'no'));
    const jobs = jobsOf({ hourly: {} });
    const scheduler = await house.start(jobs);
    await house.goTo('2026-11-21T09:00:00Z');
    expect((await house.runs())[0]).toMatchObject({ state: 'failed', attempts: 1 });
    expect((await house.runs())[0]).not.toHaveProperty('nextAttempt');
    house.play = () => Promise.reject(fault('gateway-unreachable', 'no'));
    const job = jobs.get('hourly');
    if (job === undefined) throw new Error('no job');
    const now = house.clock.now();
    const ended = await scheduler.order({ job, interval: { start: now, end: now }, trigger: 'hand' });
    expect(ended.run).toMatchObject({ state: 'failed', trigger: 'hand', attempts: 1 });
    expect(ended.run).not.toHaveProperty('nextAttempt');
    expect(ended.error).toMatchObject({ code: 'gateway-unreachable' });
  });
});

describe('overlapping slots', () => {
  const overlap = async (concurrency: 'forbid' | 'queue' | 'replace' | 'allow') => {
    const held = heldRuns();
    await house.start(jobsOf({ job: { concurrency } }));
    await house.goTo('2026-11-21T09:00:00Z');
    await house.goTo('2026-11-21T10:00:00Z');
    return held;
  };

  it('forbid: the later one is skipped, with its reason', async () => {
    const held = await overlap('forbid');
    expect(held).toHaveLength(1);
    held[0]?.end();
    await house.goTo('2026-11-21T10:00:01Z');
    expect(await house.rows()).toEqual(['2026-11-21T09:00:00 ok', '2026-11-21T10:00:00 skipped']);
    expect((await house.runs())[1]?.reason).toMatch(/09:00 UTC had not ended, and concurrency is forbid/);
  });

  it('queue: the later one waits', async () => {
    const held = await overlap('queue');
    expect(held).toHaveLength(1);
    held[0]?.end();
    await house.goTo('2026-11-21T10:00:01Z');
    expect(held).toHaveLength(2);
    held[1]?.end();
    await house.goTo('2026-11-21T10:00:02Z');
    expect(await house.rows()).toEqual(['2026-11-21T09:00:00 ok', '2026-11-21T10:00:00 ok']);
  });

  it('replace: the earlier one is stopped, for good, and it is no outage', async () => {
    const held = await overlap('replace');
    await house.goTo('2026-11-21T10:00:01Z');
    expect(held).toHaveLength(2);
    held[1]?.end();
    await house.goTo('2026-11-21T10:00:02Z');
    expect(await house.rows()).toEqual(['2026-11-21T09:00:00 interrupted', '2026-11-21T10:00:00 ok']);
    expect(house.notices).toEqual([]);
  });

  it('allow: both run', async () => {
    const held = await overlap('allow');
    expect(held).toHaveLength(2);
    for (const { end } of held) end();
    await house.goTo('2026-11-21T10:00:01Z');
    expect(await house.rows()).toEqual(['2026-11-21T09:00:00 ok', '2026-11-21T10:00:00 ok']);
  });
});
