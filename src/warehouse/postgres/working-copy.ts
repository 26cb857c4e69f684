import { unlink } from 'node:fs/promises';
import {
  boundRows,
  optionalText,
  type Bindings,
  type Connection,
  type PostgresConnection,
} from '../../storage/index.ts';
import { accountTables, rowTables, tablesIn, targetOf, type AccountTable } from './account-tables.ts';
import { readColumns, textsIntoDuckDB, textsOfPostgres, type Column } from './csv-rows.ts';
import { copyToDuckDB, requireSame, writeRows, type OutgoingRows } from './copied-rows.ts';

/** The tables of an account as temporary tables of one connection to DuckDB. */
export type WorkingCopy = {
  /** Before a statement runs, the rows of each table that it names are fetched. */
  readonly connection: Connection;
  /**
   * Adds the rows of `from` that match `where`, with `bindings`, to `into`: a table of the account, or one from `emptyLike`.
   * If `columns` is given, only these columns are fetched and the others are NULL.
   */
  readonly fetch: (
    into: string,
    from: string,
    where: string,
    bindings: Bindings,
    columns?: readonly string[],
  ) => Promise<void>;
  /** An empty temporary table with the columns of another one; returns its name. */
  readonly emptyLike: (table: string) => Promise<string>;
  /** Changed tables by name. The value names a table with the rows before the first change, and is empty for `rowTables`. */
  readonly changed: ReadonlyMap<string, string>;
  /** Writes the rows of a query over the columns of a table to a file. */
  readonly write: (table: string, query: string) => Promise<OutgoingRows>;
};

/** The columns of the schema's tables, which no work changes. */
const columns = new Map<string, Promise<readonly Column[]>>();

/** More rows of a table go through a file. */
const mostBound = 1000;

/** `newFile` gives the path of a new file for copied rows. The caller deletes it when the work has ended. */
export const openWorkingCopy = (
  local: Connection,
  stored: PostgresConnection,
  account: string,
  newFile: () => string,
): WorkingCopy => {
  const likes = new Map<string, string>();
  const columnsOf = (table: string): Promise<readonly Column[]> => {
    const name = likes.get(table) ?? table;
    const known = columns.get(name) ?? readColumns(local, table, `'temp'`);
    columns.set(name, known);
    return known.catch((error: unknown) => {
      columns.delete(name);
      throw error;
    });
  };
  const created = new Map<string, Promise<unknown>>();
  const create = ({ name, ddl }: AccountTable): Promise<unknown> => {
    const known = created.get(name) ?? local.execute(ddl.replace('CREATE TABLE', 'CREATE TEMP TABLE'));
    created.set(name, known);
    return known;
  };

  /** Whether there were few enough. */
  const fetchFew = async (
    into: string,
    given: readonly Column[],
    from: string,
    bindings: Bindings,
  ): Promise<boolean> => {
    const rows = await stored.rows(`${textsOfPostgres(given, from)} LIMIT ${mostBound + 1}`, bindings);
    if (rows.length > mostBound) return false;
    const texts = Object.fromEntries(given.map(({ name }) => [name, 'VARCHAR' as const]));
    const bound = boundRows(local, texts, rows, (row) =>
      Object.fromEntries(given.map(({ name }) => [name, optionalText(row, name) ?? null])),
    );
    requireSame(into, rows.length, await bound.execute((table) => textsIntoDuckDB(into, given, table)));
    return true;
  };
  const fetch: WorkingCopy['fetch'] = async (into, from, where, bindings, named) => {
    const own = accountTables.get(into);
    if (own !== undefined) await create(own);
    const given = (await columnsOf(into)).filter(({ name }) => named?.includes(name) ?? true);
    if (!rowTables.has(from) && (await fetchFew(into, given, `${from} WHERE ${where}`, bindings))) return;
    const file = newFile();
    await copyToDuckDB({ local, stored }, into, given, `${from} WHERE ${where}`, bindings, file);
    await unlink(file);
  };

  const fetched = new Map<string, Promise<unknown>>();
  const changed = new Map<string, string>();

  const fetchTable = async (table: AccountTable): Promise<void> => {
    await create(table);
    if (rowTables.has(table.name)) return;
    const before = changed.get(table.name);
    const ofAccount = `${table.account} = $account`;
    if (before === undefined) return fetch(table.name, table.name, ofAccount, { account });
    // Statements have already added rows to the table. The fetched rows are added to them.
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
    write: async (table, query) => writeRows(local, table, await columnsOf(table), query, newFile()),
  };
};

/** Whether a statement names the table more than once. */
const hasOther = (sql: string, table: string): boolean =>
  (sql.match(new RegExp(String.raw`\b${table}\b`, 'g')) ?? []).length > 1;
