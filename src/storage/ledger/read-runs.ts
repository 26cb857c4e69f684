import type { Interval, UnixMillis } from '../../core/index.ts';
import { boundRows } from '../bound-rows.ts';
import { label, millis, readAs, rowReader } from '../row-reader.ts';
import { text, wholeNumber, type Sql } from '../sql.ts';
import type {
  JobCursor,
  LedgerAttempt,
  LedgerRun,
  OrderedStops,
  RunKey,
  RunOutcomes,
  RunState,
} from '../run-ledger.ts';
import { attemptOf, boundKey, distinctByKey, isOpen, keyColumns, runOf } from './run-rows.ts';

const jobCursor = rowReader({ job: text, version: wholeNumber, schedule: text, claimedThrough: millis });

export const readCursors = async (connection: Sql): Promise<readonly JobCursor[]> =>
  readAs(
    connection,
    jobCursor,
    'SELECT job, version, schedule, claimed_through FROM job_cursor ORDER BY job',
  );

export const readOpen = async (connection: Sql): Promise<readonly LedgerRun[]> =>
  readAs(connection, runOf, `SELECT * FROM job_run WHERE ${isOpen} ORDER BY slot, job`);

export const readRun = async (connection: Sql, { job, slot }: RunKey): Promise<LedgerRun | undefined> => {
  const sql = 'SELECT * FROM job_run WHERE job = $job AND slot = $slot';
  return (await readAs(connection, runOf, sql, { job, slot }))[0];
};

export const listRuns = async (
  connection: Sql,
  query: {
    readonly job?: string | undefined;
    readonly states?: readonly RunState[] | undefined;
    readonly limit: number;
  },
): Promise<readonly LedgerRun[]> => {
  const { job, states, limit } = query;
  const filters = [
    ...(job === undefined ? [] : ['job = $job']),
    ...(states === undefined ? [] : ['state = ANY($states)']),
  ];
  return readAs(
    connection,
    runOf,
    `SELECT * FROM job_run ${filters.length > 0 ? `WHERE ${filters.join(' AND ')}` : ''}
     ORDER BY slot DESC, job LIMIT $limit`,
    { ...(job === undefined ? {} : { job }), ...(states === undefined ? {} : { states }), limit },
  );
};

export const readAttempts = async (
  connection: Sql,
  keys: readonly RunKey[],
): Promise<readonly LedgerAttempt[]> => {
  const rows = await boundRows(connection, keyColumns, distinctByKey(keys), boundKey).read(
    (table) => `SELECT job_attempt.* FROM job_attempt JOIN ${table} AS wanted
      ON job_attempt.job = wanted.job AND job_attempt.slot = wanted.slot
      ORDER BY job_attempt.slot, job_attempt.job, job_attempt.attempt`,
  );
  return rows.map(attemptOf);
};

export const readLatest = async (connection: Sql): Promise<readonly LedgerRun[]> =>
  readAs(
    connection,
    runOf,
    `SELECT job_run.* FROM job_run
     JOIN (SELECT job, max(slot) AS slot FROM job_run WHERE attempts > 0 GROUP BY job) AS newest
       ON job_run.job = newest.job AND job_run.slot = newest.slot
     ORDER BY job_run.job`,
  );

export const readFailures = async (connection: Sql): Promise<readonly LedgerRun[]> =>
  readAs(
    connection,
    runOf,
    `SELECT * FROM (
       SELECT job_run.*, row_number() OVER (PARTITION BY job_run.job ORDER BY job_run.ended_at DESC, job_run.slot DESC) AS place
       FROM job_run
       LEFT JOIN (SELECT job, max(ended_at) AS ended_at FROM job_run WHERE state = 'ok' GROUP BY job) AS good
         ON job_run.job = good.job
       WHERE state IN ('failed', 'interrupted') AND next_attempt IS NULL
         AND (good.ended_at IS NULL OR job_run.ended_at > good.ended_at)
     ) AS failed WHERE place = 1 ORDER BY job`,
  );

/** Codes of attempts that ended with their process. */
export const processEnded = ['process-ended', 'job-suspended'];

export const readProcessEnds = async (connection: Sql): Promise<ReadonlyMap<string, number>> => {
  const rows = await connection.rows(
    `SELECT job_attempt.job, count(*) AS ends FROM job_attempt
     LEFT JOIN (SELECT job, max(started_at) AS started_at FROM job_attempt WHERE state = 'ok' GROUP BY job) AS good
       ON job_attempt.job = good.job
     WHERE code = ANY($codes) AND (good.started_at IS NULL OR job_attempt.started_at > good.started_at)
     GROUP BY job_attempt.job`,
    { codes: processEnded },
  );
  return new Map(rows.map((row) => [text(row, 'job'), wholeNumber(row, 'ends')]));
};

/** The code of an attempt that an ordered stop of its process ended. */
const stopped = 'run-stopped';

export const readOrderedStops = async (connection: Sql): Promise<readonly OrderedStops[]> =>
  readAs(
    connection,
    rowReader({ job: text, slot: millis, stops: wholeNumber }),
    `SELECT job, slot, count(*) AS stops FROM job_attempt WHERE code = $stopped
     GROUP BY job, slot ORDER BY slot, job`,
    { stopped },
  );

export const readGoodEnds = async (connection: Sql): Promise<ReadonlyMap<string, UnixMillis>> => {
  const rows = await connection.rows(
    `SELECT job, max(ended_at) AS ended_at FROM job_run WHERE state = 'ok' GROUP BY job`,
  );
  return new Map(rows.map((row) => [text(row, 'job'), millis(row, 'ended_at')]));
};

export const readGoodThrough = async (connection: Sql, job: string): Promise<UnixMillis | undefined> => {
  const [row] = await connection.rows(
    `SELECT interval_end FROM job_run WHERE job = $job AND state = 'ok' ORDER BY slot DESC LIMIT 1`,
    { job },
  );
  return row === undefined ? undefined : millis(row, 'interval_end');
};

export const readNeverRan = async (
  connection: Sql,
  dueBefore: UnixMillis,
): Promise<ReadonlyMap<string, UnixMillis>> => {
  const rows = await connection.rows(
    `SELECT job, min(slot) AS slot FROM job_run
     WHERE (state = 'missed' OR (state = 'queued' AND next_attempt < $dueBefore))
       AND NOT EXISTS (SELECT 1 FROM job_run AS begun WHERE begun.job = job_run.job AND begun.attempts > 0)
     GROUP BY job`,
    { dueBefore },
  );
  return new Map(rows.map((row) => [text(row, 'job'), millis(row, 'slot')]));
};

const outcomes = rowReader({ job: text, span: wholeNumber, state: label<RunState>(), runs: wholeNumber });

export const readOutcomes = async (
  connection: Sql,
  spans: readonly Interval<UnixMillis>[],
): Promise<readonly RunOutcomes[]> => {
  const rows = await boundRows(
    connection,
    { span: 'BIGINT', start_at: 'BIGINT', end_at: 'BIGINT' },
    spans.map((range, span) => ({ span, ...range })),
    ({ span, start, end }) => ({ span, start_at: start, end_at: end }),
  ).read(
    (table) => `SELECT job, span, state, count(*) AS runs FROM job_run
      JOIN ${table} AS spans ON slot < end_at AND coalesce(through, slot) >= start_at
      GROUP BY job, span, state ORDER BY job, span, state`,
  );
  return rows.map(outcomes);
};
