import type { Connection } from '../../storage/index.ts';
import type { BoundQuery } from '../cube/bound-query.ts';
import type { Needs } from '../cube/needs.ts';
import type { ResultTable } from '../cube/result-table.ts';

export type QueryLimits = {
  /** Milliseconds. */
  readonly timeLimit: number;
  /** More rows are a fault: no result is ever truncated. */
  readonly rowLimit: number;
  readonly signal?: AbortSignal | undefined;
};

/** The tables that queries read, in an engine of their own, which nothing else shares. */
export type QueryTables = AsyncDisposable & {
  /** Creates and fills tables with SQL of our own; no query runs at the same time. */
  readonly fill: <T>(work: (connection: Connection) => Promise<T>) => Promise<T>;
  /** Runs one query after statements of our own that define its views. @throws fault report-query-failed */
  readonly run: (views: readonly string[], sql: string, limits: QueryLimits) => Promise<ResultTable>;
};

export type TablesOptions = {
  /** As DuckDB writes it: `512MB`. */
  readonly memoryLimit: string;
  readonly threads: number;
  /** Where the tables can be kept as a file. */
  readonly folder: string;
};

/** Plans and runs the SQL of reports, which others write: it may take any time and any memory. */
export type QueryEngine = AsyncDisposable & {
  /** Without any rows. Never rejects but when the signal is aborted. */
  readonly bind: (sql: string, signal?: AbortSignal) => Promise<BoundQuery>;
  /** @throws fault report-query-failed with the position in the query */
  readonly needs: (sql: string, signal?: AbortSignal) => Promise<Needs>;
  readonly openTables: (options: TablesOptions) => Promise<QueryTables>;
};
