import { unixMillis } from '../../core/index.ts';
import { boundRows } from '../bound-rows.ts';
import { text, wholeNumber, type Sql } from '../sql.ts';
import type { Claim, JobCursor, LedgerRun, RunTrigger } from '../run-ledger.ts';
import { boundKey, boundRun, distinctByKey, keyColumns, keyText, runColumns } from './run-rows.ts';

/** Triggers of requested runs, independent of the schedule. */
const asked: readonly RunTrigger[] = ['hand', 'backfill', 'needed'];

/** Rows of slots that never ran and may become due again. */
const neverRan = `state IN ('missed', 'skipped', 'queued') AND attempts = 0 AND NOT (run_trigger = ANY($asked))`;

/** Removes slots after the moment to which the clock was set back; a row that extends past it ends there. */
const takeBack = async (connection: Sql, claims: readonly Claim[]): Promise<void> => {
  const moments = new Map<string, number>();
  for (const { cursor, reopenedAfter } of claims)
    if (cursor !== undefined && reopenedAfter !== undefined)
      moments.set(cursor.job, Math.min(reopenedAfter, moments.get(cursor.job) ?? reopenedAfter));
  const rows = boundRows(connection, { job: 'VARCHAR', moment: 'BIGINT' }, [...moments], ([job, moment]) => ({
    job,
    moment,
  }));
  await rows.execute(
    (table) => `DELETE FROM job_run USING ${table} AS reopened
      WHERE job_run.job = reopened.job AND job_run.slot > reopened.moment AND ${neverRan}`,
    { asked },
  );
  await rows.execute(
    (table) => `UPDATE job_run SET through = nullif(reopened.moment, job_run.slot) FROM ${table} AS reopened
      WHERE job_run.job = reopened.job AND job_run.slot <= reopened.moment AND job_run.through > reopened.moment
        AND ${neverRan}`,
    { asked },
  );
};

/** A row for a range of slots gives up its first slot to a run that was requested for exactly this slot. */
const giveWay = async (connection: Sql, runs: readonly LedgerRun[]): Promise<void> => {
  const wanted = runs.filter(({ trigger, through }) => asked.includes(trigger) && through === undefined);
  await boundRows(connection, keyColumns, wanted, boundKey).execute(
    (table) => `UPDATE job_run SET slot = job_run.slot + 1 FROM ${table} AS wanted
      WHERE job_run.job = wanted.job AND job_run.slot = wanted.slot AND job_run.through > job_run.slot AND ${neverRan}
        AND NOT EXISTS (SELECT 1 FROM job_run AS next WHERE next.job = wanted.job AND next.slot = wanted.slot + 1)`,
    { asked },
  );
};

const insertRuns = async (connection: Sql, runs: readonly LedgerRun[]): Promise<readonly LedgerRun[]> => {
  const columns = Object.keys(runColumns).join(', ');
  const inserted = await boundRows(connection, runColumns, runs, boundRun).read(
    (table) => `INSERT INTO job_run (${columns}) SELECT ${columns} FROM ${table} AS claimed
      ON CONFLICT (job, slot) DO NOTHING RETURNING job, slot`,
  );
  const fresh = new Set(
    inserted.map((row) => keyText({ job: text(row, 'job'), slot: unixMillis(wholeNumber(row, 'slot')) })),
  );
  return runs.filter((run) => fresh.has(keyText(run)));
};

const cursorColumns = {
  job: 'VARCHAR',
  version: 'BIGINT',
  schedule: 'VARCHAR',
  claimed_through: 'BIGINT',
} as const;

const moveCursors = async (connection: Sql, cursors: readonly JobCursor[]): Promise<void> => {
  const byJob = new Map(cursors.map((cursor) => [cursor.job, cursor]));
  const rows = boundRows(connection, cursorColumns, [...byJob.values()], ({ claimedThrough, ...rest }) => ({
    ...rest,
    claimed_through: claimedThrough,
  }));
  await rows.execute(
    (table) => `INSERT INTO job_cursor (job, version, schedule, claimed_through)
      SELECT job, version, schedule, claimed_through FROM ${table} AS moved
      ON CONFLICT (job) DO UPDATE SET version = excluded.version, schedule = excluded.schedule,
        claimed_through = excluded.claimed_through`,
  );
};

/** Run it within a transaction of the caller. Returns the new rows. */
export const writeClaims = async (
  connection: Sql,
  claims: readonly Claim[],
): Promise<readonly LedgerRun[]> => {
  const runs = distinctByKey(claims.flatMap((claim) => claim.runs));
  await takeBack(connection, claims);
  await giveWay(connection, runs);
  const fresh = await insertRuns(connection, runs);
  await moveCursors(
    connection,
    claims.flatMap(({ cursor }) => (cursor === undefined ? [] : [cursor])),
  );
  return fresh;
};
