import type { ClientBase } from 'pg';
import type { Engine, Bindings, Sql } from '../../src/storage/index.ts';
import { numbered, sqlOf } from '../../src/storage/postgres/connection.ts';

/** The rows of a statement as PostgreSQL takes them; it never runs a query. */
const { table } = sqlOf({} as ClientBase);

/** A connection to DuckDB that notes each statement as PostgreSQL would get it. */
const noting = <C extends Sql>(connection: C, note: (statement: string) => void): C => {
  const tables = new Map<string, ReturnType<Sql['table']>>();
  const noteSql = (sql: string, bindings: Bindings = {}): void => {
    let portable = sql;
    let bound = bindings;
    for (const [own, its] of tables) {
      if (!sql.includes(own)) continue;
      portable = portable.replaceAll(own, its.sql);
      bound = { ...bound, ...its.bindings };
    }
    note(numbered(portable, bound).text);
  };
  return {
    ...connection,
    table: (columns, rows) => {
      const own = connection.table(columns, rows);
      tables.set(own.sql, table(columns, rows));
      return own;
    },
    execute: (sql, bindings) => {
      noteSql(sql, bindings);
      return connection.execute(sql, bindings);
    },
    rows: (sql, bindings) => {
      noteSql(sql, bindings);
      return connection.rows(sql, bindings);
    },
  };
};

/** The engine, with a note of each statement that is run through it. */
export const withNotes = (engine: Engine, note: (statement: string) => void): Engine => ({
  ...engine,
  state: (work) => engine.state((connection) => work(noting(connection, note))),
  bulk: (work, signal) => engine.bulk((connection) => work(noting(connection, note)), signal),
});
