import type { Interval, UnixSeconds } from '../core/index.ts';

/** Whole numbers are bound as BIGINT: DOUBLE or HUGEINT would prevent filters from being pushed down into the table. */
export type Bound = string | number | boolean | null | readonly string[];

/** By the name of the parameter, `$name` in the statement. */
export type Bindings = Readonly<Record<string, Bound>>;

/** Each number is text: BIGINT and DECIMAL leave the engine with all digits. */
export type Row = Readonly<Record<string, string | boolean | null>>;

/** Columns of rows that are bound for a statement, and their types. */
export type BoundColumns = Readonly<Record<string, 'VARCHAR' | 'BIGINT'>>;

export type BoundRow<C extends BoundColumns> = {
  readonly [Name in keyof C]: (C[Name] extends 'BIGINT' ? number : string) | null;
};

/** A connection to an engine, which runs one statement after another. */
export type Sql = {
  /** Runs one statement and returns the number of rows it changed. */
  readonly execute: (sql: string, bindings?: Bindings) => Promise<number>;
  /** All rows of a statement, for small results. */
  readonly rows: (sql: string, bindings?: Bindings) => Promise<readonly Row[]>;
  /** Rows as a table for FROM, and what is bound for it. The names of columns come from code, not from data. */
  readonly table: <C extends BoundColumns>(
    columns: C,
    rows: readonly BoundRow<C>[],
  ) => { readonly sql: string; readonly bindings: Bindings };
};

/** Rows in a form that only connections to the same engine understand. */
export type RowChunk = { readonly rowCount: number };

/** A connection whose rows can be copied to another one of its engine, never all of them in memory. */
export type RowSource = Sql & {
  readonly stream: (sql: string, bindings?: Bindings) => AsyncIterable<RowChunk>;
};

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

/** Whole seconds of an expression in milliseconds: engines disagree on how `/` divides whole numbers. */
export const secondsOf = (millis: string): string => `CAST(floor((${millis}) / 1000.0) AS BIGINT)`;

/** An engine that holds state in tables. */
export type StateEngine = {
  /** Short statements on small state, one piece of work after another: concurrent updates of a row would conflict. */
  readonly state: <T>(work: (connection: Sql) => Promise<T>) => Promise<T>;
  /** Long work beside others. A signal interrupts the running statement. */
  readonly bulk: <T>(work: (connection: Sql) => Promise<T>, signal?: AbortSignal) => Promise<T>;
};

/** Commits when the work succeeds, rolls back when it throws or its result is not to be kept. */
export const inTransaction = async <Connection extends Sql, T>(
  connection: Connection,
  work: (connection: Connection) => Promise<T>,
  isKept: (result: T) => boolean = () => true,
): Promise<T> => {
  await connection.execute('BEGIN TRANSACTION');
  try {
    const result = await work(connection);
    await connection.execute(isKept(result) ? 'COMMIT' : 'ROLLBACK');
    return result;
  } catch (error) {
    // A failed commit has already ended the transaction; the first error is the one to report.
    await connection.execute('ROLLBACK').catch(() => undefined);
    throw error;
  }
};

/** A name as an SQL identifier; SQL ends at a NUL. */
export const identifier = (name: string): string =>
  `"${name.replaceAll('\0', '\uFFFD').replaceAll('"', '""')}"`;

/** A text as an SQL literal, for the few places where DuckDB accepts no bound values: settings and views. */
export const literal = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** Whether a time is in one of the ranges. The numbers in the SQL come from code. */
export const within = (column: string, ranges: readonly Interval<UnixSeconds>[]): string =>
  ranges.length === 0
    ? 'false'
    : `(${ranges.map(({ start, end }) => `${column} >= ${start} AND ${column} < ${end}`).join(' OR ')})`;
