import { interval, unixMillis } from '../../../src/core/index.ts';
import type { JobCursor, LedgerRun } from '../../../src/storage/index.ts';

export const at = unixMillis;

export const runAt = (job: string, slot: number, change: Partial<LedgerRun> = {}): LedgerRun => ({
  job,
  slot: at(slot),
  account: 'main',
  trigger: 'schedule',
  version: 1,
  state: 'queued',
  interval: interval(at(slot - 1000), at(slot)),
  attempts: 0,
  nextAttempt: at(slot),
  claimedAt: at(slot + 5),
  ...change,
});

export const missedAt = (job: string, slot: number, change: Partial<LedgerRun> = {}): LedgerRun => {
  const { nextAttempt: _, ...run } = runAt(job, slot);
  return { ...run, state: 'missed', endedAt: at(slot + 5), reason: 'no daemon was running', ...change };
};

export const cursorAt = (job: string, claimedThrough: number, version = 1): JobCursor => ({
  job,
  version,
  schedule: '{"expression":"* * * * *"}',
  claimedThrough: at(claimedThrough),
});
