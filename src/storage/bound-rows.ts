import type { Bindings, BoundColumns, BoundRow, Row, Sql } from './sql.ts';

/** Limits the memory of one statement; more rows take several statements. */
const rowsAtOnce = 10_000;

/** Statements over many rows at once. `sql` receives the rows as a table expression; without rows nothing runs. */
export type BoundRows = {
  /** Returns the number of rows changed. */
  readonly execute: (sql: (table: string) => string, others?: Bindings) => Promise<number>;
  readonly read: (sql: (table: string) => string, others?: Bindings) => Promise<readonly Row[]>;
  /** Inserts the rows into a table with columns of the same names. */
  readonly insert: (into: string) => Promise<number>;
};

export const boundRows = <C extends BoundColumns, T>(
  connection: Sql,
  columns: C,
  values: readonly T[],
  rowOf: (value: T) => BoundRow<C>,
): BoundRows => {
  const parts = function* () {
    for (let from = 0; from < values.length; from += rowsAtOnce)
      yield connection.table(columns, values.slice(from, from + rowsAtOnce).map(rowOf));
  };
  const execute: BoundRows['execute'] = async (sql, others = {}) => {
    let changed = 0;
    for (const { sql: table, bindings } of parts())
      changed += await connection.execute(sql(table), { ...bindings, ...others });
    return changed;
  };
  const names = Object.keys(columns).join(', ');
  return {
    execute,
    insert: (into) =>
      execute((table) => `INSERT INTO ${into} (${names}) SELECT ${names} FROM ${table} AS added`),
    read: async (sql, others = {}) => {
      const found: Row[] = [];
      for (const { sql: table, bindings } of parts())
        for (const row of await connection.rows(sql(table), { ...bindings, ...others })) found.push(row);
      return found;
    },
  };
};
