import type { DuckDBConnection } from '@duckdb/node-api';
import { execute, readRows } from './rows.ts';
import type { Bindings, Row } from './rows.ts';

/** Columns of rows that are handed to the engine, and their types. */
export type BoundColumns = Readonly<Record<string, 'VARCHAR' | 'BIGINT'>>;

export type BoundRow<C extends BoundColumns> = {
  readonly [Name in keyof C]: (C[Name] extends 'BIGINT' ? number : string) | null;
};

/** Bounds what one statement holds in memory; more rows go in by several statements. */
const rowsAtOnce = 10_000;

/** A table of bound lists, one a column, for FROM: any number of rows in one statement. The names are ours, not data. */
const tableOf = (columns: BoundColumns): string => {
  const cells = Object.entries(columns).map(([name, type]) => `CAST(unnest($${name}) AS ${type}) AS ${name}`);
  return `(SELECT ${cells.join(', ')})`;
};

const listsOf = <C extends BoundColumns>(columns: C, rows: readonly BoundRow<C>[]): Bindings =>
  Object.fromEntries(
    Object.keys(columns).map((name) => [
      name,
      rows.map((row) => {
        const value = row[name];
        return value === null || value === undefined ? null : String(value);
      }),
    ]),
  );

/** Statements over many rows at once. `sql` gets the rows as a table expression; with no rows nothing is run. */
export type BoundRows = {
  /** Gives the number of rows changed. */
  readonly execute: (sql: (table: string) => string, others?: Bindings) => Promise<number>;
  readonly read: (sql: (table: string) => string, others?: Bindings) => Promise<readonly Row[]>;
};

export const boundRows = <C extends BoundColumns>(
  connection: DuckDBConnection,
  columns: C,
  rows: readonly BoundRow<C>[],
): BoundRows => {
  const table = tableOf(columns);
  const parts = (): Bindings[] =>
    Array.from({ length: Math.ceil(rows.length / rowsAtOnce) }, (_, part) =>
      listsOf(columns, rows.slice(part * rowsAtOnce, (part + 1) * rowsAtOnce)),
    );
  return {
    execute: async (sql, others = {}) => {
      let changed = 0;
      for (const lists of parts()) changed += await execute(connection, sql(table), { ...lists, ...others });
      return changed;
    },
    read: async (sql, others = {}) => {
      const found: Row[] = [];
      for (const lists of parts())
        for (const row of await readRows(connection, sql(table), { ...lists, ...others })) found.push(row);
      return found;
    },
  };
};
