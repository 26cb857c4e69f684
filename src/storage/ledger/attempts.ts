import type { UnixMillis } from '../../core/index.ts';
import { boundRows } from '../bound-rows.ts';
import { type Sql } from '../sql.ts';
import type { AttemptEnd, LedgerRun, RunBegin, RunClosing, RunKey, UnrecordedEnd } from '../run-ledger.ts';
import { processEnded } from './read-runs.ts';
import { distinctByKey, isOpen, isWaiting, keyColumns, runOf } from './run-rows.ts';

/* Each function runs within a transaction of the caller. */

/** @throws RangeError when one of them does not wait for an attempt: no attempt may run unrecorded. */
export const writeBegin = async (
  connection: Sql,
  runs: readonly RunBegin[],
  at: UnixMillis,
): Promise<void> => {
  const begun = distinctByKey(runs);
  const rows = boundRows(connection, { ...keyColumns, late: 'VARCHAR' }, begun, ({ job, slot, late }) => ({
    job,
    slot,
    late: late ?? null,
  }));
  const changed = await rows.execute(
    (table) => `UPDATE job_run
      SET state = 'running', attempts = attempts + 1, started_at = $at, next_attempt = NULL, ended_at = NULL,
          code = NULL, reason = begun.late, summary = NULL, event = CASE WHEN begun.late IS NULL THEN event ELSE 'late' END
      FROM ${table} AS begun WHERE job_run.job = begun.job AND job_run.slot = begun.slot AND ${isWaiting}`,
    { at },
  );
  if (changed !== begun.length)
    throw new RangeError(`${begun.length - changed} of ${begun.length} runs to start are no longer queued`);
  await rows.execute(
    (table) => `INSERT INTO job_attempt (job, slot, attempt, started_at, state)
      SELECT job_run.job, job_run.slot, job_run.attempts, $at, 'running'
      FROM job_run JOIN ${table} AS begun ON job_run.job = begun.job AND job_run.slot = begun.slot`,
    { at },
  );
};

const endColumns = {
  ...keyColumns,
  state: 'VARCHAR',
  ended_at: 'BIGINT',
  code: 'VARCHAR',
  reason: 'VARCHAR',
  summary: 'VARCHAR',
  next_attempt: 'BIGINT',
  end_event: 'VARCHAR',
} as const;

/** Attempts that are not running stay unchanged. */
export const writeEnds = async (connection: Sql, ends: readonly AttemptEnd[]): Promise<void> => {
  const rows = boundRows(
    connection,
    endColumns,
    distinctByKey(ends),
    ({ job, slot, state, at, code, reason, summary, nextAttempt, event }) => ({
      job,
      slot,
      state,
      ended_at: at,
      code: code ?? null,
      reason: reason ?? null,
      summary: summary ?? null,
      next_attempt: state === 'ok' ? null : (nextAttempt ?? null),
      end_event: event ?? null,
    }),
  );
  const isUnderWay = (table: string): string =>
    `${table}.job = ended.job AND ${table}.slot = ended.slot AND ${table}.state = 'running'`;
  await rows.execute(
    (table) => `UPDATE job_attempt
      SET state = ended.state, ended_at = ended.ended_at, code = ended.code, reason = ended.reason
      FROM ${table} AS ended WHERE ${isUnderWay('job_attempt')}`,
  );
  await rows.execute(
    (table) => `UPDATE job_run
      SET state = ended.state, ended_at = ended.ended_at, code = ended.code, reason = ended.reason,
          summary = ended.summary, next_attempt = ended.next_attempt, event = coalesce(ended.end_event, job_run.event)
      FROM ${table} AS ended WHERE ${isUnderWay('job_run')}`,
  );
};

/** Attempts that ended otherwise stay unchanged. */
export const writeUnrecorded = async (connection: Sql, ends: readonly UnrecordedEnd[]): Promise<void> => {
  const rows = boundRows(
    connection,
    { ...keyColumns, attempt: 'BIGINT', noted_code: 'VARCHAR' },
    ends,
    ({ job, slot, attempt, code }) => ({ job, slot, attempt, noted_code: code }),
  );
  await rows.execute(
    (table) => `UPDATE job_attempt SET code = noted.noted_code FROM ${table} AS noted
      WHERE job_attempt.job = noted.job AND job_attempt.slot = noted.slot AND job_attempt.attempt = noted.attempt
        AND (job_attempt.state = 'running' OR job_attempt.code = ANY($codes))`,
    { codes: processEnded },
  );
};

const closingColumns = {
  ...keyColumns,
  final_state: 'VARCHAR',
  closed_at: 'BIGINT',
  why_code: 'VARCHAR',
  why: 'VARCHAR',
  closing_event: 'VARCHAR',
} as const;

/** Runs that are over or running stay unchanged. */
export const writeClosings = async (connection: Sql, closings: readonly RunClosing[]): Promise<void> => {
  const rows = boundRows(
    connection,
    closingColumns,
    distinctByKey(closings),
    ({ job, slot, state, at, code, reason, event }) => ({
      job,
      slot,
      final_state: state,
      closed_at: at,
      why_code: code ?? null,
      why: reason,
      closing_event: event ?? null,
    }),
  );
  await rows.execute(
    (table) => `UPDATE job_run
      SET state = closing.final_state, ended_at = closing.closed_at, code = closing.why_code,
          reason = closing.why, next_attempt = NULL, event = coalesce(closing.closing_event, job_run.event)
      FROM ${table} AS closing
      WHERE job_run.job = closing.job AND job_run.slot = closing.slot AND ${isWaiting}`,
  );
};

/** Undefined when no such run exists, when it is not over, or when its row covers a range of slots. */
export const writeReopening = async (
  connection: Sql,
  { job, slot }: RunKey,
  at: UnixMillis,
): Promise<LedgerRun | undefined> => {
  const [row] = await connection.rows(
    `UPDATE job_run
     SET state = 'queued', next_attempt = $at, ended_at = NULL, code = NULL, reason = NULL, summary = NULL
     WHERE job = $job AND slot = $slot AND through IS NULL AND NOT ${isOpen} RETURNING *`,
    { job, slot, at },
  );
  return row === undefined ? undefined : runOf(row);
};
