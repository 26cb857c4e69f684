import fc from 'fast-check';
import { createMemoryLedger } from '../support/memory-ledger.ts';
import { expect, it } from 'vitest';
import { unixMillis } from '../../src/core/index.ts';
import { planClaim } from '../../src/scheduler/claims.ts';
import { scheduleOf, scheduleText } from '../../src/scheduler/job-schedule.ts';
import { planRestored, skipRestored } from '../../src/scheduler/restored-claims.ts';
import { runAt } from '../storage/ledger/ledger-support.ts';
import { jobOf } from './support/scheduler-fixture.ts';

const start = Date.parse('2026-03-28T00:00:00Z');
const minute = 60_000;

const schedules = fc.constantFrom('0 * * * *', '*/7 * * * *', '30 2 * * *', '@monthly', '*/10 * * * * *');
const policies = fc.record({
  schedule: schedules,
  timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Shanghai'),
  catchup: fc.constantFrom('none' as const, 'latest' as const, 'all' as const),
  suspend: fc.boolean(),
});

it('no slot between a backup and its restore runs by itself under any policy of the job', () => {
  fc.assert(
    fc.property(policies, fc.nat({ max: 60 * 24 * 40 }), (policy, minutes) => {
      const job = jobOf('job', policy);
      const schedule = scheduleOf(job);
      if (schedule === undefined) throw new Error('the job has a schedule');
      const claimedThrough = unixMillis(start);
      const cursor = { job: 'job', version: 1, schedule: scheduleText(schedule), claimedThrough };
      const now = unixMillis(start + minutes * minute);
      const [usual, restored] = [planClaim(job, cursor, now), planRestored(job, cursor, now)];
      expect(restored?.runs.map(({ slot, through }) => [slot, through])).toEqual(
        usual?.runs.map(({ slot, through }) => [slot, through]),
      );
      for (const run of restored?.runs ?? []) {
        expect(run).toMatchObject({ state: 'skipped', endedAt: now });
        expect([run.nextAttempt, run.event]).toEqual([undefined, undefined]);
      }
      // The next claim at the same moment finds nothing to run.
      expect(planClaim(job, restored?.cursor ?? cursor, now)?.runs ?? []).toEqual([]);
    }),
  );
});

it('runs that were not over when the backup was taken end, and are listed with the slots since', async () => {
  const ledger = createMemoryLedger();
  const job = jobOf('job', { schedule: '0 * * * *', catchup: 'all' });
  const schedule = scheduleOf(job);
  const [first, second] = [start, start + 60 * minute].map((at) => unixMillis(at));
  if (schedule === undefined || first === undefined || second === undefined) throw new Error('no slots');
  const cursor = { job: 'job', version: 1, schedule: scheduleText(schedule), claimedThrough: second };
  await ledger.claim([{ cursor, runs: [runAt('job', first), runAt('job', second)] }]);
  await ledger.begin([{ job: 'job', slot: first }], second);

  const now = unixMillis(second + 150 * minute);
  expect(await skipRestored(ledger, [job], now)).toEqual([
    { job: 'job', zone: 'UTC', slots: 4, first, last: second + 120 * minute },
  ]);
  expect(await ledger.open()).toEqual([]);
  expect((await ledger.list({ limit: 9 })).map(({ state }) => state)).toEqual([
    'skipped',
    'skipped',
    'skipped',
    'interrupted',
  ]);
});
