import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fault } from '../../src/core/index.ts';
import type { Execution, Outcome } from '../../src/scheduler/index.ts';
import {
  hour,
  jobsOf,
  minute,
  openSchedulerFixture,
  settled,
  type SchedulerFixture,
} from './support/scheduler-fixture.ts';

let fixture: SchedulerFixture;
beforeEach(async () => {
  fixture = await openSchedulerFixture('2026-11-21T08:30:00Z');
});
afterEach(() => fixture[Symbol.asyncDispose]());

/** Runs that end when the test says so. */
const blockedRuns = () => {
  const blocked: {
    execution: Execution;
    end: (outcome?: Outcome) => void;
    fail: (error: unknown) => void;
  }[] = [];
  fixture.play = (execution) =>
    new Promise((resolve, reject) => {
      execution.signal.addEventListener('abort', () => reject(execution.signal.reason as Error));
      blocked.push({
        execution,
        end: (outcome = { summary: 'done', figures: {} }) => resolve(outcome),
        fail: reject,
      });
    });
  return blocked;
};

describe('slots', () => {
  it('are claimed when they are due, run once, and end ok with their interval and attempt', async () => {
    await fixture.start(jobsOf({ hourly: {} }));
    await fixture.goTo('2026-11-21T08:59:59.999Z');
    expect(fixture.began).toEqual([]);
    await fixture.goTo('2026-11-21T09:00:00Z');
    await fixture.goTo('2026-11-21T09:00:01Z');
    expect(fixture.began).toEqual(['hourly 2026-11-21T09:00:00']);
    const [run] = await fixture.runs();
    expect(run).toMatchObject({ state: 'ok', trigger: 'schedule', attempts: 1, version: 1 });
    expect(run?.interval).toEqual({
      start: fixture.clock.now() - hour - 1000,
      end: fixture.clock.now() - 1000,
    });
    expect(run?.summary).toBe('hourly ran');
    expect(fixture.good).toEqual(['hourly']);
  });

  it('start after the randomised delay of the job, which is constant', async () => {
    await fixture.start(jobsOf({ spread: { randomizedDelay: 30 * minute } }));
    await fixture.goTo('2026-11-21T09:00:00Z');
    expect(fixture.began).toEqual([]);
    expect((await fixture.runs())[0]?.state).toBe('queued');
    await fixture.goTo('2026-11-21T09:30:00Z');
    expect(fixture.began).toEqual(['spread 2026-11-21T09:00:00']);
    const [run] = await fixture.runs();
    const delay = (run?.startedAt ?? 0) - (run?.slot ?? 0);
    expect(delay).toBeGreaterThan(0);
  });

  it('follow the active schedule, and an edit starts a new version at the current time', async () => {
    const scheduler = await fixture.start(jobsOf({ job: { schedule: '0 * * * *' } }));
    fixture.clock.set(Date.parse('2026-11-21T09:00:30Z'));
    await scheduler.adopt(jobsOf({ job: { schedule: '15 * * * *' } }), 4);
    await settled(scheduler);
    await fixture.goTo('2026-11-21T10:00:00Z');
    await fixture.goTo('2026-11-21T10:15:00Z');
    expect(await fixture.rows()).toEqual([
      '2026-11-21T09:00:00 ok',
      '2026-11-21T09:15:00 ok',
      '2026-11-21T10:15:00 ok',
    ]);
    expect((await fixture.runs()).map(({ version }) => version)).toEqual([1, 2, 2]);
  });
});

describe('retries', () => {
  it('come from the ledger after growing waits, and survive a restart', async () => {
    fixture.play = () => Promise.reject(fault('gateway-unreachable', 'no way there'));
    await fixture.start(
      jobsOf({ hourly: { retries: { limit: 2, backoff: 'exponential', initial: 60_000, max: hour } } }),
    );
    await fixture.goTo('2026-11-21T09:00:00Z');
    const [first] = await fixture.runs();
    expect(first).toMatchObject({ state: 'failed', attempts: 1, code: 'gateway-unreachable' });
    expect((first?.nextAttempt ?? 0) - (first?.endedAt ?? 0)).toBe(60_000);
    await fixture.start(
      jobsOf({ hourly: { retries: { limit: 2, backoff: 'exponential', initial: 60_000, max: hour } } }),
    );
    await fixture.goTo('2026-11-21T09:01:00Z');
    const [second] = await fixture.runs();
    expect(second).toMatchObject({ attempts: 2 });
    expect((second?.nextAttempt ?? 0) - (second?.endedAt ?? 0)).toBe(120_000);
    expect(fixture.notices).toEqual([]);
    await fixture.goTo('2026-11-21T09:03:00Z');
    const [third] = await fixture.runs();
    expect(third).toMatchObject({ state: 'failed', attempts: 3 });
    expect(third).not.toHaveProperty('nextAttempt');
    expect(fixture.notices).toMatchObject([{ kind: 'failed', job: 'hourly', code: 'gateway-unreachable' }]);
  });

  it('are not made for permanent errors and manual runs', async () => {
    fixture.play = () => Promise.reject(fault('gateway-key-refused', 'no'));
    const jobs = jobsOf({ hourly: {} });
    const scheduler = await fixture.start(jobs);
    await fixture.goTo('2026-11-21T09:00:00Z');
    expect((await fixture.runs())[0]).toMatchObject({ state: 'failed', attempts: 1 });
    expect((await fixture.runs())[0]).not.toHaveProperty('nextAttempt');
    fixture.play = () => Promise.reject(fault('gateway-unreachable', 'no'));
    const job = jobs.get('hourly');
    if (job === undefined) throw new Error('no job');
    const now = fixture.clock.now();
    const ended = await scheduler.request({ job, interval: { start: now, end: now }, trigger: 'hand' });
    expect(ended.run).toMatchObject({ state: 'failed', trigger: 'hand', attempts: 1 });
    expect(ended.run).not.toHaveProperty('nextAttempt');
    expect(ended.error).toMatchObject({ code: 'gateway-unreachable' });
  });
});

describe('log lines about a run', () => {
  const runOf = (line: Record<string, unknown>): string =>
    `${String(line['job'])}-${String(line['slot']).replaceAll(/[-:.]/g, '')}`;

  it('state its id at its start, its retry and its end, and when its slot is skipped', async () => {
    const blocked = blockedRuns();
    await fixture.start(
      jobsOf({ job: { retries: { limit: 1, backoff: 'exponential', initial: 60_000, max: hour } } }),
    );
    await fixture.goTo('2026-11-21T09:00:00Z');
    blocked[0]?.fail(fault('gateway-unreachable', 'no way there'));
    await fixture.goTo('2026-11-21T09:00:01Z');
    await fixture.goTo('2026-11-21T09:02:00Z');
    await fixture.goTo('2026-11-21T10:00:00Z');
    blocked[1]?.end();
    await fixture.goTo('2026-11-21T10:00:01Z');
    const lines = fixture.lines.filter(({ slot }) => slot !== undefined);
    expect(lines.map(({ message, attempt }) => [message, attempt])).toEqual([
      ['run started', undefined],
      ['the run failed', undefined],
      ['run started', 2],
      ['the slot is skipped', undefined],
      ['run succeeded', 2],
    ]);
    expect(lines.map(({ run }) => run)).toEqual(lines.map(runOf));
    expect(lines[0]?.['run']).toBe('job-20261121T090000000Z');
  });

  it('state the id of the newest one when several slots are missed, and of those that a stop interrupts', async () => {
    blockedRuns();
    const jobs = jobsOf({ job: { catchup: 'none' } });
    const first = await fixture.start(jobs);
    await fixture.goTo('2026-11-21T09:00:00Z');
    await first.stop(0);
    fixture.clock.set(Date.parse('2026-11-21T13:30:00Z'));
    await fixture.start(jobs);
    const saying = (message: string) => fixture.lines.find((line) => line['message'] === message);
    expect(saying('aborting running jobs')).toMatchObject({ runs: 'job-20261121T090000000Z' });
    expect(saying('the run was interrupted')).toMatchObject({ run: 'job-20261121T090000000Z' });
    expect(saying('missed slots')).toMatchObject({
      through: '2026-11-21T13:00:00.000Z',
      run: 'job-20261121T130000000Z',
    });
  });
});

describe('overlapping slots', () => {
  const overlap = async (concurrency: 'forbid' | 'queue' | 'replace' | 'allow') => {
    const blocked = blockedRuns();
    await fixture.start(jobsOf({ job: { concurrency } }));
    await fixture.goTo('2026-11-21T09:00:00Z');
    await fixture.goTo('2026-11-21T10:00:00Z');
    return blocked;
  };

  it('under forbid skip the later one with its reason', async () => {
    const blocked = await overlap('forbid');
    expect(blocked).toHaveLength(1);
    blocked[0]?.end();
    await fixture.goTo('2026-11-21T10:00:01Z');
    expect(await fixture.rows()).toEqual(['2026-11-21T09:00:00 ok', '2026-11-21T10:00:00 skipped']);
    expect((await fixture.runs())[1]?.reason).toMatch(/09:00 UTC had not ended, and concurrency is forbid/);
  });

  it('under queue make the later one wait', async () => {
    const blocked = await overlap('queue');
    expect(blocked).toHaveLength(1);
    blocked[0]?.end();
    await fixture.goTo('2026-11-21T10:00:01Z');
    expect(blocked).toHaveLength(2);
    blocked[1]?.end();
    await fixture.goTo('2026-11-21T10:00:02Z');
    expect(await fixture.rows()).toEqual(['2026-11-21T09:00:00 ok', '2026-11-21T10:00:00 ok']);
  });

  it('under replace stop the earlier one permanently without an outage', async () => {
    const blocked = await overlap('replace');
    await fixture.goTo('2026-11-21T10:00:01Z');
    expect(blocked).toHaveLength(2);
    blocked[1]?.end();
    await fixture.goTo('2026-11-21T10:00:02Z');
    expect(await fixture.rows()).toEqual(['2026-11-21T09:00:00 interrupted', '2026-11-21T10:00:00 ok']);
    expect(fixture.notices).toEqual([]);
  });

  it('under allow both run', async () => {
    const blocked = await overlap('allow');
    expect(blocked).toHaveLength(2);
    for (const { end } of blocked) end();
    await fixture.goTo('2026-11-21T10:00:01Z');
    expect(await fixture.rows()).toEqual(['2026-11-21T09:00:00 ok', '2026-11-21T10:00:00 ok']);
  });
});
