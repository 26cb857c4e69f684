import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  literal,
  text,
  type Bindings,
  type Connection,
  type PostgresConnection,
} from '../../storage/index.ts';
import { accountTables, rowTables, tablesIn, targetOf, type AccountTable } from './account-tables.ts';

/** A file of rows for PostgreSQL. */
export type OutgoingRows = {
  readonly table: string;
  readonly columns: readonly string[];
  readonly file: string;
};

/** The tables of an account as temporary tables of one connection to DuckDB. */
export type WorkingCopy = {
  /** Before a statement runs, the rows of each table that it names are fetched. */
  readonly connection: Connection;
  /** Adds rows of a table, `$name` as bound, to one with the same columns: one of the account, or one that is like it. */
  readonly fetch: (into: string, from: string, where: string, bindings: Bindings) => Promise<void>;
  /** An empty temporary table with the columns of another one; returns its name. */
  readonly emptyLike: (table: string) => Promise<string>;
  /** The tables that statements have changed, by name; the value holds the rows that were fetched. */
  readonly changed: ReadonlyMap<string, string>;
  /** Writes the rows of a query over the columns of a table to a file. */
  readonly write: (table: string, query: string) => Promise<OutgoingRows>;
};

type Column = { readonly name: string; readonly type: string };

/** Both engines write and read an array as JSON, but only the literal of an array can be copied into one. */
const asOutgoing = ({ name, type }: Column): string =>
  type === 'VARCHAR'
    ? // PostgreSQL stores no NUL in a text.
      `replace(${name}, chr(0), chr(65533))`
    : type === 'VARCHAR[]'
      ? `'{' || array_to_string(list_transform(${name}, lambda one: '"' || replace(replace(one, '\\', '\\\\'), '"', '\\"') || '"'), ',') || '}'`
      : name;
const asStored = ({ name, type }: Column): string => (type === 'VARCHAR[]' ? `to_json(${name})` : name);
const asFetched = ({ name, type }: Column): string =>
  type === 'VARCHAR[]' ? `from_json(${name}, '["VARCHAR"]')` : name;

/** The reader allocates it for each file, most of which are small. */
const bufferOf = (size: number): number => Math.min(Math.max(size + 1, 4096), 33_554_432);

/** Rows of a file as PostgreSQL writes it. Quoted cells may contain line ends, so it is read from its beginning. */
const readerSql = (file: string, size: number, columns: readonly Column[]): string =>
  `read_csv(${literal(file)}, auto_detect = false, header = false, delim = ',', quote = '"', escape = '"', new_line = '\\n',
    nullstr = '\\N', allow_quoted_nulls = false, strict_mode = true, parallel = false, buffer_size = ${bufferOf(size)},
    max_line_size = ${bufferOf(size)},
    columns = {${columns.map(({ name, type }) => `${name}: '${type === 'VARCHAR[]' ? 'VARCHAR' : type}'`).join(', ')}})`;

/** The columns of the schema's tables, which no work changes. */
const columns = new Map<string, Promise<readonly Column[]>>();

const readColumns = async (local: Connection, table: string): Promise<readonly Column[]> =>
  (
    await local.rows(
      `SELECT column_name, data_type FROM duckdb_columns() WHERE database_name = 'temp' AND table_name = $table
       ORDER BY column_index`,
      { table },
    )
  ).map((row) => ({ name: text(row, 'column_name'), type: text(row, 'data_type') }));

/** `folder` is where files lie while rows are copied; it goes with the work. */
export const openWorkingCopy = (
  local: Connection,
  stored: PostgresConnection,
  account: string,
  folder: string,
): WorkingCopy => {
  const likes = new Map<string, string>();
  const columnsOf = (table: string): Promise<readonly Column[]> => {
    const name = likes.get(table) ?? table;
    const known = columns.get(name) ?? readColumns(local, table);
    columns.set(name, known);
    return known.catch((error: unknown) => {
      columns.delete(name);
      throw error;
    });
  };
  let files = 0;
  const newFile = (): string => join(folder, `${(files += 1)}.csv`);

  const created = new Map<string, Promise<unknown>>();
  const create = ({ name, ddl }: AccountTable): Promise<unknown> => {
    const known = created.get(name) ?? local.execute(ddl.replace('CREATE TABLE', 'CREATE TEMP TABLE'));
    created.set(name, known);
    return known;
  };

  const fetch: WorkingCopy['fetch'] = async (into, from, where, bindings) => {
    const own = accountTables.get(into);
    if (own !== undefined) await create(own);
    const given = await columnsOf(into);
    const file = newFile();
    try {
      const rows = await stored.copyOut(
        `SELECT ${given.map(asStored).join(', ')} FROM ${from} WHERE ${where}`,
        bindings,
        file,
      );
      if (rows > 0)
        await local.execute(
          `INSERT INTO ${into} SELECT ${given.map(asFetched).join(', ')} FROM ${readerSql(file, (await stat(file)).size, given)}`,
        );
    } finally {
      await rm(file, { force: true });
    }
  };

  const fetched = new Map<string, Promise<unknown>>();
  const changed = new Map<string, string>();

  const fetchTable = async (table: AccountTable): Promise<void> => {
    await create(table);
    if (rowTables.has(table.name)) return;
    const before = changed.get(table.name);
    const ofAccount = `${table.account} = $account`;
    if (before === undefined) return fetch(table.name, table.name, ofAccount, { account });
    // Rows were added before any was read.
    await fetch(before, table.name, ofAccount, { account });
    await local.execute(`INSERT INTO ${table.name} FROM ${before}`);
  };

  const copyOf = async (table: string, rows: string): Promise<string> => {
    const name = `${table}_${likes.size}`;
    likes.set(name, table);
    await local.execute(`CREATE TEMP TABLE ${name} AS FROM ${table} ${rows}`);
    return name;
  };
  const emptyLike: WorkingCopy['emptyLike'] = async (table) => {
    const like = accountTables.get(table);
    if (like !== undefined) await create(like);
    return copyOf(table, 'LIMIT 0');
  };

  const prepare = async (sql: string): Promise<void> => {
    const target = targetOf(sql);
    for (const table of tablesIn(sql)) {
      const isOnlyAddedTo = target?.name === table.name && target.adds && !hasOther(sql, table.name);
      const ready = isOnlyAddedTo ? create(table) : (fetched.get(table.name) ?? fetchTable(table));
      if (!isOnlyAddedTo) fetched.set(table.name, ready);
      await ready;
      if (target?.name === table.name && !changed.has(table.name) && !rowTables.has(table.name)) {
        changed.set(table.name, await copyOf(table.name, fetched.has(table.name) ? '' : 'LIMIT 0'));
      }
    }
    if (target !== undefined && rowTables.has(target.name)) changed.set(target.name, '');
  };

  return {
    fetch,
    emptyLike,
    changed,
    connection: {
      ...local,
      execute: (sql, bindings) => prepare(sql).then(() => local.execute(sql, bindings)),
      rows: (sql, bindings) => prepare(sql).then(() => local.rows(sql, bindings)),
      stream: (sql, bindings) => prepare(sql).then(() => local.stream(sql, bindings)),
    },
    write: async (table, query) => {
      const given = await columnsOf(table);
      const file = newFile();
      await local.execute(
        `COPY (SELECT ${given.map(asOutgoing).join(', ')} FROM (${query})) TO ${literal(file)}
         (FORMAT csv, HEADER false, NULLSTR '\\N', USE_TMP_FILE false)`,
      );
      return { table, columns: given.map(({ name }) => name), file };
    },
  };
};

/** Whether a statement names the table more than once. */
const hasOther = (sql: string, table: string): boolean =>
  (sql.match(new RegExp(String.raw`\b${table}\b`, 'g')) ?? []).length > 1;
