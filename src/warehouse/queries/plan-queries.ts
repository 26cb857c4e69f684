import type { BoundQuery } from '../cube/bound-query.ts';
import type { Needs } from '../cube/needs.ts';
import { openEmptyTables } from '../cube/required-columns.ts';
import { sqlFault } from '../cube/sql-fault.ts';

/** Checks a query against the tables that it may name, without any rows and separate from every warehouse. */
export const bindQuery = async (sql: string): Promise<BoundQuery> => {
  await using tables = await openEmptyTables();
  try {
    return { columns: await tables.columnsOf(sql), tree: await tables.treeOf(sql) };
  } catch (error) {
    return { fault: sqlFault(sql, error) };
  }
};

/** @throws fault report-query-failed with the position in the query */
export const needsOfQuery = async (sql: string): Promise<Needs> => {
  await using tables = await openEmptyTables();
  return await tables.needsOf(sql);
};
