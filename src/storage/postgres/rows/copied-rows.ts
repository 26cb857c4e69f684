import { fault } from '../../../core/index.ts';
import type { Connection } from '../../duckdb/connection.ts';
import type { PostgresConnection } from '../connection.ts';
import type { CopyBindings } from '../copy.ts';
import { intoDuckDB, outOfDuckDB, outOfPostgres, type Column } from './csv-rows.ts';

/** A file of rows for PostgreSQL. */
export type OutgoingRows = {
  readonly table: string;
  readonly columns: readonly string[];
  readonly file: string;
  /** How many rows DuckDB wrote. */
  readonly rows: number;
};

/** Compares the row counts of both engines: if they differ, rows were lost or stored twice. @throws fault warehouse-failed */
export const requireSame = (table: string, sent: number, stored: number): void => {
  if (sent !== stored)
    throw fault('warehouse-failed', `${sent} rows of ${table} were copied, and ${stored} were stored`, {
      retryHelps: true,
      advice: 'nothing of this step was stored; if it happens again, report it with the log',
    });
};

/** Copies rows of PostgreSQL to a DuckDB table through a file. `from` is the SQL after FROM. Returns the row count. */
export const copyToDuckDB = async (
  { local, stored }: { readonly local: Connection; readonly stored: PostgresConnection },
  into: string,
  columns: readonly Column[],
  from: string,
  bindings: CopyBindings,
  file: string,
): Promise<number> => {
  const { rows, bytes } = await stored.copyOut(outOfPostgres(columns, from), bindings, file);
  requireSame(into, rows, await local.execute(intoDuckDB(into, columns, file, bytes)));
  return rows;
};

/** Writes the rows of a query over a table in DuckDB to a file. */
export const writeRows = async (
  local: Connection,
  table: string,
  columns: readonly Column[],
  query: string,
  file: string,
): Promise<OutgoingRows> => {
  const rows = await local.execute(outOfDuckDB(columns, query, file));
  return { table, columns: columns.map(({ name }) => name), file, rows };
};

/** Adds the rows of a file to their table in PostgreSQL. */
export const copyToPostgres = async (
  stored: PostgresConnection,
  { table, columns, file, rows }: OutgoingRows,
): Promise<void> => {
  requireSame(table, rows, (await stored.copyIn(table, columns, file)).rows);
};
