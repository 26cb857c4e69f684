import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fault } from '../../src/core/index.ts';
import { blockedRuns } from './support/blocked-runs.ts';
import {
  hour,
  jobsOf,
  openSchedulerFixture,
  type SchedulerFixture,
  jobOf,
  minute,
} from './support/scheduler-fixture.ts';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { attempt, type Execute } from '../../src/scheduler/attempt.ts';
import { runAt } from '../storage/ledger/ledger-support.ts';
import { manualClock } from '../support/manual-clock.ts';
import type { Scheduler } from '../../src/scheduler/index.ts';

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
      rows: 4,
      through: '2026-11-21T13:00:00.000Z',
      run: 'job-20261121T130000000Z',
    });
  });
});

const run = runAt('job', 0, { state: 'running', attempts: 1 });

const tried = (execute: Execute, stop = new AbortController(), clock = manualClock(0)) =>
  attempt(
    { job: jobOf('job', { timeout: minute }), run, progress: () => undefined },
    {
      clock,
      execute,
      redact: (text) => text.replaceAll('s3cret', '***'),
      counted: ({ attempts }) => attempts,
      stop: stop.signal,
      interruption: () => ({ error: fault('aborted', 'stopped'), next: 'as retries say' }),
    },
  );

describe('an attempt', () => {
  it('is stopped at its timeout and reports it, whatever the work throws at its end', async () => {
    const clock = manualClock(0);
    const working = tried(
      ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('socket hang up')));
        }),
      new AbortController(),
      clock,
    );
    clock.advance(minute);
    expect((await working).end).toMatchObject({
      state: 'failed',
      code: 'run-timeout',
      nextAttempt: minute + 30_000,
    });
  });

  it('that succeeds despite a stop request has succeeded', async () => {
    const stop = new AbortController();
    const working = tried(async () => {
      stop.abort();
      return { summary: 'all of s3cret', figures: {} };
    }, stop);
    expect((await working).end).toMatchObject({ state: 'ok', summary: 'all of ***' });
  });

  it('gives the reason of a failure without secrets, also when it throws at once', async () => {
    const { end } = await tried(() => {
      throw new Error('s3cret is wrong');
    });
    expect(end).toMatchObject({ state: 'failed', reason: '*** is wrong' });
  });

  it('releases its memory even when the work leaves a listener on its signal', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const kept: WeakRef<object>[] = [];
    for (let count = 0; count < 20; count += 1) {
      await tried(async ({ signal }) => {
        const large = { count };
        kept.push(new WeakRef(large));
        signal.addEventListener('abort', () => void large.count);
        return { summary: 'done', figures: {} };
      });
    }
    await new Promise(setImmediate);
    collect();
    await new Promise(setImmediate);
    collect();
    expect(kept.filter((one) => one.deref() !== undefined).length).toBeLessThan(3);
  });
});

/** Whether the scheduler needs a wake-up each second at each of these moments. */
const neededAt = async (scheduler: Scheduler, times: readonly string[]): Promise<readonly boolean[]> => {
  const found: boolean[] = [];
  for (const time of times) {
    await fixture.goTo(`2026-11-21T${time}Z`);
    found.push(scheduler.needsEachSecond());
  }
  return found;
};

it('a scheduler needs no wake-up each second for slots at the start of a minute', async () => {
  const scheduler = await fixture.start(jobsOf({ job: { schedule: '* * * * *' } }));
  expect(await neededAt(scheduler, ['08:58:30', '08:59:59', '09:00:00'])).toEqual([false, false, false]);
});

it('a scheduler needs a wake-up each second in the minute before a slot at another second', async () => {
  const scheduler = await fixture.start(jobsOf({ job: { schedule: '30 0 9 * * *' } }));
  expect(await neededAt(scheduler, ['08:59:29', '08:59:30', '09:00:29', '09:00:30'])).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

it('a scheduler needs a wake-up each second in the minute before a retry', async () => {
  fixture.play = async () => Promise.reject(new Error('no luck'));
  const retries = { limit: 1, backoff: 'constant', initial: 5 * minute, max: 5 * minute } as const;
  const scheduler = await fixture.start(jobsOf({ job: { schedule: '0 9 * * *', retries } }));
  await fixture.goTo('2026-11-21T09:00:00Z');
  const [run] = await fixture.runs();
  expect(run).toMatchObject({ state: 'failed', attempts: 1 });
  const before = (seconds: number): string =>
    new Date((run?.nextAttempt ?? 0) - seconds * 1000).toISOString().slice(11, 19);
  expect(await neededAt(scheduler, [before(70), before(50)])).toEqual([false, true]);
});
