import { unlink } from 'node:fs/promises';
import { fault, groupBy } from '../../../core/index.ts';
import { boundRows } from '../../bound-rows.ts';
import type { Connection } from '../../duckdb/connection.ts';
import type { Writes } from '../../row-store.ts';
import { text, wholeNumber } from '../../sql.ts';
import type { PostgresConnection } from '../connection.ts';
import type { CopyBindings } from '../copy.ts';
import { isRowTable, type accountTablesOf } from '../schema.ts';
import { readColumns, textsIntoDuckDB, textsOfPostgres, type Column } from './csv-rows.ts';
import { copyToDuckDB, requireSame, writeRows, type OutgoingRows } from './copied-rows.ts';

/** The tables of a unit of work, as temporary tables and views of one DuckDB connection, which has no others. */
export type WorkingCopy = {
  readonly connection: Connection;
  /**
   * Copies rows of the PostgreSQL table `from` that match `where` to `into`, which `emptyLike` made or the work writes.
   * If `columns` is given, only these columns are fetched and the others are NULL. Returns the number of rows.
   */
  readonly fetch: (
    into: string,
    from: string,
    where: string,
    bindings: CopyBindings,
    columns?: readonly string[],
  ) => Promise<number>;
  /** An empty table with the columns of another one; returns its name. */
  readonly emptyLike: (table: string) => Promise<string>;
  /** Maps each table that the work writes to the copy of its rows before; to undefined if no row was copied. */
  readonly written: ReadonlyMap<string, string | undefined>;
  /** Writes the rows of `query`, which returns the columns of `table`, to a file. */
  readonly write: (table: string, query: string) => Promise<OutgoingRows>;
};

/** What working copies of one database share. */
export type CopiedSchema = {
  readonly tables: ReturnType<typeof accountTablesOf>;
  /** The columns of tables that were copied before, by the name of the table. */
  readonly columns: Map<string, Promise<readonly Column[]>>;
};

/** The most rows of a table that are copied as bound values. More rows are copied through a file. */
const mostBound = 1000;

/** A table of PostgreSQL and its copy. */
type Named = { readonly name: string; readonly as: string };

/** `newFile` returns the path of a new file. The caller deletes files that are left when the work has ended. */
export const openWorkingCopy = async (
  local: Connection,
  stored: PostgresConnection,
  { account, reads = [], writes }: Writes<string>,
  { tables, columns }: CopiedSchema,
  newFile: () => string,
): Promise<WorkingCopy> => {
  const accountTable = (name: string) => {
    const table = tables.get(name);
    if (table === undefined) throw fault('wrong-use', `the schema has no table ${name} of an account`);
    return table;
  };
  /** Reads the columns of a table from a temporary table that has the same columns. */
  const columnsOf = (name: string, temporary: string): Promise<readonly Column[]> => {
    const known = columns.get(name) ?? readColumns(local, temporary, `'temp'`);
    columns.set(name, known);
    return known.catch((error: unknown) => {
      columns.delete(name);
      throw error;
    });
  };
  const create = async (name: string, as: string): Promise<void> => {
    await local.execute(accountTable(name).ddl.replace(`CREATE TABLE ${name}`, `CREATE TEMP TABLE ${as}`));
  };

  const fetch: WorkingCopy['fetch'] = async (into, from, where, bindings, named) => {
    const given = (await columnsOf(from, into)).filter(({ name }) => named?.includes(name) ?? true);
    const file = newFile();
    const copied = await copyToDuckDB(
      { local, stored },
      into,
      given,
      `${from} WHERE ${where}`,
      bindings,
      file,
    );
    await unlink(file);
    return copied;
  };

  /** Copies all rows of the account from tables, each given with its copy. Returns the number of rows by copy. */
  const fetchWhole = async (copies: readonly Named[]): Promise<ReadonlyMap<string, number>> => {
    const given: (Named & { readonly columns: readonly Column[]; readonly where: string })[] = [];
    for (const one of copies)
      given.push({
        ...one,
        columns: await columnsOf(one.name, one.as),
        where: `${accountTable(one.name).account} = $account`,
      });
    const copied = new Map<string, number>();
    if (given.length === 0) return copied;
    const rows = await stored.rows(
      given
        .map(
          ({ columns, name, where }, nth) =>
            `(${textsOfPostgres(nth, columns, `${name} WHERE ${where}`)} LIMIT ${mostBound + 1})`,
        )
        .join(' UNION ALL '),
      { account },
    );
    const byTable = groupBy(rows, (row) => wholeNumber(row, 'nth'));
    for (const [nth, { as, columns, name, where }] of given.entries()) {
      const few = byTable.get(nth) ?? [];
      if (few.length > mostBound) copied.set(as, await fetch(as, name, where, { account }));
      else {
        const texts = Object.fromEntries(columns.map((column) => [column.name, 'VARCHAR' as const]));
        const bound = boundRows(local, texts, few, (row) => {
          const cells = JSON.parse(text(row, 'cells')) as readonly (string | null)[];
          return Object.fromEntries(columns.map((column, at) => [column.name, cells[at] ?? null]));
        });
        requireSame(as, few.length, await bound.execute((table) => textsIntoDuckDB(as, columns, table)));
        copied.set(as, few.length);
      }
    }
    return copied;
  };

  const read = [...new Set(reads)].filter((name) => !writes.includes(name));
  const copies = [
    ...[...new Set(writes)].map((name) => ({ name, as: name })),
    ...read.map((name) => ({ name, as: `${name}_stored` })),
  ];
  for (const { name, as } of copies) await create(name, as);
  const copied = await fetchWhole(copies.filter(({ name }) => !isRowTable(name)));
  const written = new Map<string, string | undefined>();
  for (const name of new Set(writes)) {
    const before = (copied.get(name) ?? 0) === 0 ? undefined : `${name}_before`;
    if (before !== undefined) await local.execute(`CREATE TEMP TABLE ${before} AS FROM ${name}`);
    written.set(name, before);
  }
  // A view, so that DuckDB refuses statements that change the table.
  for (const name of read) await local.execute(`CREATE TEMP VIEW ${name} AS FROM ${name}_stored`);

  const shapes = new Map<string, Promise<void>>();
  let likes = 0;
  return {
    connection: local,
    fetch,
    emptyLike: async (name) => {
      likes += 1;
      const as = `${name}_${likes}`;
      const shape = shapes.get(name) ?? create(name, `${name}_shape`);
      shapes.set(name, shape);
      await shape;
      // Without the constraints: columns that are not fetched are NULL.
      await local.execute(`CREATE TEMP TABLE ${as} AS FROM ${name}_shape`);
      return as;
    },
    written,
    write: async (table, query) => writeRows(local, table, await columnsOf(table, table), query, newFile()),
  };
};
