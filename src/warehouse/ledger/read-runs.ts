import type { DuckDBConnection } from '@duckdb/node-api';
import { unixMillis } from '../../core/index.ts';
import type { UnixMillis } from '../../core/index.ts';
import { boundRows } from '../bound-rows.ts';
import { readRows, text, wholeNumber } from '../rows.ts';
import type { JobCursor, LedgerAttempt, LedgerRun, RunKey, RunState } from './run-ledger.ts';
import { attemptOf, boundKey, distinctByKey, isOpen, keyColumns, runOf } from './run-rows.ts';

export const readCursors = async (connection: DuckDBConnection): Promise<readonly JobCursor[]> => {
  const rows = await readRows(
    connection,
    'SELECT job, version, schedule, claimed_through FROM job_cursor ORDER BY job',
  );
  return rows.map((row) => ({
    job: text(row, 'job'),
    version: wholeNumber(row, 'version'),
    schedule: text(row, 'schedule'),
    claimedThrough: unixMillis(wholeNumber(row, 'claimed_through')),
  }));
};

export const readOpen = async (connection: DuckDBConnection): Promise<readonly LedgerRun[]> => {
  const rows = await readRows(connection, `SELECT * FROM job_run WHERE ${isOpen} ORDER BY slot, job`);
  return rows.map(runOf);
};

export const readRun = async (
  connection: DuckDBConnection,
  { job, slot }: RunKey,
): Promise<LedgerRun | undefined> => {
  const [row] = await readRows(connection, 'SELECT * FROM job_run WHERE job = $job AND slot = $slot', {
    job,
    slot,
  });
  return row === undefined ? undefined : runOf(row);
};

export const listRuns = async (
  connection: DuckDBConnection,
  query: {
    readonly job?: string | undefined;
    readonly states?: readonly RunState[] | undefined;
    readonly limit: number;
  },
): Promise<readonly LedgerRun[]> => {
  const { job, states, limit } = query;
  const filters = [
    ...(job === undefined ? [] : ['job = $job']),
    ...(states === undefined ? [] : ['list_contains($states, state)']),
  ];
  const rows = await readRows(
    connection,
    `SELECT * FROM job_run ${filters.length > 0 ? `WHERE ${filters.join(' AND ')}` : ''}
     ORDER BY slot DESC, job LIMIT $limit`,
    { ...(job === undefined ? {} : { job }), ...(states === undefined ? {} : { states }), limit },
  );
  return rows.map(runOf);
};

export const readAttempts = async (
  connection: DuckDBConnection,
  keys: readonly RunKey[],
): Promise<readonly LedgerAttempt[]> => {
  const rows = await boundRows(connection, keyColumns, distinctByKey(keys), boundKey).read(
    (table) => `SELECT job_attempt.* FROM job_attempt JOIN ${table} AS wanted
      ON job_attempt.job = wanted.job AND job_attempt.slot = wanted.slot
      ORDER BY job_attempt.slot, job_attempt.job, job_attempt.attempt`,
  );
  return rows.map(attemptOf);
};

export const readLatest = async (connection: DuckDBConnection): Promise<readonly LedgerRun[]> => {
  const rows = await readRows(
    connection,
    `SELECT job_run.* FROM job_run
     JOIN (SELECT job, max(slot) AS slot FROM job_run WHERE attempts > 0 GROUP BY job) AS newest
       ON job_run.job = newest.job AND job_run.slot = newest.slot
     ORDER BY job_run.job`,
  );
  return rows.map(runOf);
};

export const readFailures = async (connection: DuckDBConnection): Promise<readonly LedgerRun[]> => {
  const rows = await readRows(
    connection,
    `SELECT job_run.* FROM job_run
     LEFT JOIN (SELECT job, max(ended_at) AS ended_at FROM job_run WHERE state = 'ok' GROUP BY job) AS good
       ON job_run.job = good.job
     WHERE state IN ('failed', 'interrupted') AND next_attempt IS NULL
       AND (good.ended_at IS NULL OR job_run.ended_at > good.ended_at)
     QUALIFY row_number() OVER (PARTITION BY job_run.job ORDER BY job_run.ended_at DESC, job_run.slot DESC) = 1
     ORDER BY job_run.job`,
  );
  return rows.map(runOf);
};

export const readGoodEnds = async (
  connection: DuckDBConnection,
): Promise<ReadonlyMap<string, UnixMillis>> => {
  const rows = await readRows(
    connection,
    `SELECT job, max(ended_at) AS ended_at FROM job_run WHERE state = 'ok' GROUP BY job`,
  );
  return new Map(rows.map((row) => [text(row, 'job'), unixMillis(wholeNumber(row, 'ended_at'))]));
};

export const readGoodThrough = async (
  connection: DuckDBConnection,
  job: string,
): Promise<UnixMillis | undefined> => {
  const [row] = await readRows(
    connection,
    `SELECT interval_end FROM job_run WHERE job = $job AND state = 'ok' ORDER BY slot DESC LIMIT 1`,
    { job },
  );
  return row === undefined ? undefined : unixMillis(wholeNumber(row, 'interval_end'));
};
