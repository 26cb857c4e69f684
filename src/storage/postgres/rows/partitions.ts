import type { Month } from '../../../core/index.ts';
import { inTransaction, text } from '../../sql.ts';
import type { PostgresConnection } from '../connection.ts';

/** The names of the monthly partitions of `call_log`. Copying one partition at a time limits the size of the files. */
export const partitionsOf = async (stored: PostgresConnection): Promise<readonly string[]> =>
  (
    await stored.rows(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'call_log'::regclass ORDER BY name`,
    )
  ).map((row) => text(row, 'name'));

/** Creates a table and attaches it as a partition: CREATE TABLE ... PARTITION OF would wait for all readers of the calls. */
export const createPartition = async (stored: PostgresConnection, { name, range }: Month): Promise<void> => {
  const table = `call_log_${name.replace('-', '_')}`;
  const known = await stored.rows('SELECT 1 AS found FROM pg_class WHERE oid = to_regclass($table)', {
    table,
  });
  if (known.length > 0) return;
  await inTransaction(stored, async () => {
    await stored.execute(`CREATE TABLE ${table} (LIKE call_log INCLUDING ALL)`);
    await stored.execute(
      `ALTER TABLE call_log ATTACH PARTITION ${table} FOR VALUES FROM (${range.start}) TO (${range.end})`,
    );
  });
};
