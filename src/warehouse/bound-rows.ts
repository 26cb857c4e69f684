import type { DuckDBConnection } from '@duckdb/node-api';
import { execute, readRows, type Bindings, type Row } from './rows.ts';

/** Columns of rows that are bound for the engine, and their types. */
export type BoundColumns = Readonly<Record<string, 'VARCHAR' | 'BIGINT'>>;

export type BoundRow<C extends BoundColumns> = {
  readonly [Name in keyof C]: (C[Name] extends 'BIGINT' ? number : string) | null;
};

/** Limits the memory of one statement; more rows take several statements. */
const rowsAtOnce = 10_000;

/**
 * A table of bound columns, for FROM: any number of rows in one statement. Each column is one JSON text, which binds
 * four times faster than a list. The names come from code, not from data.
 */
const tableOf = (columns: BoundColumns): string => {
  const cells = Object.entries(columns).map(
    ([name, type]) => `unnest(from_json($${name}, '["${type}"]')) AS ${name}`,
  );
  return `(SELECT ${cells.join(', ')})`;
};

/**
 * A text that is cut in the middle of a character ends with half a surrogate pair, which the engine rejects in JSON.
 */
const wellFormed = (value: string | number | null | undefined): string | number | null =>
  typeof value === 'string' ? value.replace(/\p{Surrogate}/gu, '\uFFFD') : (value ?? null);

const textsOf = <C extends BoundColumns>(columns: C, rows: readonly BoundRow<C>[]): Bindings =>
  Object.fromEntries(
    Object.keys(columns).map((name) => [name, JSON.stringify(rows.map((row) => wellFormed(row[name])))]),
  );

/** Statements over many rows at once. `sql` receives the rows as a table expression; without rows nothing runs. */
export type BoundRows = {
  /** Returns the number of rows changed. */
  readonly execute: (sql: (table: string) => string, others?: Bindings) => Promise<number>;
  readonly read: (sql: (table: string) => string, others?: Bindings) => Promise<readonly Row[]>;
};

export const boundRows = <C extends BoundColumns, T>(
  connection: DuckDBConnection,
  columns: C,
  values: readonly T[],
  rowOf: (value: T) => BoundRow<C>,
): BoundRows => {
  const table = tableOf(columns);
  const parts = function* (): Generator<Bindings> {
    for (let from = 0; from < values.length; from += rowsAtOnce)
      yield textsOf(columns, values.slice(from, from + rowsAtOnce).map(rowOf));
  };
  return {
    execute: async (sql, others = {}) => {
      let changed = 0;
      for (const texts of parts()) changed += await execute(connection, sql(table), { ...texts, ...others });
      return changed;
    },
    read: async (sql, others = {}) => {
      const found: Row[] = [];
      for (const texts of parts())
        for (const row of await readRows(connection, sql(table), { ...texts, ...others })) found.push(row);
      return found;
    },
  };
};
