import type { ClientBase, QueryResult } from 'pg';
import { fault } from '../../core/index.ts';
import { copyingOf, type Copying } from './copy.ts';
import type { Bindings, Bound, BoundColumns, BoundRow, Row, Sql } from '../sql.ts';
import { unwatched, type Backend, type Watch } from './watch.ts';

/**
 * A cast for a bound value, because PostgreSQL cannot always infer the type of a parameter, for example in coalesce.
 * NULL gets no cast: the value has no type from which to choose one.
 */
const castOf = (value: Bound | undefined): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return '::bigint';
  if (typeof value === 'boolean') return '::boolean';
  return typeof value === 'string' ? '::text' : '::text[]';
};

/** PostgreSQL stores no NUL in a text. Other values, such as numbers in arrays, stay unchanged. */
const storable = <T>(value: T): T | string =>
  typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
const bindable = (value: Bound): Bound => (Array.isArray(value) ? value.map(storable) : storable(value));

/** A statement with numbered parameters, `$1`, in place of named ones. */
export const numbered = (
  sql: string,
  bindings: Bindings,
): { readonly text: string; readonly values: readonly Bound[] } => {
  const names: string[] = [];
  const text = sql.replace(/\$([a-z_]\w*)/gi, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}${castOf(bindings[name])}`;
  });
  return { text, values: names.map((name) => bindable(bindings[name] ?? null)) };
};

/** The driver leaves BIGINT and DECIMAL as text. */
const cellOf = (value: unknown): Row[string] => {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean' || typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
};

/** Each column is bound as one array of texts. */
const table = <C extends BoundColumns>(
  columns: C,
  rows: readonly BoundRow<C>[],
): { readonly sql: string; readonly bindings: Bindings } => {
  const cells = Object.entries(columns).map(
    ([name, type]) => `unnest(CAST($${name} AS ${type}[])) AS ${name}`,
  );
  const textsOf = (name: string): readonly string[] =>
    rows.map((row) => row[name] ?? null) as unknown as readonly string[];
  return {
    sql: `(SELECT ${cells.join(', ')})`,
    bindings: Object.fromEntries(Object.keys(columns).map((name) => [name, textsOf(name)])),
  };
};

/** A connection to PostgreSQL, with what only this engine can do. */
export type PostgresConnection = Sql &
  Copying & {
    /**
     * Begins a transaction and returns the row of its first SELECT, which includes `columns` if given. One message
     * carries both statements and no parameters, so `columns` must contain its values as literals.
     */
    readonly begin: (mode: string, columns?: string) => Promise<Row | undefined>;
  };

/** A plain BEGIN becomes `serializable`, so that code written for a single process is also correct with several replicas. */
export const begin = 'BEGIN TRANSACTION';
export const serializable = `${begin} ISOLATION LEVEL SERIALIZABLE`;

type Cells = Readonly<Record<string, unknown>>;

const rowOf = (cells: Cells): Row =>
  Object.fromEntries(Object.entries(cells).map(([name, value]) => [name, cellOf(value)]));

/** A connection whose transactions are read-only. */
export const reading = (connection: PostgresConnection): PostgresConnection => {
  const beginReading: PostgresConnection['begin'] = (mode, columns) =>
    connection.begin(mode.includes('READ ONLY') ? mode : `${mode} READ ONLY`, columns);
  const refuse = (sql: string): void => {
    if (/^\s*(?:INSERT|UPDATE|DELETE)\b/.test(sql))
      throw fault('wrong-use', 'a command that only reads tried to change the database');
  };
  return {
    ...connection,
    begin: beginReading,
    execute: async (sql, bindings) => {
      refuse(sql);
      if (!sql.startsWith(begin)) return connection.execute(sql, bindings);
      await beginReading(sql === begin ? serializable : sql);
      return 0;
    },
    rows: async (sql, bindings) => {
      refuse(sql);
      return connection.rows(sql, bindings);
    },
  };
};

export const sqlOf = (client: ClientBase, watch: Watch = unwatched): PostgresConnection => {
  let begun: Backend | undefined;
  /** The server process of the current transaction; undefined outside a transaction. */
  const backend = (): Backend | undefined => (client.getTransactionStatus() === 'I' ? undefined : begun);
  const query = (sql: string, bindings: Bindings = {}) => {
    const { text, values } = numbered(sql, bindings);
    return watch.during(client, { text, backend: backend() }, () => client.query<Cells>(text, [...values]));
  };
  const beginWith: PostgresConnection['begin'] = async (mode, columns) => {
    const text = `${mode}; SELECT pg_backend_pid() AS backend, now()::text AS begun${columns === undefined ? '' : `, ${columns}`}`;
    // The driver gives a result for each statement.
    const results = (await watch.during(client, { text }, () => client.query(text))) as unknown as [
      QueryResult,
      QueryResult<Cells & { readonly backend: number; readonly begun: string }>,
    ];
    const [row] = results[1].rows;
    if (row === undefined) return undefined;
    begun = { pid: row.backend, begun: row.begun };
    return rowOf(row);
  };
  return {
    ...copyingOf(client, (text, run, isHeldUp) =>
      watch.during(client, { text, backend: backend() }, run, isHeldUp),
    ),
    table,
    begin: beginWith,
    execute: async (sql, bindings) => {
      if (!sql.startsWith(begin)) return (await query(sql, bindings)).rowCount ?? 0;
      await beginWith(sql === begin ? serializable : sql);
      return 0;
    },
    rows: async (sql, bindings) => (await query(sql, bindings)).rows.map(rowOf),
  };
};
