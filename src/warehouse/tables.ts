import type { FileHandle } from 'node:fs/promises';
import {
  bytesOf,
  createGate,
  interval,
  unixSeconds,
  type Deps,
  type Interval,
  type Money,
  type NamedGates,
  type UnixSeconds,
} from '../core/index.ts';
import { spoolPrefix } from './spool-prefix.ts';
import type { CubeFacts, CubeQuery, CubeRequest } from './cube/cube-request.ts';
import { openGatewayClocks, type GatewayClocks } from './clocks/gateway-clocks.ts';
import { createClosedMonths, type ClosedMonths } from './closed/closed-months.ts';
import { bindWith, type BindQueries } from './queries/bind-queries.ts';
import { readCube } from './cube/read-cube.ts';
import { rangesOf, readSums, sumsTables, type Sums, type SumsRequest } from './cube/read-sums.ts';
import { hoursTables, rangesOfHours, readHours, type Hours, type HoursRequest } from './cube/read-hours.ts';
import {
  compareWithPrices,
  fitLog,
  priceTables,
  unitOf,
  type FitRequest,
  type FittedLog,
  type LogPrices,
  type PricedQuarter,
} from './prices/fit-log.ts';
import type { ComparisonTable } from './comparisons/comparison.ts';
import { createComparisonTable } from './comparisons/comparison-table.ts';
import type { ArchiveReader } from './archive/archive-access.ts';
import type { AlertTable } from './alerts/alert-table.ts';
import { createAlertTable } from './alerts/create-alert-table.ts';
import { createBackupLog, type BackupLog } from './backup/backup-log.ts';
import type { DatabaseFacts } from './backup/database-facts.ts';
import type { CopyTarget, DatabaseCopy } from './backup/database-copy.ts';
import type { ArchiveTable } from './archive/archive-table.ts';
import {
  type MailStore,
  type ServerState,
  type StateEngine,
  type Engine,
  type RunLedger,
  type OutboxTable,
  createOutbox,
  createRunLedger,
} from '../storage/index.ts';
import { createKeyTable } from './keys/create-key-table.ts';
import type { KeyTable } from './keys/key-table.ts';
import { createAskedQueries } from './queries/asked-queries.ts';
import { uncounted } from './queries/isolated.ts';
import { openQueries } from './queries/open-queries.ts';
import type { QueryEngine } from './queries/query-engine.ts';
import { createQueryMemory } from './queries/query-memory.ts';
import { createLogsTable, type LogsTable } from './logs/logs-table.ts';
import type { MigrationOptions } from './database-file/open-migrated.ts';
import { createRollup, type RollupTable } from './rollup/rollup.ts';
import { createNotifyOnce, type NotifyOnce } from './findings.ts';
import { createProfileTable, type ProfileTable } from './profile/profile-table.ts';
import { createRestatements, type Restatements } from './restatements/restatements.ts';
import type { AccountStore } from './schema.ts';
import type { SnapshotTable } from './snapshots/snapshot.ts';
import { createSnapshotTable } from './snapshots/snapshot-table.ts';
import { createKnownNames, type ReadNames } from './known-names.ts';
import { createSeriesColours, type SeriesColours } from './series-colours.ts';
import { createForecastTable, type ForecastTable } from './forecasts/forecast-table.ts';
import { readFootprint, type Footprint } from './footprint.ts';
import { readSpend, type Spend } from './spend.ts';
import { readCalls, type BookedCall } from './calls.ts';
import { createTokensTable, type TokensTable } from './tokens/tokens-table.ts';
import { createUsageTable, type UsageTable } from './usage/usage-table.ts';
import { createParquetWriter, type ParquetOfCsv, type WriteParquet } from './write-parquet.ts';

export type WarehouseOptions = MigrationOptions & {
  readonly startQueryProcess?: Deps['startQueryProcess'];
  /** `owner` if omitted. */
  readonly archiveReader?: ArchiveReader;
  /** Whether nothing is written. Reports then read days that the rollup lacks from their calls. */
  readonly isReader?: boolean;
};

/** All stored data. No DuckDB type leaves this module, and every number leaves it as exact decimal text. */
export type Warehouse = AsyncDisposable & {
  readonly logs: LogsTable;
  /** The clocks of the gateways, by which rows and keys are stamped. */
  readonly clocks: GatewayClocks;
  /** Months of the call log as Parquet files. All reads include their calls as if they were in the table. */
  readonly archive: ArchiveTable;
  /** Changes that later landings made to earlier data. */
  readonly restatements: Restatements;
  /** What was learned about each account's gateway. */
  readonly profile: ProfileTable;
  readonly usage: UsageTable;
  readonly outbox: OutboxTable;
  /** The bytes of messages, where the database holds them; otherwise they are files. */
  readonly mails?: MailStore;
  /**
   * Where several processes share the database, called before an effect outside it, which ends when the signal is aborted.
   * @throws fault lease-lost when another process works
   */
  readonly confirm?: (() => Promise<AbortSignal>) | undefined;
  /** Where several processes share the database. */
  readonly server?: (() => Promise<ServerState>) | undefined;
  /** Alerts that were raised, their notifications, and what people did about them. */
  readonly alerts: AlertTable;
  readonly notifyOnce: NotifyOnce;
  readonly runs: RunLedger;
  /** The profile, statistics and keys of accounts over time. */
  readonly snapshots: SnapshotTable;
  /** Comparisons of the call log with other sources, and the units of these sources. */
  readonly comparisons: ComparisonTable;
  /** Steps on keys, the lineage of each service, and what the log proves about the use of keys. */
  readonly keys: KeyTable;
  /** The charges of the log in the interval, in the account's currency. */
  readonly spend: (account: string, range: Interval<UnixSeconds>) => Promise<Spend>;
  /** Sums of segments of time by model and key, for budgets: one scan for any number of them. */
  readonly sums: (request: SumsRequest, signal?: AbortSignal) => Promise<Sums>;
  /** Sums of hours by model and key, of the last weeks; the queries are answered as of one moment. */
  readonly hours: (request: HoursRequest, signal?: AbortSignal) => Promise<Hours>;
  /** Prices that explain the charges of the log, and calls beside what they cost by prices. */
  readonly prices: {
    readonly fit: (request: FitRequest, signal?: AbortSignal) => Promise<FittedLog>;
    /** The last unit of the amounts of a range, in the currency. */
    readonly unit: (account: string, range: Interval<UnixSeconds>, signal?: AbortSignal) => Promise<Money>;
    readonly compare: (
      request: {
        readonly account: string;
        readonly range: Interval<UnixSeconds>;
        readonly prices: readonly LogPrices[];
        readonly unit: Money;
      },
      signal?: AbortSignal,
    ) => Promise<readonly PricedQuarter[]>;
  };
  /** The calls and refunds of a short interval, one by one. */
  readonly calls: (account: string, range: Interval<UnixSeconds>) => Promise<readonly BookedCall[]>;
  readonly rollup: RollupTable;
  readonly closed: ClosedMonths;
  /** What the end of months is forecast from, and what was forecast. */
  readonly forecasts: ForecastTable;
  readonly backups: BackupLog;
  readonly footprint: () => Promise<Footprint>;
  /**
   * Runs work while nothing changes, with the database file, which then alone holds all that was committed, and with its facts.
   * The work must leave the file open.
   */
  readonly exclusive: <T>(work: (database: FileHandle, facts: DatabaseFacts) => Promise<T>) => Promise<T>;
  /** Where several processes share the database: copies it into a new database file, as of one moment. */
  readonly copyToFile?: ((target: CopyTarget) => Promise<DatabaseCopy>) | undefined;
  /** What prompt and completion tokens include, by model, so that each token is counted once. */
  readonly tokens: TokensTable;
  /** What selectors of keys and models can match. */
  readonly knownNames: ReadNames;
  /** Colours of models and keys in charts. */
  readonly seriesColours: SeriesColours;
  /** Rows of a report as a Parquet file. */
  readonly writeParquet: WriteParquet;
  readonly parquetOfCsv: ParquetOfCsv;
  readonly bindQueries: BindQueries;
  /**
   * Passes `use` a query function over the tables `cube` (sums by quarter hour, model, key and kind) and `days`, in a
   * separate engine without access to anything else. @throws faults report-query-failed, export-currency-changed.
   */
  readonly readCube: <T>(
    request: CubeRequest,
    use: (query: CubeQuery, facts: CubeFacts) => Promise<T>,
  ) => Promise<T>;
};

/** What a database file and a database that several processes share do in different ways. */
export type Storage = {
  /** Runs the SQL of bulk work. */
  readonly engine: Engine;
  readonly state: StateEngine;
  readonly rowStore: AccountStore;
  /** Serializes work that changes the calls of one account. */
  readonly oneAnAccount: NamedGates;
  readonly archive: ArchiveTable;
  readonly mails?: MailStore;
  readonly confirm?: Warehouse['confirm'];
  readonly server?: Warehouse['server'];
  readonly exclusive: Warehouse['exclusive'];
  readonly copyToFile?: Warehouse['copyToFile'];
  readonly close: () => PromiseLike<void>;
};

/** All tables, which are closed with their storage. */
export const createTables = async (storage: Storage, options: WarehouseOptions): Promise<Warehouse> => {
  const { engine, state, rowStore, oneAnAccount } = storage;
  const { startQueryProcess: start, clock } = options;
  const memory = createQueryMemory(bytesOf(options.queryMemory ?? options.memoryLimit) + uncounted);
  const queries = openQueries(start, clock, { memory });
  const asked = createAskedQueries(() => openQueries(start, clock, { memory, yields: true }));
  const oneCopy = createGate(1);
  /** Copies the tables of one query after the other, so that reports find free connections. */
  const askedRows: AccountStore = {
    ...rowStore,
    read: (touched, work, signal) => oneCopy(() => rowStore.read(touched, work, signal)),
  };
  const tokens = createTokensTable(state, rowStore, options.log);
  const clocks = await openGatewayClocks(state, rowStore, options.clock);
  const isReader = options.isReader === true;
  const rollup = createRollup({ rowStore, clock: options.clock, log: options.log });
  const refresh: RollupTable['refresh'] = isReader ? async () => undefined : rollup.refresh;
  const judge: TokensTable['judge'] = isReader ? async () => undefined : tokens.judge;
  return {
    clocks,
    logs: createLogsTable(state, options.clock, clocks, rowStore, oneAnAccount),
    archive: storage.archive,
    restatements: createRestatements(state),
    profile: createProfileTable(state, options.clock),
    usage: createUsageTable(state, options.clock),
    alerts: createAlertTable(state),
    notifyOnce: createNotifyOnce(state, options.clock),
    runs: createRunLedger(state),
    outbox: createOutbox(state),
    ...(storage.mails === undefined ? {} : { mails: storage.mails }),
    confirm: storage.confirm,
    server: storage.server,
    snapshots: createSnapshotTable(state),
    comparisons: createComparisonTable(state, rowStore),
    keys: createKeyTable(state, clocks, rowStore),
    spend: async (account, range) =>
      rowStore.read({ account, reads: ['log_amounts'] }, async ({ connection, rows }) =>
        readSpend(connection, account, range, await rows(range)),
      ),
    sums: async (request, signal) => {
      if (request.tokens) await judge(request.account, signal);
      const { account, zone } = request;
      for (const range of rangesOf(request)) await refresh({ account, zone, range }, signal);
      return rowStore.read({ account, reads: sumsTables }, async (rows) => readSums(rows, request), signal);
    },
    hours: async (request, signal) => {
      const { account } = request;
      const ranges = rangesOfHours(request);
      const start = Math.min(...ranges.map((range) => range.start));
      const end = Math.max(...ranges.map((range) => range.end));
      if (!isReader && end > start)
        await rollup.refreshHours({ account, range: interval(unixSeconds(start), unixSeconds(end)) }, signal);
      return rowStore.read({ account, reads: hoursTables }, async (rows) => readHours(rows, request), signal);
    },
    prices: {
      fit: async (request, signal) => {
        await judge(request.account, signal);
        return rowStore.read(
          { account: request.account, reads: priceTables },
          async (rows) => fitLog(rows, request),
          signal,
        );
      },
      unit: async (account, range, signal) =>
        rowStore.read({ account, reads: priceTables }, async (rows) => unitOf(rows, account, range), signal),
      compare: async ({ account, range, prices, unit }, signal) =>
        rowStore.read(
          { account, reads: priceTables },
          async (rows) => compareWithPrices(rows, account, range, prices, unit),
          signal,
        ),
    },
    calls: async (account, range) =>
      rowStore.read({ account, reads: ['log_amounts'] }, async ({ connection, rows }) =>
        readCalls(connection, account, range, await rows(range)),
      ),
    rollup,
    closed: createClosedMonths({ state, rowStore, refresh, clock: options.clock }),
    forecasts: createForecastTable(state),
    backups: createBackupLog(state),
    footprint: async () => readFootprint(engine, options.path),
    exclusive: storage.exclusive,
    copyToFile: storage.copyToFile,
    tokens,
    knownNames: createKnownNames(state),
    seriesColours: createSeriesColours(state, isReader),
    ...createParquetWriter(engine, options.spoolDirectory, spoolPrefix),
    readCube: async (request, use) => {
      const read = async (engine: QueryEngine, from: AccountStore) => {
        await judge(request.account, request.signal);
        return readCube(from, engine, refresh, options, clock, request, use);
      };
      return request.yields === true
        ? asked.run((engine) => read(engine, askedRows))
        : read(queries, rowStore);
    },
    bindQueries: bindWith(queries),
    [Symbol.asyncDispose]: async () => {
      await queries[Symbol.asyncDispose]();
      await asked[Symbol.asyncDispose]();
      await storage.close();
    },
  };
};
