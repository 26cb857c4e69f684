import type { ClientBase } from 'pg';
import { copyingOf, type Copying } from './copy.ts';
import type { Bindings, Bound, BoundColumns, BoundRow, Row, Sql } from '../sql.ts';

/** Its type must be known where the statement does not show it, as in coalesce; of NULL it is always taken from there. */
const castOf = (value: Bound | undefined): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return '::bigint';
  if (typeof value === 'boolean') return '::boolean';
  return typeof value === 'string' ? '::text' : '::text[]';
};

/** PostgreSQL stores no NUL in a text. Arrays also hold numbers, as their columns do. */
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
export type PostgresConnection = Sql & Copying;

/** Code that one process alone was written for stays true: transactions of replicas have the effect of some order of them. */
export const begin = 'BEGIN TRANSACTION';
export const serializable = `${begin} ISOLATION LEVEL SERIALIZABLE`;

export const sqlOf = (client: ClientBase): PostgresConnection => {
  const query = (sql: string, bindings: Bindings = {}) => {
    const { text, values } = numbered(sql, bindings);
    return client.query<Readonly<Record<string, unknown>>>(text, [...values]);
  };
  return {
    ...copyingOf(client),
    table,
    execute: async (sql, bindings) =>
      (await query(sql === begin ? serializable : sql, bindings)).rowCount ?? 0,
    rows: async (sql, bindings) =>
      (await query(sql, bindings)).rows.map((row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cellOf(value)])),
      ),
  };
};
