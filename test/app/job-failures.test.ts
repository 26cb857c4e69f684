import { expect, it } from 'vitest';
import { unixMillis } from '../../src/core/index.ts';
import { unknownJob } from '../../src/app/accounts/good-config.ts';
import { jobFailures } from '../../src/app/queries/job-failures.ts';
import { runAt } from '../storage/ledger/ledger-support.ts';
import { openTown } from './support/daemon.ts';

const second = 1000;

const failed = (change: Parameters<typeof runAt>[2]) => ({
  ...runAt('pull', 1_700_000_000 * second, { state: 'failed', endedAt: unixMillis(1), ...change }),
});

const adviceFor = (change: Parameters<typeof runAt>[2]): string | undefined =>
  jobFailures([failed(change)], []).get('pull')?.advice;

it('a killed run is restarted as it was started, without a slot or for its slot', () => {
  const code = 'aborted';
  expect(adviceFor({ code, trigger: 'hand', slot: unixMillis(1_700_000_000_123) })).toBe(
    'run `tollkeeper run pull`',
  );
  expect(adviceFor({ code, trigger: 'backfill' })).toBe(
    'run `tollkeeper run pull --slot 2023-11-14T22:13:20Z`',
  );
});

it('a failure with a known cause names the fix before the command', () => {
  expect(adviceFor({ code: 'disk-full' })).toMatch(/^free space .*; then run `tollkeeper run pull --slot /);
});

it('a run whose process ended names a takeover by another replica, beside a lack of memory', () => {
  expect(adviceFor({ code: 'process-ended', state: 'interrupted' })).toMatch(
    /another one may .*memory.*; then run `tollkeeper run pull --slot /,
  );
});

it('a scheduled run replaced by a newer open run is not a failure, but a manual run is', () => {
  const newer = runAt('pull', 1_700_000_100 * second, { state: 'running' });
  const interrupted = (trigger: 'schedule' | 'hand') => failed({ state: 'interrupted', trigger });
  expect(jobFailures([interrupted('schedule')], [newer]).size).toBe(0);
  expect(jobFailures([interrupted('schedule')], []).size).toBe(1);
  expect(jobFailures([interrupted('hand')], [newer]).size).toBe(1);
  expect(jobFailures([failed({})], [newer]).size).toBe(1);
});

it('a job that never ran and missed its first slot needs a person, until it runs', async () => {
  await using town = await openTown('2026-11-20T12:00:00Z');
  await town.jobs(
    'pull-logs: { kind: pull-logs, since: 2026-11-19, schedule: "0 14 * * *" }',
    'by-hand: { kind: pull-logs, since: 2026-11-19 }',
    'paused: { kind: pull-logs, since: 2026-11-19, schedule: "0 14 * * *", suspend: true }',
  );
  const needed = async (): Promise<unknown> =>
    (JSON.parse((await town.run('status', '--json')).stdout) as { readonly needsPerson: unknown })
      .needsPerson;
  expect(await needed()).toEqual([]);
  const daemon = await town.serve();
  await daemon.line({ message: 'serving' });
  await daemon.stop();
  expect(await needed()).toEqual([]);
  town.clock.advance(3 * 3_600_000);
  expect(await needed()).toEqual([expect.stringMatching(/first slot: pull-logs$/)]);
  expect((await town.run('status')).stdout).toContain('first slot was 2026-11-20 14:00');
  expect((await town.run('run', 'pull-logs')).code).toBe(0);
  expect(await needed()).toEqual([]);
});

it('an unknown job is reported with the jobs that exist and the one that was probably meant', () => {
  const { code, message, advice } = unknownJob('pull-log', ['pull-logs', 'spend']);
  expect([code, message, advice]).toEqual([
    'job-unknown',
    expect.stringContaining('pull-logs, spend'),
    expect.stringContaining('pull-logs'),
  ]);
  expect(unknownJob('x', ['pull-logs']).advice).not.toContain('pull-logs');
});
