import {
  archiveFolderOf,
  literal,
  readColumns,
  storableCell,
  tablesOf,
  text,
  type Column,
  type Connection,
  type EngineOptions,
} from '../../storage/index.ts';
import { createFileCheck } from '../archive/archive-files.ts';
import { readMonths } from '../archive/archive-rows.ts';
import { servedByDaySql } from '../logs/served-columns.ts';
import { schema } from '../schema.ts';

/** The rows of a table of a database file as PostgreSQL is to hold them. */
export type OutgoingRelation = {
  readonly table: string;
  readonly from: string;
  readonly columns: readonly Column[];
};

/** The files of the archive that alone hold their calls. @throws fault archive-damaged */
const soleFiles = async (local: Connection, root: string): Promise<readonly string[]> => {
  const check = createFileCheck(root);
  const files: string[] = [];
  for (const row of await local.rows('SELECT DISTINCT account FROM call_archive ORDER BY account'))
    for (const month of await readMonths(local, text(row, 'account')))
      if (month.state === 'sole') {
        await check.require(month);
        files.push(`${root}/${month.file}`);
      }
  return files;
};

/**
 * The relations of a database file for PostgreSQL. Calls include those of the archive, because PostgreSQL has no archive. Calls that
 * landed before `served_columns` was stored get a derived value.
 */
export const outgoingRelations = async (
  local: Connection,
  options: EngineOptions,
): Promise<readonly OutgoingRelation[]> => {
  const files = await soleFiles(local, archiveFolderOf(options));
  const calls =
    files.length === 0
      ? 'call_log'
      : `(SELECT * FROM call_log UNION ALL BY NAME
          SELECT * FROM read_parquet([${files.map(literal).join(', ')}], union_by_name = true, hive_partitioning = false))`;
  await local.execute(`CREATE OR REPLACE TEMP TABLE earlier_day AS ${servedByDaySql(calls)}`);
  await local.execute(
    `CREATE OR REPLACE TEMP VIEW every_call AS
     SELECT calls.* REPLACE (coalesce(calls.served_columns, earlier_day.served) AS served_columns)
     FROM ${calls} AS calls LEFT JOIN earlier_day
       ON earlier_day.account = calls.account AND earlier_day.day = calls.created_at // 86400`,
  );
  const relations: OutgoingRelation[] = [];
  for (const table of tablesOf(schema).filter((name) => name !== 'call_archive')) {
    const columns = await readColumns(local, table, 'current_database()');
    const cells = columns.map((column) => `${storableCell(column)} AS ${column.name}`).join(', ');
    const rows = table === 'call_log' ? 'every_call' : table;
    relations.push({ table, columns, from: `(SELECT ${cells} FROM ${rows}) AS outgoing` });
  }
  return relations;
};
