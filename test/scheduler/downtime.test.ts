import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  at,
  hour,
  jobsOf,
  minute,
  openSchedulerFixture,
  shown,
  type SchedulerFixture,
  type WrittenJob,
} from './support/scheduler-fixture.ts';

const day = 24 * hour;
const second = 1000;

let fixture: SchedulerFixture;
beforeEach(async () => {
  fixture = await openSchedulerFixture('2026-10-22T08:30:30Z');
});
afterEach(() => fixture[Symbol.asyncDispose]());

/** The daemon runs, is gone for 30 days, and comes back at 2026-11-21T08:30:30Z. Gives what was begun. */
const afterThirtyDays = async (job: WrittenJob): Promise<readonly string[]> => {
  const jobs = jobsOf({ job });
  const first = await fixture.start(jobs);
  await first.stop(0);
  fixture.clock.advance(30 * day);
  await fixture.start(jobs);
  return fixture.began.map((began) => began.slice('job '.length));
};

/** Moments from one to another, both included. */
const each = (first: string, last: string, step: number): readonly string[] => {
  const moments: string[] = [];
  for (let moment: number = at(first); moment <= at(last); moment += step) moments.push(shown(moment));
  return moments;
};

const monthly = { schedule: '0 8 1 * *' } as const;
const everyMinute = { schedule: '* * * * *' } as const;
const everySecond = { schedule: '* * * * * *' } as const;

/** Slots of the 30 days of a job that is due each hour. */
const due = each('2026-10-22T09:00:00Z', '2026-11-21T08:00:00Z', hour);

describe('thirty days of downtime', () => {
  it.each<[string, WrittenJob, number]>([
    ['none', { catchup: 'none' }, 0],
    ['latest', {}, 1],
    ['latest of half an hour', { catchupWindow: 30 * minute }, 0],
    ['all', { catchup: 'all' }, 50],
    ['all of three hours, at most two', { catchup: 'all', catchupWindow: 3 * hour, maxCatchupRuns: 2 }, 2],
    ['all that may begin soon', { catchup: 'all', startingDeadline: 90 * minute + 30 * second }, 2],
    ['suspended', { catchup: 'all', suspend: true }, 0],
  ])('let an hourly job run its newest slots as it says: %s', async (_, job, count) => {
    const runs = due.slice(due.length - count);
    expect(await afterThirtyDays(job)).toEqual(runs);
    const rest = job.suspend === true ? 'skipped' : 'missed';
    expect(await fixture.rows()).toEqual(due.map((slot) => `${slot} ${runs.includes(slot) ? 'ok' : rest}`));
    for (const run of await fixture.runs()) {
      if (run.state === 'ok') expect(run).toMatchObject({ trigger: 'catchup', attempts: 1 });
      else {
        expect(run).toMatchObject({ attempts: 0, endedAt: at('2026-11-21T08:30:30Z') });
        expect(run.reason).toMatch(/catchup|max_catchup_runs|starting_deadline|suspended/);
      }
    }
  });

  const dayOfMinutes = {
    catchup: 'all',
    catchupWindow: day,
    maxCatchupRuns: 1200,
    concurrency: 'allow',
  } as const;
  it.each<[string, WrittenJob, number, string, number]>([
    ['every minute, latest', everyMinute, minute, '2026-11-21T08:30:00Z', 1],
    ['every minute, all', { ...everyMinute, ...dayOfMinutes }, minute, '2026-11-21T08:30:00Z', 1200],
    [
      'every second, all of ten seconds',
      { ...everySecond, catchup: 'all', catchupWindow: 10 * second, maxCatchupRuns: 20 },
      second,
      '2026-11-21T08:30:30Z',
      20,
    ],
  ])('%s: one row covers the slots older than the newest thousand', async (_, job, step, last, count) => {
    const own = Math.max(1000, count);
    const runs = each(new Date(at(last) - (count - 1) * step).toISOString(), last, step);
    expect(await afterThirtyDays(job)).toEqual(runs);
    const rows = await fixture.runs();
    const first = at('2026-10-22T08:30:30Z') + (step === minute ? 30 * second : second);
    const oldest = at(last) - (own - 1) * step;
    const [range, ...others] = rows;
    expect(range).toMatchObject({ slot: first, through: oldest - step, state: 'missed', trigger: 'catchup' });
    expect(range?.reason).toMatch(/one row for all slots of this time range/);
    expect(others.map(({ slot, state }) => `${shown(slot)} ${state}`)).toEqual(
      each(new Date(oldest).toISOString(), last, step).map(
        (slot) => `${slot} ${runs.includes(slot) ? 'ok' : 'missed'}`,
      ),
    );
  });

  it('a monthly statement survives an outage of 30 days with its own month', async () => {
    fixture.clock.set(at('2026-10-31T12:00:00Z'));
    expect(await afterThirtyDays(monthly)).toEqual(['2026-11-01T08:00:00']);
    const [run] = await fixture.runs();
    expect(run).toMatchObject({ state: 'ok', trigger: 'catchup' });
    expect(run?.interval).toEqual({ start: at('2026-10-01T08:00:00Z'), end: at('2026-11-01T08:00:00Z') });
    expect(fixture.notices).toEqual([]);
  });
});
