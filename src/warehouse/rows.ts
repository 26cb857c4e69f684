import type {
  DuckDBConnection,
  DuckDBMaterializedResult,
  DuckDBResult,
  DuckDBType,
  DuckDBValue,
  Json,
} from '@duckdb/node-api';
import { loadDuckDB } from './duckdb.ts';

/** Whole numbers are bound as BIGINT: DOUBLE or HUGEINT would prevent filters from being pushed down into the table. */
export type Bound = string | number | boolean | null | readonly string[];

export type Bindings = Readonly<Record<string, Bound>>;

/** Each number is text: BIGINT and DECIMAL leave the engine with all digits. */
export type Row = Readonly<Record<string, string | boolean | null>>;

const bound = async (
  bindings: Bindings,
): Promise<[Record<string, DuckDBValue>, Record<string, DuckDBType>]> => {
  const { BIGINT, BOOLEAN, LIST, SQLNULL, VARCHAR, listValue } = await loadDuckDB();
  const typeOf = (value: Bound): DuckDBType => {
    if (value === null) return SQLNULL;
    if (typeof value === 'number') return BIGINT;
    if (typeof value === 'boolean') return BOOLEAN;
    return typeof value === 'string' ? VARCHAR : LIST(VARCHAR);
  };
  const valueOf = (value: Bound): DuckDBValue => {
    if (typeof value === 'number') return BigInt(value);
    return value === null || typeof value === 'string' || typeof value === 'boolean'
      ? value
      : listValue([...value]);
  };
  const entries = Object.entries(bindings);
  return [
    Object.fromEntries(entries.map(([name, value]) => [name, valueOf(value)])),
    Object.fromEntries(entries.map(([name, value]) => [name, typeOf(value)])),
  ];
};

/**
 * Prepares and runs one statement. `connection.run` would parse it twice. A prepared statement is not kept for the next
 * run: DuckDB plans with the ranges of the values that a table holds by then, and finds no row that came later.
 */
const run = async (
  connection: DuckDBConnection,
  sql: string,
  bindings: Bindings,
): Promise<DuckDBMaterializedResult> => {
  const [values, types] = await bound(bindings);
  const statement = await connection.prepare(sql);
  try {
    statement.bind(values, types);
    return await statement.run();
  } finally {
    statement.destroySync();
  }
};

/** Runs one statement and returns the number of rows it changed. */
export const execute = async (
  connection: DuckDBConnection,
  sql: string,
  bindings: Bindings = {},
): Promise<number> => (await run(connection, sql, bindings)).rowsChanged;

const cellOf = (value: Json | undefined): Row[string] => {
  if (typeof value === 'number') return String(value);
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? null);
};

/** All rows of a statement, for small results. */
export const readRows = async (
  connection: DuckDBConnection,
  sql: string,
  bindings: Bindings = {},
): Promise<readonly Row[]> => {
  const result = await run(connection, sql, bindings);
  const { JsonDuckDBValueConverter } = await loadDuckDB();
  const names = result.deduplicatedColumnNames();
  const rows: Row[] = [];
  for (let chunk = 0; chunk < result.chunkCount; chunk += 1)
    for (const cells of result.getChunk(chunk).convertRows(JsonDuckDBValueConverter))
      rows.push(Object.fromEntries(names.map((name, column) => [name, cellOf(cells[column])])));
  return rows;
};

/** Rows chunk by chunk, never all of them in memory. */
export const streamRows = async (
  connection: DuckDBConnection,
  sql: string,
  bindings: Bindings = {},
): Promise<DuckDBResult> => connection.stream(sql, ...(await bound(bindings)));

/** The text of a cell that is never NULL. */
export const text = (row: Row | undefined, column: string): string => {
  const value = row?.[column];
  if (value === undefined || value === null) throw new RangeError(`column ${column} is NULL`);
  return String(value);
};

export const optionalText = (row: Row | undefined, column: string): string | undefined => {
  const value = row?.[column];
  return value === undefined || value === null ? undefined : String(value);
};

/** A whole number that is known to be safe: times, counts. */
export const wholeNumber = (row: Row | undefined, column: string): number => {
  const value = Number(text(row, column));
  if (!Number.isSafeInteger(value)) throw new RangeError(`column ${column} is not a safe integer`);
  return value;
};

/** Commits when the work succeeds, rolls back when it throws or its result is not to be kept. */
export const inTransaction = async <T>(
  connection: DuckDBConnection,
  work: (connection: DuckDBConnection) => Promise<T>,
  isKept: (result: T) => boolean = () => true,
): Promise<T> => {
  await connection.run('BEGIN TRANSACTION');
  try {
    const result = await work(connection);
    await connection.run(isKept(result) ? 'COMMIT' : 'ROLLBACK');
    return result;
  } catch (error) {
    // A failed commit has already ended the transaction; the first error is the one to report.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  }
};
