import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Scheduler } from '../../src/scheduler/index.ts';
import { jobsOf, minute, openSchedulerFixture, type SchedulerFixture } from './support/scheduler-fixture.ts';

let fixture: SchedulerFixture;
beforeEach(async () => {
  fixture = await openSchedulerFixture('2026-11-21T08:58:00Z');
});
afterEach(() => fixture[Symbol.asyncDispose]());

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
