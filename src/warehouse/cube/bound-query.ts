import type { ResultTable } from './result-table.ts';
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
