import { bytesOf, createGate, fault, megabytesText, type Clock } from '../../core/index.ts';
import { inTransaction, type Connection, type EngineOptions } from '../../storage/index.ts';
import type { AccountStore, AccountTable } from '../schema.ts';
import type { ReportView } from '../report-views/view.ts';
import type { QueryEngine } from '../queries/query-engine.ts';
import type { RefreshRollup } from '../rollup/refresh.ts';
import { reportViews } from '../report-views/registry.ts';
import { valueOfServed } from '../spend.ts';
import { cellsOf, planAggregates, serves, type AggregatesPlan } from './aggregates.ts';
import type { CubeFacts, CubeQuery, CubeRequest } from './cube-request.ts';
import {
  materializeCalls,
  materializeAggregates,
  materializeView,
  openLeft,
  type CubeBuild,
} from './materialize.ts';
import type { Needs } from './needs.ts';
import { callsView, createTimeTables, cubeView } from './report-tables.ts';
import { sumsTables } from './read-sums.ts';
import { readServices } from './services.ts';
import { timelineOf } from './timeline.ts';

const checkCurrency = ({ account, currency }: CubeRequest, available: string | undefined): void => {
  if (currency !== undefined && available !== undefined && currency !== available)
    throw fault(
      'export-currency-changed',
      `the account ${account} has amounts in ${available}, but the request is in ${currency}`,
    );
};

/** What has been copied so far. */
type Materialized = {
  readonly cells: { readonly table: string; readonly plan: AggregatesPlan; readonly rows: number }[];
  readonly calls: { readonly table: string; readonly columns: ReadonlySet<string> }[];
  readonly views: Set<string>;
};

const holdsAll = (available: ReadonlySet<string>, asked: ReadonlySet<string>): boolean =>
  [...asked].every((name) => available.has(name));

const viewsFor = (all: readonly Needs[], { views }: Materialized): readonly ReportView[] =>
  reportViews.filter(({ name }) => !views.has(name) && all.some((needs) => needs.has(name)));

/** The tables from which `materializeFor` copies. */
const readsOf = (all: readonly Needs[], materialized: Materialized): readonly AccountTable[] => [
  ...sumsTables,
  ...viewsFor(all, materialized).flatMap(({ reads = [] }) => reads),
];

const materializeFor = async (
  all: readonly Needs[],
  build: CubeBuild,
  materialized: Materialized,
): Promise<void> => {
  const { cells, calls, views } = materialized;
  const plans = all.flatMap((needs) => cellsOf(needs) ?? []);
  const missing = plans.filter((plan) => !cells.some((available) => serves(available.plan, plan)));
  for (const plan of planAggregates(missing)) {
    const table = `cells_${cells.length}`;
    const rows = await materializeAggregates(build, table, plan);
    cells.push({ table, plan, rows });
  }
  const columns = new Set(all.flatMap((needs) => [...(needs.get('calls') ?? [])]));
  if (
    all.some((needs) => needs.has('calls')) &&
    !calls.some((available) => holdsAll(available.columns, columns))
  ) {
    const table = `calls_${calls.length}`;
    const available = new Set([
      ...columns,
      'created_at',
      'model_name',
      'token_name',
      'kind',
      'spend',
      'amount',
    ]);
    await materializeCalls(build, table, available);
    calls.push({ table, columns: available });
  }
  for (const view of viewsFor(all, materialized)) {
    views.add(view.name);
    await materializeView(build, view);
  }
};

const smallest = <T extends { readonly rows: number }>(tables: readonly T[]): T | undefined =>
  tables.toSorted((left, right) => left.rows - right.rows)[0];

/** The views through which a query with these needs reads what was copied. */
const viewsOf = (needs: Needs, { cells, calls }: Materialized): readonly string[] => {
  const plan = cellsOf(needs);
  const available = plan === undefined ? undefined : smallest(cells.filter((one) => serves(one.plan, plan)));
  const asked = needs.get('calls');
  const copied = asked === undefined ? undefined : calls.find(({ columns }) => holdsAll(columns, asked));
  return [
    ...(available === undefined ? [] : [cubeView(available.table, available.plan)]),
    ...(copied === undefined ? [] : [callsView(copied.table, copied.columns)]),
  ];
};

/**
 * Copies what the queries read into tables of their own, without file access, and runs them there, so that a report's
 * SQL cannot access anything else of the warehouse. Announced queries see one state of the warehouse.
 */
export const readCube = async <T>(
  rowStore: AccountStore,
  queries: QueryEngine,
  refresh: RefreshRollup,
  options: EngineOptions,
  clock: Clock,
  request: CubeRequest,
  use: (query: CubeQuery, facts: CubeFacts) => Promise<T>,
): Promise<T> => {
  const { threads, spoolDirectory: folder } = options;
  const allowed = options.queryMemory ?? options.memoryLimit;
  const memoryLimit = request.yields === true ? megabytesText(bytesOf(allowed) / 2) : allowed;
  await using tables = await queries.openTables({ memoryLimit, threads, folder });
  const timeline = timelineOf(request.periods);
  const zone = request.zone ?? 'UTC';
  for (const range of timeline.ranges)
    await refresh({ account: request.account, zone, range }, request.signal);
  const materialized: Materialized = { cells: [], calls: [], views: new Set() };
  const now = request.run?.now ?? clock.now();
  /** In one transaction: each one that ends writes to the file of the tables. */
  const fill = <T>(work: (target: Connection) => Promise<T>): Promise<T> =>
    tables.fill(async (connection) => inTransaction(connection, work));
  const materialize = async (target: Connection, all: readonly Needs[]): Promise<CubeFacts> =>
    rowStore.read(
      { account: request.account, reads: readsOf(all, materialized) },
      async (rows) => {
        const { connection: source } = rows;
        const { value, form, currency, asked, isProven } = await valueOfServed(source, request.account);
        checkCurrency(request, asked);
        const served = { value, inUnits: isProven && form === 'units', isProven };
        // Other amounts of the report use the currency of the stored amounts.
        const stored = currency === undefined ? request : { ...request, currency };
        const services = await readServices(source, request.account);
        const deps = { source, target, request: stored, timeline, served, now, services };
        const build = { ...deps, ...(await openLeft(deps, rows, zone)) };
        await materializeFor(all, build, materialized);
        return { amounts: form, currency, isProven };
      },
      request.signal,
    );

  const needsOf = async (sql: string): Promise<Needs> => queries.needs(sql, request.signal);
  const announced: Needs[] = [];
  // An invalid query reports its error when it runs.
  for (const sql of request.queries ?? []) announced.push(await needsOf(sql).catch((): Needs => new Map()));
  const facts = await fill(async (target) => {
    await createTimeTables(target, timeline);
    return materialize(target, announced);
  });
  const limits = {
    timeLimit: request.timeLimit ?? 60_000,
    rowLimit: request.rowLimit ?? 100_000,
    signal: request.signal,
  };
  const oneAtATime = createGate(1);
  const query: CubeQuery = async (sql) =>
    oneAtATime(async () => {
      const needs = await needsOf(sql);
      if (!(request.queries ?? []).includes(sql)) await fill(async (target) => materialize(target, [needs]));
      return tables.run(viewsOf(needs, materialized), sql, limits);
    });
  return await use(query, facts);
};
