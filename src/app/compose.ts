import {
  divideMemory,
  megabytesText,
  readMemoryLimit,
  type Deps,
  type Fault,
  type Log,
  type Measure,
  type ProgressStep,
} from '../core/index.ts';
import type { Config } from '../config/index.ts';
import { createWatermarks, jobKinds, type Backups } from '../jobs/index.ts';
import type { AuditComparison } from '../keys/index.ts';
import {
  createDelivery,
  createMailCleaner,
  holdsMail,
  mailFolder,
  recoverInterrupted,
} from '../notify/index.ts';
import { createScheduler, keyText, type Scheduler } from '../scheduler/index.ts';
import type { RunKey, SharedDatabase } from '../storage/index.ts';
import { readSettings } from '../tracing/index.ts';
import { version } from '../version.ts';
import { openSharedWarehouse, openWarehouse, type Warehouse } from '../warehouse/index.ts';
import { createAccounts } from './accounts/accounts.ts';
import { createBackups } from './backups/backups.ts';
import { clearSpoolOf, lockSpool } from './data-folder/locks.ts';
import { refuseEmptyStart } from './data-folder/missing-warehouse.ts';
import { makeDataFolder, pathsOf, placesToPlan, type Paths } from './data-folder/paths.ts';
import { openKeyRuntime } from './keys/key-runtime.ts';
import { createKeyServices } from './keys/key-services.ts';
import { openChannels } from './notifications/channels.ts';
import { createNotifications } from './notifications/notifications.ts';
import { createHeartbeats } from './process/heartbeat.ts';
import { measureRun } from './process/measure-runs.ts';
import { measureAll, openTracing } from './process/open-tracing.ts';
import { openDatabaseOf, type StandBy } from './replicas/open-database.ts';
import { replicasOf, type Replicas } from './replicas/replicas.ts';
import { keepUnrecorded } from './replicas/unrecorded-ends.ts';
import { createContexts } from './runtime/contexts.ts';
import { createRequests } from './runtime/requests.ts';
import { type Runtime, createRuntimeLeases, type RuntimeLease } from './runtime/runtime.ts';
import { createRuns } from './runtime/runs.ts';

/** The program, connected to one database. Disposal closes its connections and the database. */
export type App = AsyncDisposable & {
  readonly paths: Paths;
  readonly warehouse: Warehouse;
  readonly scheduler: Scheduler;
  readonly backups: Backups;
  readonly replicas: Replicas;
  /** Whether the app only reads. */
  readonly isReader: boolean;
  /** The last reported step of a run in progress. */
  readonly progressOf: (run: RunKey) => ProgressStep | undefined;
  /** Rechecks the key journal. Returns the problem, or undefined if the journal is valid. */
  readonly keyProblem: () => Promise<Fault | undefined>;
  /** Whether this process holds plaintext API keys that it has not delivered; they are lost when it ends. */
  readonly holdsPlaintexts: () => boolean;
  /** @throws Fault audit-damaged */
  readonly compareAudit: () => Promise<AuditComparison>;
  readonly config: () => Config;
  /** The host that receives traces; undefined if tracing is off. */
  readonly tracesHost: string | undefined;
  /** Keeps the runtime of the active config open until disposal: `using runtime = app.lease()`. */
  readonly lease: () => RuntimeLease;
  /** Activates another config; operations in progress end with the config they began with. */
  readonly adopt: (config: Config) => Promise<void>;
};

export type AppOptions = {
  /** The path of the configuration folder. */
  readonly folder: string;
  readonly config: Config;
  readonly log: Log;
  /** Whether the scheduler claims slots and runs them. If false, it runs only requested runs. */
  readonly claimsSlots: boolean;
  /** Receives measurements for metrics. */
  readonly measure?: Measure | undefined;
  readonly standBy?: StandBy;
  /** For plans and readers: runs nothing that writes. Opening may still migrate the database or create its tables. */
  readonly dryRun?: boolean;
  /** Whether an older database is migrated; true if omitted. */
  readonly migrates?: boolean | undefined;
  /** The shared database, if already open. It is closed with the app, and also if its leases cannot be taken. */
  readonly database?: SharedDatabase | undefined;
};

/** Milliseconds of the grace period reserved for recording how mails in progress ended. */
const stopMargin = 1000;

/** Retention of sent mails in milliseconds when the config no longer declares mail. */
const defaultKeep = 90 * 86_400_000;

/** Closes in order, even after a failure. */
const closeAll = async (things: readonly AsyncDisposable[]): Promise<void> => {
  const failures: unknown[] = [];
  for (const thing of things)
    try {
      await thing[Symbol.asyncDispose]();
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
};

/** Applies the token conventions of the config, which override those detected in the data. */
const configureTokens = async (warehouse: Warehouse, { settings }: Config): Promise<void> => {
  for (const [name, { gateway }] of Object.entries(settings.accounts))
    await warehouse.tokens.configure(name, gateway.token_convention ?? {}, gateway.output_convention ?? {});
};

const jobsOf = ({ jobs }: Config) => new Map(Object.entries(jobs));

/**
 * Opens the database and connects all parts of the program to it. `runtimeOf` builds the parts that depend on the configuration,
 * and builds them again for each configuration that is adopted.
 */
export const compose = async (deps: Deps, options: AppOptions): Promise<App> => {
  const { config: first, log, folder, claimsSlots } = options;
  const { settings } = first;
  const { clock, random, secrets } = deps;
  const dryRun = options.dryRun === true;

  // The data folder. It holds the database file unless the configuration names a PostgreSQL database.
  const isShared = settings.database !== undefined;
  const beside = pathsOf(deps, settings.warehouse);
  if (!isShared) await refuseEmptyStart(beside);
  const paths = dryRun && !isShared ? await placesToPlan(beside, folder) : beside;
  if (!dryRun) await makeDataFolder(deps, paths);
  // Clears the spool before taking the account leases, because a daemon may stand by for a long time.
  if (isShared && claimsSlots) await clearSpoolOf(paths, log);

  // The database.
  const memory = divideMemory(await readMemoryLimit(deps.systemRoot), settings.warehouse.memory_limit);
  const database = await openDatabaseOf(deps, { ...options, dryRun }, paths);
  const warehouseOptions = {
    ...paths,
    memoryLimit: megabytesText(memory.database),
    queryMemory: megabytesText(memory.queryEngine),
    threads: settings.warehouse.threads,
    isReader: dryRun && isShared,
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
      : // A daemon has locked the data folder and holds the account leases, so no other process uses the spool.
        await openSharedWarehouse(database, { ...warehouseOptions, ownsSpool: claimsSlots });
  const mails = warehouse.mails ?? mailFolder(paths.outboxDirectory);
  const { confirm } = warehouse;

  // Parts that stay open when another configuration is adopted.
  const keyRuntime = await openKeyRuntime(warehouse, paths.auditFile, log, isShared).catch(
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
  const heartbeats = createHeartbeats({ env: deps.env, clock, log });

  // Parts that are built for each configuration.
  const runtimeOf = (config: Config): Runtime => {
    const { mail, scheduler: limits } = config.settings;
    const accounts = createAccounts(config, deps, log, warehouse.clocks.note, measure, confirm);
    const channels = openChannels(config, deps, log, confirm);
    const parts = {
      config,
      folder,
      paths,
      accounts,
      channels,
      mails,
      warehouse,
      backups,
      keyRuntime,
      deps,
      clock,
      log,
    };
    const notifications = createNotifications({ ...parts, journal: keyRuntime.journal });
    const keyServices = createKeyServices({ ...parts, notify: notifications.sendKeyAlert });
    const { keyService, probeKeys, sinksOf } = keyServices;
    const contexts = createContexts({ ...parts, keyService });
    const doctor = { ...parts, transport: channels.transport, where: deps, probeKeys, sinksOf };
    const outbox = { outbox: warehouse.outbox, mails, clock, measure, random, log };
    const delivery = createDelivery(
      { ...outbox, grace: Math.max(0, limits.grace - stopMargin) },
      channels.routes,
    );
    const clean = createMailCleaner(outbox);
    return {
      config,
      ...createRuns({ contexts, findings: notifications.findings, measure }),
      ...createRequests({ contexts, channels, doctor, clock }),
      keyService,
      delivery,
      notifications,
      cleanMail: async () => {
        await clean(mail?.keep ?? defaultKeep);
      },
      holdsMail: (file) => holdsMail(mails, file),
      [Symbol.asyncDispose]: () => closeAll([channels, keyServices, accounts]),
    };
  };
  const leases = createRuntimeLeases(runtimeOf(first));
  const close = async (): Promise<void> => {
    // Both are closed concurrently, so that neither uses up the time of the other.
    const sent = await Promise.allSettled([heartbeats, tracing].map((one) => one[Symbol.asyncDispose]()));
    await closeAll([leases, warehouse]);
    for (const one of sent) if (one.status === 'rejected') throw one.reason;
  };

  try {
    // Only one process works on the database, so no other process still sends the mails in state `sending`.
    if (!dryRun) await recoverInterrupted({ outbox: warehouse.outbox, clock, random, log, measure });
    if (!dryRun) await configureTokens(warehouse, first);

    // The schedule of the jobs.
    const steps = new Map<string, ProgressStep>();
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
          return await runtime.notifications.mailsOf(notices);
        },
        onRunEnd: (job, run) => {
          if (run.state === 'ok') heartbeats.beat(job);
          measureRun(job, run, measure);
        },
        redact: secrets.redact,
      },
      {
        claimsSlots,
        recovers: !dryRun,
        jobs: jobsOf(first),
        maxRunning: settings.scheduler.max_running,
        suspendAfter: settings.scheduler.suspend_after,
      },
    );
    const spool = isShared && !claimsSlots && !dryRun ? await lockSpool(paths) : undefined;

    return {
      paths,
      warehouse,
      scheduler,
      backups,
      replicas: replicasOf(database, clock),
      isReader: dryRun,
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
        leases.replace(runtimeOf(adopted));
        await scheduler.adopt(jobsOf(adopted), adopted.settings.scheduler.max_running);
      },
      [Symbol.asyncDispose]: async () => {
        await scheduler.stop(0);
        if (database !== undefined) await keepUnrecorded(paths, scheduler.unrecorded(), log);
        await close();
        await spool?.[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
};
