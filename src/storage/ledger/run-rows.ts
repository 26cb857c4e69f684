import { interval } from '../../core/index.ts';
import { type BoundRow, text, wholeNumber, type Row } from '../sql.ts';
import { all, column, label, millis, rowReader, sparse } from '../row-reader.ts';
import type { LedgerAttempt, LedgerRun, RunEvent, RunKey, RunState, RunTrigger } from '../run-ledger.ts';

export const keyColumns = { job: 'VARCHAR', slot: 'BIGINT' } as const;

export const runColumns = {
  ...keyColumns,
  account: 'VARCHAR',
  run_trigger: 'VARCHAR',
  version: 'BIGINT',
  state: 'VARCHAR',
  interval_start: 'BIGINT',
  interval_end: 'BIGINT',
  through: 'BIGINT',
  attempts: 'BIGINT',
  next_attempt: 'BIGINT',
  claimed_at: 'BIGINT',
  started_at: 'BIGINT',
  ended_at: 'BIGINT',
  code: 'VARCHAR',
  reason: 'VARCHAR',
  summary: 'VARCHAR',
  event: 'VARCHAR',
} as const;

/** A text that identifies a key. */
export const keyText = ({ job, slot }: RunKey): string => `${slot} ${job}`;

/** The first row of each key. */
export const distinctByKey = <T extends RunKey>(rows: readonly T[]): readonly T[] => {
  const byKey = new Map<string, T>();
  for (const row of rows) {
    const key = keyText(row);
    if (!byKey.has(key)) byKey.set(key, row);
  }
  return [...byKey.values()];
};

export const boundKey = ({ job, slot }: RunKey): BoundRow<typeof keyColumns> => ({ job, slot });

export const boundRun = (run: LedgerRun): BoundRow<typeof runColumns> => ({
  job: run.job,
  slot: run.slot,
  account: run.account,
  run_trigger: run.trigger,
  version: run.version,
  state: run.state,
  interval_start: run.interval.start,
  interval_end: run.interval.end,
  through: run.through ?? null,
  attempts: run.attempts,
  next_attempt: run.nextAttempt ?? null,
  claimed_at: run.claimedAt,
  started_at: run.startedAt ?? null,
  ended_at: run.endedAt ?? null,
  code: run.code ?? null,
  reason: run.reason ?? null,
  summary: run.summary ?? null,
  event: run.event ?? null,
});

const ending = { endedAt: sparse(millis), ...all(sparse(text), 'code', 'reason') };

export const runOf: (row: Row) => LedgerRun = rowReader({
  job: text,
  slot: millis,
  account: text,
  trigger: column('run_trigger', label<RunTrigger>()),
  version: wholeNumber,
  state: label<RunState>(),
  interval: (row) => interval(millis(row, 'interval_start'), millis(row, 'interval_end')),
  attempts: wholeNumber,
  claimedAt: millis,
  ...all(sparse(millis), 'through', 'nextAttempt', 'startedAt'),
  ...ending,
  summary: sparse(text),
  event: sparse(label<RunEvent>()),
});

export const attemptOf: (row: Row) => LedgerAttempt = rowReader({
  job: text,
  attempt: wholeNumber,
  ...all(millis, 'slot', 'startedAt'),
  state: label<LedgerAttempt['state']>(),
  ...ending,
});

/** Runs before their first attempt or between two. run-ledger.ts describes the states. */
export const isWaiting = `(state = 'queued' OR (state IN ('failed', 'interrupted') AND next_attempt IS NOT NULL))`;
export const isOpen = `(state = 'running' OR ${isWaiting})`;
