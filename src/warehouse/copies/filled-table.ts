import { fault } from '../../core/index.ts';
import { optionalText, tablesOf, type Sql } from '../../storage/index.ts';
import { schema } from '../schema.ts';

const tables = tablesOf(schema);

/** Tables that are derived from the calls. They may have rows in a database without data: a query also stores days without calls. */
export const derivedTables = tables.filter((table) => table.startsWith('rollup_'));

const anyRow = [...tables, 'mail_file']
  .filter((table) => !derivedTables.includes(table))
  .map((table) => `SELECT '${table}' AS name WHERE EXISTS (SELECT 1 FROM ${table})`)
  .join(' UNION ALL ');

/** A table of the database that has rows; undefined if it holds no data. */
export const filledTable = async (connection: Sql): Promise<string | undefined> => {
  const [row] = await connection.rows(`SELECT min(name) AS name FROM (${anyRow}) AS filled`);
  return optionalText(row, 'name');
};

/** @throws fault restore-not-empty when the database holds data */
export const requireEmpty = async (connection: Sql): Promise<void> => {
  const filled = await filledTable(connection);
  if (filled !== undefined)
    throw fault('restore-not-empty', `the database holds data: its table ${filled} has rows`, {
      advice: 'name an empty database; nothing was changed in this one',
    });
};
