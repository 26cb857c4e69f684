import type { DuckDBConnection } from '@duckdb/node-api';
import { boundRows } from '../bound-rows.ts';
import { millis, readAs, rowReader } from '../row-reader.ts';
import { execute, text } from '../rows.ts';
import type { JobOutage } from '../../storage/index.ts';

export const readOutages = async (connection: DuckDBConnection): Promise<readonly JobOutage[]> =>
  readAs(
    connection,
    rowReader({ job: text, slot: millis, openedAt: millis }),
    'SELECT job, slot, opened_at FROM job_outage ORDER BY job',
  );

/**
 * Closes outages before opening others, since a job may recover and fail again between two calls. An open one stays.
 */
export const writeOutages = async (
  connection: DuckDBConnection,
  opened: readonly JobOutage[],
  closed: readonly string[],
): Promise<void> => {
  if (closed.length > 0)
    await execute(connection, 'DELETE FROM job_outage WHERE list_contains($closed, job)', { closed });
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
      WHERE NOT EXISTS (SELECT 1 FROM job_outage AS known WHERE known.job = opened.job)`,
  );
};
