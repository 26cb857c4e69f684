import { openEmptyTables } from './required-columns.ts';
import type { ResultTable } from './result-table.ts';
import { sqlFault } from './sql-fault.ts';
import type { SqlFault } from './sql-fault.ts';

/** The result columns of a query, or the reason why it is invalid. */
export type BoundQuery =
  | {
      readonly columns: ResultTable['columns'];
      /** As DuckDB's `json_serialize_sql` returns it. */
      readonly tree: unknown;
      readonly fault?: undefined;
    }
  | { readonly columns?: undefined; readonly tree?: undefined; readonly fault: SqlFault };

/**
 * Checks queries of reports against the tables that they may name, without any rows and separate from every warehouse.
 */
export const bindQueries = async (
  queries: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, BoundQuery>> => {
  await using tables = await openEmptyTables();
  const bound = new Map<string, BoundQuery>();
  for (const [name, sql] of queries) {
    try {
      bound.set(name, { columns: await tables.columnsOf(sql), tree: await tables.treeOf(sql) });
    } catch (error) {
      bound.set(name, { fault: sqlFault(sql, error) });
    }
  }
  return bound;
};
