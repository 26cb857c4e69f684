import { interval, unixMillis } from '../../core/index.ts';
import type { UnixMillis } from '../../core/index.ts';
import type { BoundRow } from '../bound-rows.ts';
import { optionalText, text, wholeNumber } from '../rows.ts';
import type { Row } from '../rows.ts';
import type { LedgerAttempt, LedgerRun, RunKey, RunState, RunTrigger } from './run-ledger.ts';

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
} as const;

/** A text that tells keys apart. */
export const keyText = ({ job, slot }: RunKey): string => `${slot} ${job}`;

/** One of each key, the first. */
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
});

const moment = (row: Row, column: string): UnixMillis => unixMillis(wholeNumber(row, column));

const given = <Name extends string, T>(name: Name, value: T | undefined): { readonly [N in Name]?: T } =>
  (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: T };

const optionalMoment = (row: Row, column: string): UnixMillis | undefined =>
  optionalText(row, column) === undefined ? undefined : moment(row, column);

export const runOf = (row: Row): LedgerRun => ({
  job: text(row, 'job'),
  slot: moment(row, 'slot'),
  account: text(row, 'account'),
  trigger: text(row, 'run_trigger') as RunTrigger,
  version: wholeNumber(row, 'version'),
  state: text(row, 'state') as RunState,
  interval: interval(moment(row, 'interval_start'), moment(row, 'interval_end')),
  attempts: wholeNumber(row, 'attempts'),
  claimedAt: moment(row, 'claimed_at'),
  ...given('through', optionalMoment(row, 'through')),
  ...given('nextAttempt', optionalMoment(row, 'next_attempt')),
  ...given('startedAt', optionalMoment(row, 'started_at')),
  ...given('endedAt', optionalMoment(row, 'ended_at')),
  ...given('code', optionalText(row, 'code')),
  ...given('reason', optionalText(row, 'reason')),
  ...given('summary', optionalText(row, 'summary')),
});

export const attemptOf = (row: Row): LedgerAttempt => ({
  job: text(row, 'job'),
  slot: moment(row, 'slot'),
  attempt: wholeNumber(row, 'attempt'),
  startedAt: moment(row, 'started_at'),
  state: text(row, 'state') as LedgerAttempt['state'],
  ...given('endedAt', optionalMoment(row, 'ended_at')),
  ...given('code', optionalText(row, 'code')),
  ...given('reason', optionalText(row, 'reason')),
});

/** Runs between two attempts, or before their first. The states with their words are in run-ledger.ts. */
export const isWaiting = `(state = 'queued' OR (state IN ('failed', 'interrupted') AND next_attempt IS NOT NULL))`;
export const isOpen = `(state = 'running' OR ${isWaiting})`;
