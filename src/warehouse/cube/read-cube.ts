import type { DuckDBConnection } from '@duckdb/node-api';
import { createGate, fault, isFault, messageOf } from '../../core/index.ts';
import { loadDuckDB } from '../duckdb.ts';
import type { Clock } from '../../core/index.ts';
import type { ReadCalls } from '../archive/archive.ts';
import type { Engine, EngineOptions } from '../engine.ts';
import { interruptOn } from '../interrupt.ts';
import { reportViews } from '../report-views/registry.ts';
import { execute } from '../rows.ts';
import { valueOfServed } from '../spend.ts';
import { cellsOf, planAggregates, serves } from './aggregates.ts';
import type { AggregatesPlan } from './aggregates.ts';
import type { CubeFacts, CubeQuery, CubeRequest } from './cube-request.ts';
import { materializeCalls, materializeAggregates, materializeView, namesLeft } from './materialize.ts';
import type { Gathering } from './materialize.ts';
import { openEmptyTables } from './required-columns.ts';
import type { Needs } from './needs.ts';
import { createTimeTables, showCalls, showAggregates } from './report-tables.ts';
import { resultTable } from './result-table.ts';
import type { ResultTable } from './result-table.ts';
import { readServices } from './services.ts';
import { timelineOf } from './timeline.ts';

const failed = (message: string, cause?: unknown) =>
  fault('report-query-failed', message, cause === undefined ? {} : { cause });

const checkCurrency = ({ account, currency }: CubeRequest, available: string | undefined): void => {
  if (currency !== undefined && available !== undefined && currency !== available)
    throw fault(
      'export-currency-changed',
      `the account ${account} has amounts in ${available}, but the request is in ${currency}`,
    );
};

type Limits = {
  readonly timeLimit: number;
  readonly rowLimit: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
};

const runQuery = async (connection: DuckDBConnection, sql: string, limits: Limits): Promise<ResultTable> => {
  using tooLong = limits.clock.limit(limits.timeLimit);
  // Two separate watches: a combined signal would stay attached to the run's signal for as long as that exists.
  using _late = interruptOn(connection, tooLong.signal);
  using _stopped = limits.signal === undefined ? undefined : interruptOn(connection, limits.signal);
  try {
    // Reading one row more than allowed detects an excess.
    const reader = await connection.streamAndReadUntil(sql, limits.rowLimit + 1);
    if (reader.currentRowCount > limits.rowLimit)
      throw failed(`the query returns more than ${limits.rowLimit} rows`);
    return await resultTable(reader, limits.rowLimit);
  } catch (error) {
    limits.signal?.throwIfAborted();
    if (tooLong.signal.aborted)
      throw failed(`the query exceeded its time limit of ${limits.timeLimit} ms`, error);
    if (isFault(error)) throw error;
    throw failed(messageOf(error).split('\n').slice(0, 4).join(' ').trim(), error);
  }
};

/** What has been copied so far. */
type Materialized = {
  readonly cells: { readonly table: string; readonly plan: AggregatesPlan }[];
  readonly calls: { readonly table: string; readonly columns: ReadonlySet<string> }[];
  readonly views: Set<string>;
};

const holdsAll = (available: ReadonlySet<string>, asked: ReadonlySet<string>): boolean =>
  [...asked].every((name) => available.has(name));

const materializeFor = async (
  all: readonly Needs[],
  gathering: Gathering,
  { cells, calls, views }: Materialized,
): Promise<void> => {
  const plans = all.flatMap((needs) => cellsOf(needs) ?? []);
  const missing = plans.filter((plan) => !cells.some((available) => serves(available.plan, plan)));
  for (const plan of planAggregates(missing)) {
    const table = `cells_${cells.length}`;
    await materializeAggregates(gathering, table, plan);
    cells.push({ table, plan });
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
    await materializeCalls(gathering, table, available);
    calls.push({ table, columns: available });
  }
  for (const view of reportViews)
    if (!views.has(view.name) && all.some((needs) => needs.has(view.name))) {
      views.add(view.name);
      await materializeView(gathering, view);
    }
};

const show = async (
  connection: DuckDBConnection,
  needs: Needs,
  { cells, calls }: Materialized,
): Promise<void> => {
  const plan = cellsOf(needs);
  const available = plan === undefined ? undefined : cells.find((one) => serves(one.plan, plan));
  if (available !== undefined) await showAggregates(connection, available.table, available.plan);
  const asked = needs.get('calls');
  const copied = asked === undefined ? undefined : calls.find(({ columns }) => holdsAll(columns, asked));
  if (copied !== undefined) await showCalls(connection, copied.table, copied.columns);
};

/**
 * Copies what the queries read into a separate in-memory engine without file access, and runs them there, so that a
 * report's SQL cannot access anything else of the warehouse. Announced queries see one state of the warehouse.
 */
export const readCube = async <T>(
  engine: Engine,
  readCalls: ReadCalls,
  options: EngineOptions,
  clock: Clock,
  request: CubeRequest,
  use: (query: CubeQuery, facts: CubeFacts) => Promise<T>,
): Promise<T> => {
  await using empty = await openEmptyTables();
  const { DuckDBInstance } = await loadDuckDB();
  const apart = await DuckDBInstance.create(':memory:', {
    memory_limit: options.memoryLimit,
    threads: String(options.threads),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    // SQL could access a temp folder; the engine is small enough to work without one.
    temp_directory: '',
  });
  try {
    const connection = await apart.connect();
    const timeline = timelineOf(request.periods);
    await createTimeTables(connection, timeline);
    await execute(connection, 'SET enable_external_access = false');
    await execute(connection, 'SET lock_configuration = true');
    const materialized: Materialized = { cells: [], calls: [], views: new Set() };
    const now = request.run?.now ?? clock.now();
    const materialize = async (all: readonly Needs[]): Promise<CubeFacts> =>
      engine.bulk(async (source) => {
        const { value, form, currency, asked, isProven } = await valueOfServed(source, request.account);
        checkCurrency(request, asked);
        const served = { value, inUnits: isProven && form === 'units', isProven };
        // Other amounts of the report use the currency of the stored amounts.
        const stored = currency === undefined ? request : { ...request, currency };
        await readCalls(source, request.account, async (callsIn) => {
          const services = await readServices(source, request.account);
          const deps = {
            source,
            target: connection,
            callsIn,
            request: stored,
            timeline,
            served,
            now,
            services,
          };
          const gathering = { ...deps, left: await namesLeft(deps) };
          await materializeFor(all, gathering, materialized);
        });
        return { amounts: form, currency, isProven };
      }, request.signal);

    const known = new Map<string, Needs>();
    const needsOf = async (sql: string): Promise<Needs> => {
      const needs = known.get(sql) ?? (await empty.needsOf(sql));
      known.set(sql, needs);
      return needs;
    };
    const announced: Needs[] = [];
    // An invalid query reports its error when it runs.
    for (const sql of request.queries ?? []) announced.push(await needsOf(sql).catch((): Needs => new Map()));
    const facts = await materialize(announced);
    const limits = {
      timeLimit: request.timeLimit ?? 60_000,
      rowLimit: request.rowLimit ?? 100_000,
      clock,
      signal: request.signal,
    };
    const oneAtATime = createGate(1);
    const query: CubeQuery = async (sql) =>
      oneAtATime(async () => {
        const needs = await needsOf(sql);
        if (!(request.queries ?? []).includes(sql)) await materialize([needs]);
        await show(connection, needs, materialized);
        return runQuery(connection, sql, limits);
      });
    return await use(query, facts);
  } finally {
    apart.closeSync();
  }
};
