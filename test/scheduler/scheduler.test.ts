import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fault } from '../../src/core/index.ts';
import { blockedRuns } from './support/blocked-runs.ts';
import { hour, jobsOf, openSchedulerFixture, type SchedulerFixture } from './support/scheduler-fixture.ts';

let fixture: SchedulerFixture;
beforeEach(async () => {
  fixture = await openSchedulerFixture('2026-11-21T08:30:00Z');
});
afterEach(() => fixture[Symbol.asyncDispose]());

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
});

describe('log lines about a run', () => {
  const runOf = (line: Record<string, unknown>): string =>
    `${String(line['job'])}-${String(line['slot']).replaceAll(/[-:.]/g, '')}`;

  it('state its id at its start, its retry and its end, and when its slot is skipped', async () => {
    const blocked = blockedRuns(fixture);
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
    blockedRuns(fixture);
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
