import { fault } from '../../core/index.ts';
import {
  loadDuckDB,
  optionalText,
  text,
  type Connection,
  connectionOf,
  type DuckDBInstance,
} from '../../storage/index.ts';
import { reportRelations } from '../report-views/registry.ts';
import { declared } from '../report-views/relation.ts';
import { columnTypes, type ResultTable } from './result-table.ts';
import type { Needs } from './needs.ts';
import { sqlFault } from './sql-fault.ts';

/** The report tables without rows: they show at no cost what a query reads and returns. */
export type EmptyTables = AsyncDisposable & {
  /** @throws the engine's error, with its place as JSON; fault report-query-failed when it is not exactly one SELECT */
  readonly columnsOf: (sql: string) => Promise<ResultTable['columns']>;
  /** The query as the engine's parser reads it; undefined where the parser cannot serialize it. */
  readonly treeOf: (sql: string) => Promise<unknown>;
  /** @throws fault report-query-failed with the place in the query */
  readonly needsOf: (sql: string) => Promise<Needs>;
};

type PlanNode = {
  readonly children?: readonly PlanNode[];
  readonly extra_info?: { readonly Table?: string; readonly Projections?: string | readonly string[] };
};

/**
 * Filters stay separate from scans, so that their columns are listed. No plan is shortened because the tables are
 * empty.
 */
const optimizers =
  'statistics_propagation,empty_result_pullup,filter_pushdown,filter_pullup,regex_range,in_clause';

const add = (node: PlanNode, needs: Map<string, Set<string>>): void => {
  const { Table: table, Projections: projections = [] } = node.extra_info ?? {};
  if (table !== undefined) {
    const name = (table.split('.').at(-1) ?? '').replaceAll('"', '');
    const columns = needs.get(name) ?? new Set<string>();
    for (const column of typeof projections === 'string' ? [projections] : projections)
      if (column !== '') columns.add(column);
    needs.set(name, columns);
  }
  for (const child of node.children ?? []) add(child, needs);
};

/** Everything that a query could read, for queries that have no plan of their own. */
const everything = (names: readonly string[]): Needs =>
  new Map(
    reportRelations
      .filter(({ name }) => names.includes(name))
      .map(({ name, columns }) => [name, new Set(columns.map((column) => column.name))]),
  );

/** The one SELECT of a query. */
const selectIn = async (connection: Connection, sql: string) => {
  if (sql.trim() === '') throw fault('report-query-failed', 'the query is empty');
  const { statements, only } = await connection.describe(sql);
  if (only === undefined)
    throw fault('report-query-failed', `the query contains ${statements} statements instead of one`);
  if (!only.isSelect) throw fault('report-query-failed', 'the query is no SELECT');
  return only;
};

const needsIn = async (connection: Connection, sql: string): Promise<Needs> => {
  try {
    const needs = new Map<string, Set<string>>();
    for (const row of await connection.rows(`EXPLAIN (FORMAT json) ${sql}`))
      for (const node of JSON.parse(text(row, 'explain_value')) as readonly PlanNode[]) add(node, needs);
    return needs;
  } catch {
    return everything(connection.tablesIn(sql));
  }
};

const createEmptyTables = async (): Promise<DuckDBInstance> => {
  const { DuckDBInstance } = loadDuckDB();
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: '128MB',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    temp_directory: '',
  });
  const connection = connectionOf(await instance.connect());
  for (const { name, columns } of reportRelations)
    await connection.execute(`CREATE TABLE ${name} (${declared(columns)})`);
  await connection.execute(`SET GLOBAL disabled_optimizers = '${optimizers}'`);
  await connection.execute(`SET GLOBAL explain_output = 'physical_only'`);
  await connection.execute('SET GLOBAL errors_as_json = true');
  await connection.execute('SET GLOBAL enable_external_access = false');
  await connection.execute('SET GLOBAL lock_configuration = true');
  connection.close();
  return instance;
};

/** One per process: it has no rows, files or threads, and each use has exclusive access. */
let created: Promise<DuckDBInstance> | undefined;

export const openEmptyTables = async (): Promise<EmptyTables> => {
  created ??= createEmptyTables();
  const instance = await created.catch((error: unknown) => {
    created = undefined;
    throw error;
  });
  const connection = connectionOf(await instance.connect());
  return {
    columnsOf: async (sql) => {
      const { columns } = await selectIn(connection, sql);
      const typeOf = columnTypes();
      return columns.map(({ name, type }) => ({ name, type: typeOf(type) }));
    },
    treeOf: async (sql) => {
      const [row] = await connection.rows(
        'SELECT json_serialize_sql($sql::VARCHAR, skip_null := true, skip_empty := true, skip_default := true) AS tree',
        { sql },
      );
      const tree = optionalText(row, 'tree');
      return tree === undefined ? undefined : (JSON.parse(tree) as unknown);
    },
    needsOf: async (sql) => {
      try {
        await selectIn(connection, sql);
      } catch (error) {
        const { line, column, message } = sqlFault(sql, error);
        const place = line === undefined ? '' : `${line}:${column}: `;
        throw fault('report-query-failed', `${place}${message}`, { cause: error });
      }
      return needsIn(connection, sql);
    },
    [Symbol.asyncDispose]: async () => {
      connection.close();
      return Promise.resolve();
    },
  };
};
