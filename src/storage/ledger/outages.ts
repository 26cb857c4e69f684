import { boundRows } from '../bound-rows.ts';
import { millis, readAs, rowReader } from '../row-reader.ts';
import { putEntries } from '../outbox-table.ts';
import { text, type Sql } from '../sql.ts';
import type { JobOutage, LedgerRun, OutageChange } from '../run-ledger.ts';
import { boundKey, distinctByKey, keyColumns, runOf } from './run-rows.ts';

export const readOutages = async (connection: Sql): Promise<readonly JobOutage[]> =>
  readAs(
    connection,
    rowReader({ job: text, slot: millis, openedAt: millis }),
    'SELECT job, slot, opened_at FROM job_outage ORDER BY job',
  );

export const readEvents = async (connection: Sql): Promise<readonly LedgerRun[]> =>
  readAs(
    connection,
    runOf,
    `SELECT * FROM job_run WHERE event IS NOT NULL
     ORDER BY coalesce(ended_at, started_at, claimed_at), slot, job`,
  );

/**
 * Closes outages before opening others, since a job may recover and fail again between two calls. An open one stays.
 */
export const writeOutages = async (
  connection: Sql,
  { opened, closed, noted, mails }: OutageChange,
): Promise<void> => {
  if (closed.length > 0)
    await connection.execute('DELETE FROM job_outage WHERE job = ANY($closed)', { closed });
  const byJob = new Map(opened.toReversed().map((outage) => [outage.job, outage]));
  await boundRows(
    connection,
    { job: 'VARCHAR', slot: 'BIGINT', opened_at: 'BIGINT' },
    [...byJob.values()],
    ({ job, slot, openedAt }) => ({ job, slot, opened_at: openedAt }),
  ).execute(
    (
      table,
    ) => `INSERT INTO job_outage (job, slot, opened_at) SELECT job, slot, opened_at FROM ${table} AS opened
      ON CONFLICT (job) DO NOTHING`,
  );
  await boundRows(connection, keyColumns, distinctByKey(noted), boundKey).execute(
    (table) => `UPDATE job_run SET event = NULL FROM ${table} AS noted
      WHERE job_run.job = noted.job AND job_run.slot = noted.slot`,
  );
  await putEntries(connection, mails);
};
