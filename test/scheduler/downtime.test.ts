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

const hourly = { schedule: '0 * * * *' } as const;
const daily = { schedule: '30 2 * * *' } as const;
const monthly = { schedule: '0 8 1 * *' } as const;
const everyMinute = { schedule: '* * * * *' } as const;
const everySecond = { schedule: '* * * * * *' } as const;

/** Slots of the 30 days. */
const slots = {
  hourly: each('2026-10-22T09:00:00Z', '2026-11-21T08:00:00Z', hour),
  daily: each('2026-10-23T02:30:00Z', '2026-11-21T02:30:00Z', day),
  monthly: ['2026-11-01T08:00:00'],
};

const cases: readonly {
  readonly name: string;
  readonly job: WrittenJob;
  readonly slots: readonly string[];
  readonly runs: readonly string[];
}[] = [
  { name: 'hourly, none', job: { ...hourly, catchup: 'none' }, slots: slots.hourly, runs: [] },
  { name: 'hourly, latest', job: hourly, slots: slots.hourly, runs: ['2026-11-21T08:00:00'] },
  {
    name: 'hourly, latest of half an hour',
    job: { ...hourly, catchupWindow: 30 * minute },
    slots: slots.hourly,
    runs: [],
  },
  {
    name: 'hourly, all',
    job: { ...hourly, catchup: 'all' },
    slots: slots.hourly,
    runs: each('2026-11-19T07:00:00Z', '2026-11-21T08:00:00Z', hour),
  },
  {
    name: 'hourly, all of three hours, at most two',
    job: { ...hourly, catchup: 'all', catchupWindow: 3 * hour, maxCatchupRuns: 2 },
    slots: slots.hourly,
    runs: ['2026-11-21T07:00:00', '2026-11-21T08:00:00'],
  },
  {
    name: 'hourly, all that may begin in an hour and a half',
    job: { ...hourly, catchup: 'all', startingDeadline: 90 * minute + 30 * second },
    slots: slots.hourly,
    runs: ['2026-11-21T07:00:00', '2026-11-21T08:00:00'],
  },
  {
    name: 'monthly, latest of a week',
    job: { ...monthly, catchupWindow: 7 * day },
    slots: slots.monthly,
    runs: [],
  },
  {
    name: 'suspended',
    job: { ...hourly, catchup: 'all', suspend: true },
    slots: slots.hourly,
    runs: [],
  },
];

describe('thirty days of downtime', () => {
  it.each(cases)('$name', async ({ job, slots: due, runs }) => {
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

  const dense: readonly {
    readonly name: string;
    readonly job: WrittenJob;
    readonly step: number;
    readonly last: string;
    readonly runs: readonly string[];
    readonly own?: number;
  }[] = [
    {
      name: 'every minute, latest',
      job: everyMinute,
      step: minute,
      last: '2026-11-21T08:30:00Z',
      runs: ['2026-11-21T08:30:00'],
    },
    {
      name: 'every minute, all of a day and more than 1,000',
      job: { ...everyMinute, catchup: 'all', catchupWindow: day, maxCatchupRuns: 1200, concurrency: 'allow' },
      step: minute,
      last: '2026-11-21T08:30:00Z',
      runs: each('2026-11-20T12:31:00Z', '2026-11-21T08:30:00Z', minute),
      own: 1200,
    },
    {
      name: 'every second, all of ten seconds',
      job: { ...everySecond, catchup: 'all', catchupWindow: 10 * second, maxCatchupRuns: 20 },
      step: second,
      last: '2026-11-21T08:30:30Z',
      runs: each('2026-11-21T08:30:11Z', '2026-11-21T08:30:30Z', second),
    },
  ];

  it.each(dense)('$name: one row covers the slots older than the newest thousand', async (one) => {
    const { job, step, last, runs, own = 1000 } = one;
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

  it('only the later of two due statements runs', async () => {
    const jobs = jobsOf({ job: monthly });
    await (await fixture.start(jobs)).stop(0);
    fixture.clock.advance(60 * day);
    await fixture.start(jobs);
    expect(await fixture.rows()).toEqual(['2026-11-01T08:00:00 missed', '2026-12-01T08:00:00 ok']);
    expect((await fixture.runs())[0]?.reason).toMatch(/2026-12-01.08:00.* was also due.*latest/);
  });

  it('catch-up runs under `all` are sequential and in order, and survive another stop', async () => {
    const ends: (() => void)[] = [];
    fixture.play = ({ signal }) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
        ends.push(() => resolve({ summary: 'done', figures: {} }));
      });
    const job: WrittenJob = {
      ...daily,
      catchup: 'all',
      retries: { limit: 1, backoff: 'constant', initial: 0, max: 1 },
    };
    expect(await afterThirtyDays(job)).toEqual(['2026-11-15T02:30:00']);
    const queued = each('2026-11-16T02:30:00Z', '2026-11-21T02:30:00Z', day);
    expect((await fixture.rows()).slice(-7)).toEqual([
      '2026-11-15T02:30:00 running',
      ...queued.map((slot) => `${slot} queued`),
    ]);
    fixture.play = async () => ({ summary: 'done', figures: {} });
    const again = await fixture.start(jobsOf({ job }));
    expect(fixture.began.slice(1)).toEqual(['2026-11-15T02:30:00', ...queued].map((slot) => `job ${slot}`));
    expect(again.openRuns()).toEqual([]);
  });
});
