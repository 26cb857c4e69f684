import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fault, type LateData } from '../../src/core/index.ts';
import { randomizedDelay } from '../../src/scheduler/delays.ts';
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
} from './support/scheduler-fixture.ts';

let fixture: SchedulerFixture;
beforeEach(async () => {
  fixture = await openSchedulerFixture('2026-11-21T08:30:00Z');
});
afterEach(() => fixture[Symbol.asyncDispose]());

/** States of the jobs' slots of nine o'clock, by job. */
const states = async (): Promise<Record<string, string>> =>
  Object.fromEntries((await fixture.runs()).map(({ job, state }) => [job, state]));

describe('locks and max_running', () => {
  it('jobs that share a lock run one after the other, and others concurrently', async () => {
    const blocked = blockedRuns(fixture);
    const scheduler = await fixture.start(
      jobsOf({ a: { locks: ['gateway'] }, b: { locks: ['disk', 'gateway'] }, c: { locks: ['disk'] }, d: {} }),
    );
    await fixture.goTo('2026-11-21T09:00:00Z');
    expect(await states()).toEqual({ a: 'running', b: 'queued', c: 'running', d: 'running' });
    expect(scheduler.openRuns().find(({ run }) => run.job === 'b')?.waiting).toMatch(
      /^the lock disk, held by c$|^the lock gateway, held by a$/,
    );
    blocked.find(({ execution }) => execution.job.name === 'a')?.end();
    await fixture.goTo('2026-11-21T09:00:01Z');
    expect((await states())['b']).toBe('queued');
    blocked.find(({ execution }) => execution.job.name === 'c')?.end();
    await fixture.goTo('2026-11-21T09:00:02Z');
    expect((await states())['b']).toBe('running');
  });

  it('at most max_running jobs run at once, and the others follow in order', async () => {
    const blocked = blockedRuns(fixture);
    const names = ['a', 'b', 'c', 'd', 'e'];
    const jobs = new Map(names.map((name) => [name, jobOf(name)]));
    const scheduler = await fixture.start(jobs, { maxRunning: 2 });
    await fixture.goTo('2026-11-21T09:00:00Z');
    expect(blocked.map(({ execution }) => execution.job.name)).toEqual(['a', 'b']);
    expect(scheduler.openRuns().find(({ run }) => run.job === 'c')?.waiting).toMatch(
      /^one of 2 running jobs to end \(scheduler\.max_running\)$/,
    );
    blocked[1]?.end();
    await fixture.goTo('2026-11-21T09:00:01Z');
    expect(blocked.map(({ execution }) => execution.job.name)).toEqual(['a', 'b', 'c']);
    await scheduler.adopt(jobs, 4);
    await settled(scheduler);
    expect(blocked).toHaveLength(5);
  });

  it('a run that waits longer than its starting deadline is missed and reported', async () => {
    const blocked = blockedRuns(fixture);
    await fixture.start(jobsOf({ a: {}, b: { startingDeadline: 10 * minute } }), { maxRunning: 1 });
    await fixture.goTo('2026-11-21T09:00:00Z');
    await fixture.goTo('2026-11-21T09:10:00Z');
    expect((await states())['b']).toBe('queued');
    await fixture.goTo('2026-11-21T09:10:00.001Z');
    expect((await states())['b']).toBe('missed');
    expect((await fixture.runs('b'))[0]).toMatchObject({
      attempts: 0,
      endedAt: at('2026-11-21T09:10:00.001Z'),
    });
    expect(fixture.notices).toMatchObject([{ job: 'b', kind: 'missed' }]);
    blocked[0]?.end();
    await fixture.goTo('2026-11-21T09:20:00Z');
    expect(fixture.began).toEqual(['a 2026-11-21T09:00:00']);
  });
});

describe('needs', () => {
  const needing = { needs: ['pull'], needsDeadline: 2 * hour } as const;

  it('a run waits until the watermark of its data reaches the end of its interval', async () => {
    fixture.watermark.set('pull', at('2026-11-21T08:00:00Z'));
    const scheduler = await fixture.start(jobsOf({ pull: { schedule: '10 * * * *' }, report: needing }));
    await fixture.goTo('2026-11-21T09:00:00Z');
    expect(fixture.began).toEqual([]);
    expect(scheduler.openRuns()[0]?.waiting).toMatch(/^pull \(at .*08:00.*, needs .*09:00.*\)$/);
    fixture.play = async ({ job }) => {
      if (job.name === 'pull') fixture.watermark.set('pull', at('2026-11-21T09:00:00Z'));
      return { summary: 'done', figures: {} };
    };
    await fixture.goTo('2026-11-21T09:10:00Z');
    expect(fixture.began).toEqual(['pull 2026-11-21T09:10:00', 'report 2026-11-21T09:00:00']);
    expect(await states()).toEqual({ pull: 'ok', report: 'ok' });
    expect(fixture.notices).toEqual([]);
  });

  it('a run past its deadline runs on the available data, marked as late', async () => {
    const late: (LateData | undefined)[] = [];
    fixture.play = async ({ dataLate }) => {
      late.push(dataLate);
      return { summary: 'done', figures: {} };
    };
    await fixture.start(jobsOf({ pull: { schedule: '0 0 1 1 *' }, report: needing }));
    await fixture.goTo('2026-11-21T09:00:00Z');
    await fixture.goTo('2026-11-21T10:59:59Z');
    expect(late).toEqual([]);
    await fixture.goTo('2026-11-21T11:00:00Z');
    expect(late).toMatchObject([{ needs: [{ job: 'pull', reaches: undefined, isSuspended: false }] }]);
    expect(fixture.notices).toMatchObject([{ kind: 'late', job: 'report' }]);
  });

  it('a deadline counts from the claim, so that catch-up runs wait for catch-up data', async () => {
    const jobs = jobsOf({ pull: { schedule: '0 0 1 1 *' }, report: needing });
    await (await fixture.start(jobs)).stop(0);
    fixture.clock.set(at('2026-11-23T08:45:00Z'));
    await fixture.start(jobs);
    expect(fixture.began).toEqual([]);
    await fixture.goTo('2026-11-23T10:44:59Z');
    expect(fixture.began).toEqual([]);
    await fixture.goTo('2026-11-23T10:45:00Z');
    expect(fixture.began).toEqual(['report 2026-11-23T08:00:00']);
  });

  it('a job without a schedule is run once, for the run that needs it', async () => {
    const jobs = jobsOf({ report: { ...needing, concurrency: 'forbid' } });
    const { schedule: _, ...pull } = jobOf('pull');
    await fixture.start(new Map([['pull', pull], ...jobs]));
    const blocked = blockedRuns(fixture);
    await fixture.goTo('2026-11-21T09:00:00Z');
    await fixture.goTo('2026-11-21T09:00:10Z');
    expect(blocked.map(({ execution }) => `${execution.job.name} ${execution.run.trigger}`)).toEqual([
      'pull needed',
    ]);
    fixture.watermark.set('pull', at('2026-11-21T09:00:00Z'));
    blocked[0]?.end();
    await fixture.goTo('2026-11-21T09:00:11Z');
    expect(blocked.map(({ execution }) => execution.job.name)).toEqual(['pull', 'report']);
    expect(blocked[1]?.execution.dataLate).toBeUndefined();
  });

  it('a watermark that cannot be read is read again, and is not treated as missing', async () => {
    let asked = 0;
    fixture.watermark.get = () => {
      asked += 1;
      if (asked === 1) throw new Error('the database is busy');
      return at('2026-11-21T09:00:00Z');
    };
    await fixture.start(jobsOf({ pull: { schedule: '0 0 1 1 *' }, report: needing }));
    await fixture.goTo('2026-11-21T09:00:00Z');
    await fixture.goTo('2026-11-21T09:00:01Z');
    expect(fixture.began).toEqual(['report 2026-11-21T09:00:00']);
    expect(fixture.notices).toEqual([]);
  });
});

describe('a run that must not start', () => {
  it('is abandoned when its job is removed, while running ones continue without retries', async () => {
    const blocked = blockedRuns(fixture);
    const scheduler = await fixture.start(jobsOf({ a: {}, b: {} }), { maxRunning: 1 });
    await fixture.goTo('2026-11-21T09:00:00Z');
    await scheduler.adopt(jobsOf({ other: {} }), 1);
    await settled(scheduler);
    expect(await states()).toEqual({ a: 'running', b: 'skipped' });
    expect((await fixture.runs('b'))[0]?.reason).toMatch(/no longer configured/);
    blocked[0]?.fail(fault('gateway-unreachable', 'no way there'));
    await fixture.goTo('2026-11-21T09:05:00Z');
    expect((await fixture.runs('a'))[0]).toMatchObject({ state: 'failed', attempts: 1 });
    expect(scheduler.openRuns()).toEqual([]);
    await fixture.goTo('2026-11-21T12:00:00Z');
    expect(await fixture.rows('a')).toHaveLength(1);
    // It comes back: a new beginning, nothing is caught up.
    await scheduler.adopt(jobsOf({ a: {} }), 1);
    await settled(scheduler);
    expect(await fixture.rows('a')).toHaveLength(1);
  });
});

describe('randomised delay', () => {
  it('is constant for a name, below the maximum, and spread', () => {
    const names = Array.from({ length: 2000 }, (_, index) => `job-${index}`);
    const delays = names.map((name) => randomizedDelay(name, 1000));
    expect(delays).toEqual(names.map((name) => randomizedDelay(name, 1000)));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...delays)).toBeLessThan(1000);
    for (let tenth = 0; tenth < 10; tenth += 1) {
      const count = delays.filter((delay) => Math.floor(delay / 100) === tenth).length;
      expect(count).toBeGreaterThan(120);
      expect(count).toBeLessThan(280);
    }
    // Another version of the program must not move anybody's jobs.
    expect([randomizedDelay('pull-logs', hour), randomizedDelay('statement', hour)]).toEqual([
      3_490_163, 2_490_039,
    ]);
    expect(randomizedDelay('pull-logs', 0)).toBe(0);
  });
});
