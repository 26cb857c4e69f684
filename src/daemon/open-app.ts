import {
  divideMemory,
  hasCode,
  megabytesText,
  readMemoryLimit,
  type Deps,
  type Fault,
  type Log,
  type Measure,
  type ProgressStep,
} from '../core/index.ts';
import type { Config } from '../config/index.ts';
import type { AuditComparison } from '../keys/index.ts';
import { createWatermarks, jobKinds, type Backups } from '../jobs/index.ts';
import { recoverInterrupted } from '../notify/index.ts';
import { acquireLock, type RunKey, type SharedDatabase } from '../storage/index.ts';
import { createScheduler, keyText, type Scheduler } from '../scheduler/index.ts';
import { readSettings } from '../tracing/index.ts';
import {
  clearSpool,
  filledTable,
  openSharedWarehouse,
  openWarehouse,
  type Warehouse,
} from '../warehouse/index.ts';
import { version } from '../version.ts';
import { createBackups } from './backups/backups.ts';
import { createRuntime } from './create-runtime.ts';
import { refuseEmptyStart, refuseOtherData } from './data-folder/missing-warehouse.ts';
import { createHeartbeats } from './heartbeat.ts';
import { openKeyRuntime } from './keys/key-runtime.ts';
import { measureRun } from './metrics/measure-runs.ts';
import { measureAll, openTracing } from './open-tracing.ts';
import { makeDataFolder, pathsOf, placesToPlan, type Paths } from './paths.ts';
import { closeShared, openShared } from './replicas/database-leases.ts';
import { keepUnrecorded, noteUnrecorded } from './replicas/unrecorded-ends.ts';
import { createRuntimeLeases, type RuntimeLease } from './runtime-leases.ts';

/** The program on one database. Disposal closes connections and the database. */
export type App = AsyncDisposable & {
  readonly paths: Paths;
  readonly warehouse: Warehouse;
  readonly scheduler: Scheduler;
  readonly backups: Backups;
  /** Missing with a database file. */
  readonly shared: SharedDatabase | undefined;
  /** The last reported step of a run in progress. */
  readonly progressOf: (run: RunKey) => ProgressStep | undefined;
  /** Rechecks the journal; undefined when it is valid. */
  readonly keyProblem: () => Promise<Fault | undefined>;
  /** Whether plaintexts exist that are lost with the process. */
  readonly holdsPlaintexts: () => boolean;
  /** @throws Fault audit-damaged */
  readonly compareAudit: () => Promise<AuditComparison>;
  readonly config: () => Config;
  /** Where traces are sent, if they are. */
  readonly tracesHost: string | undefined;
  /** Keeps the runtime of the active config open: `using runtime = app.lease()`. */
  readonly lease: () => RuntimeLease;
  /** Activates another config; operations in progress end with the config they began with. */
  readonly adopt: (config: Config) => Promise<void>;
};

export type AppOptions = {
  readonly folder: string;
  readonly config: Config;
  readonly log: Log;
  /** Whether slots are claimed and run; otherwise only requested runs. */
  readonly claimsSlots: boolean;
  /** Counts what happens, for metrics. */
  readonly measure?: Measure | undefined;
  /** What a replica serves while another one works. */
  readonly standBy?: (database: SharedDatabase) => Promise<AsyncDisposable>;
  /** For plans and readers: writes nothing, and creates no database. */
  readonly dryRun?: boolean;
  /** Whether an older database is migrated; true if omitted. */
  readonly migrates?: boolean | undefined;
  /** The database of several processes, if it is open; it is closed with the app, also with one that fails. */
  readonly database?: SharedDatabase | undefined;
};

/** Waits while another replica works. */
const holdLeases = async (
  database: SharedDatabase,
  accounts: readonly string[],
  signal: AbortSignal,
  standBy: AppOptions['standBy'],
): Promise<void> => {
  const { leases } = database;
  try {
    await leases.hold(accounts, undefined);
  } catch (error) {
    if (!hasCode(error, 'lease-lost') && !hasCode(error, 'database-unreachable')) throw error;
    await using _standby = await standBy?.(database);
    await leases.hold(accounts, signal);
  }
};

/** The database of several processes, once this one may work in it. */
const openDatabaseOf = async (
  deps: Deps,
  { config, log, claimsSlots, standBy, dryRun, database: opened }: AppOptions,
  paths: Paths,
): Promise<SharedDatabase | undefined> => {
  const { database: url, accounts } = config.settings;
  if (url === undefined) return undefined;
  const database = opened ?? (await openShared(deps, url.reveal(), config, log));
  try {
    if ((await database.engine.state(filledTable)) === undefined) await refuseOtherData(paths.path);
    const names = Object.keys(accounts);
    if (dryRun === true) return { ...database, engine: database.reader };
    // Before the leases, so that also a standby that takes over meanwhile counts right.
    await noteUnrecorded(database, paths, log);
    if (claimsSlots) await holdLeases(database, names, deps.signal, standBy);
    else await database.leases.hold(names, undefined);
    return database;
  } catch (error) {
    await closeShared(database);
    throw error;
  }
};

/** Removes what killed processes of this data folder have left, unless a command works in it. */
const clearOwnSpool = async ({ spoolLock, spoolDirectory }: Paths, log: Log): Promise<void> => {
  const lock = await acquireLock(spoolLock);
  if (!lock.held) return;
  await using _lock = lock;
  await clearSpool(spoolDirectory, log);
};

const jobsOf = ({ jobs }: Config) => new Map(Object.entries(jobs));

/** Closes in order, even after a failure. */
const closeAll = async (things: readonly AsyncDisposable[]): Promise<void> => {
  const failures: unknown[] = [];
  for (const thing of things) {
    try {
      await thing[Symbol.asyncDispose]();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
};

/** The config overrides the token convention that the data show. */
const configureTokens = async (warehouse: Warehouse, { settings }: Config): Promise<void> => {
  for (const [name, { gateway }] of Object.entries(settings.accounts))
    await warehouse.tokens.configure(name, gateway.token_convention ?? {}, gateway.output_convention ?? {});
};

/** Opens the database and wires the modules together; the only place that does. */
export const openApp = async (deps: Deps, options: AppOptions): Promise<App> => {
  const { config, log, folder } = options;
  const { settings } = config;
  const { clock, random, secrets } = deps;
  const dryRun = options.dryRun === true;
  const beside = pathsOf(deps, settings.warehouse);
  if (settings.database === undefined) await refuseEmptyStart(beside);
  const paths = dryRun && settings.database === undefined ? await placesToPlan(beside, folder) : beside;
  if (!dryRun) await makeDataFolder(deps, paths);
  const memory = divideMemory(await readMemoryLimit(deps.systemRoot), settings.warehouse.memory_limit);
  const isShared = settings.database !== undefined;
  // A daemon may stand by for a long time before it works.
  if (isShared && options.claimsSlots) await clearOwnSpool(paths, log);
  const database = await openDatabaseOf(deps, options, paths);
  const warehouseOptions = {
    ...paths,
    memoryLimit: megabytesText(memory.database),
    queryMemory: megabytesText(memory.queryEngine),
    threads: settings.warehouse.threads,
    isReader: dryRun && database !== undefined,
    version,
    copyBeforeMigration: settings.backup.before_migration,
    migrates: options.migrates,
    clock,
    log,
    startQueryProcess: deps.startQueryProcess,
  };
  const warehouse =
    database === undefined
      ? await openWarehouse(warehouseOptions)
      : // The daemon holds the lock of the data folder and the leases.
        await openSharedWarehouse(database, { ...warehouseOptions, ownsSpool: options.claimsSlots });
  const keyRuntime = await openKeyRuntime(warehouse, paths.auditFile, log, database !== undefined).catch(
    async (error: unknown) => {
      await warehouse[Symbol.asyncDispose]();
      throw error;
    },
  );
  const backups = createBackups({
    warehouse,
    paths,
    clock,
    cwd: deps.cwd,
    identity: () => leases.config().settings.backup.identity,
  });
  const traces = readSettings(deps.env, secrets, log);
  const tracing = await openTracing(traces, deps, log);
  const measure = measureAll(options.measure, tracing.measure);
  const runtimeDeps = { deps, log, folder, paths, warehouse, keyRuntime, backups, measure };
  const leases = createRuntimeLeases(createRuntime(runtimeDeps, config));
  const steps = new Map<string, ProgressStep>();
  const heartbeats = createHeartbeats({ env: deps.env, clock, log });
  /** At once, so that neither takes the time of the other. */
  const sendLast = async (): Promise<void> => {
    await Promise.all([heartbeats, tracing].map((one) => one[Symbol.asyncDispose]()));
  };
  try {
    // The database has one owner, so an earlier sender is gone.
    if (!dryRun) await recoverInterrupted({ outbox: warehouse.outbox, clock, random, log, measure });
    if (!dryRun) await configureTokens(warehouse, config);
    const data = createWatermarks(jobKinds);
    const scheduler = await createScheduler(
      {
        clock,
        log,
        ledger: warehouse.runs,
        execute: async (execution) => {
          using runtime = leases.lease();
          const key = keyText(execution.run);
          const progress = (step: ProgressStep): void => {
            steps.set(key, step);
            execution.progress(step);
          };
          try {
            return await runtime.execute({ ...execution, progress });
          } finally {
            steps.delete(key);
          }
        },
        aroundAttempt: tracing.aroundAttempt,
        watermark: async (job) =>
          data.bringsData(job) ? data.watermarkOf(job, { warehouse }) : warehouse.runs.goodThrough(job.name),
        needsThrough: (job, run) => data.needsThroughOf(job, run.slot, run.interval),
        mailsOf: async (notices) => {
          using runtime = leases.lease();
          return await runtime.mailsOf(notices);
        },
        onRunEnd: (job, run) => {
          if (run.state === 'ok') heartbeats.beat(job);
          measureRun(job, run, measure);
        },
        redact: secrets.redact,
      },
      {
        claimsSlots: options.claimsSlots,
        recovers: !dryRun,
        jobs: jobsOf(config),
        maxRunning: settings.scheduler.max_running,
        suspendAfter: settings.scheduler.suspend_after,
      },
    );
    const spool =
      isShared && !options.claimsSlots && !dryRun ? await acquireLock(paths.spoolLock) : undefined;
    return {
      paths,
      warehouse,
      scheduler,
      backups,
      shared: database,
      progressOf: (run) => steps.get(keyText(run)),
      keyProblem: keyRuntime.journals.check,
      holdsPlaintexts: () => keyRuntime.plaintexts.size > 0,
      compareAudit: keyRuntime.journals.compare,
      config: leases.config,
      tracesHost: traces?.url.host,
      lease: leases.lease,
      adopt: async (adopted) => {
        await database?.leases.hold(Object.keys(adopted.settings.accounts), undefined);
        await configureTokens(warehouse, adopted);
        leases.replace(createRuntime(runtimeDeps, adopted));
        await scheduler.adopt(jobsOf(adopted), adopted.settings.scheduler.max_running);
      },
      [Symbol.asyncDispose]: async () => {
        await scheduler.stop(0);
        if (database !== undefined) await keepUnrecorded(paths, scheduler.unrecorded(), log);
        await closeAll([{ [Symbol.asyncDispose]: sendLast }, leases, warehouse]);
        if (spool?.held === true) await spool[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await closeAll([{ [Symbol.asyncDispose]: sendLast }, leases, warehouse]);
    throw error;
  }
};
