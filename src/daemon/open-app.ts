import type { Fault, Log, Deps } from '../core/index.ts';
import type { Config } from '../config/index.ts';
import { createWatermarks, jobKinds } from '../jobs/index.ts';
import type { KeyService } from '../keys/index.ts';
import { recoverInterrupted } from '../notify/index.ts';
import { createScheduler } from '../scheduler/index.ts';
import type { Scheduler } from '../scheduler/index.ts';
import { openWarehouse } from '../warehouse/index.ts';
import type { Warehouse } from '../warehouse/index.ts';
import { createRuntime } from './create-runtime.ts';
import type { Runtime, Fixture } from './create-runtime.ts';
import { createHeartbeats } from './heartbeat.ts';
import { openKeyRuntime } from './keys/key-services.ts';
import { makeDataFolder, pathsOf, placesToPlan } from './paths.ts';
import type { Paths } from './paths.ts';

/** A runtime to be used; disposing it is left to its owner. */
export type RuntimeHandle = Omit<Runtime, typeof Symbol.asyncDispose>;

/** The program at work on one database. Disposing it closes connections and the database. */
export type App = AsyncDisposable & {
  readonly paths: Paths;
  readonly warehouse: Warehouse;
  readonly scheduler: Scheduler;
  /** Why nothing is done to keys, looked for again; nothing where their journal holds. */
  readonly keyProblem: () => Promise<Fault | undefined>;
  /** What works on the config in force. */
  readonly current: () => RuntimeHandle;
  /** Puts another config in force; what runs ends with what it began with. */
  readonly adopt: (config: Config) => Promise<void>;
};

export type AppOptions = {
  readonly folder: string;
  readonly config: Config;
  readonly log: Log;
  /** Whether slots are claimed and run; otherwise only what is ordered. */
  readonly claimsSlots: boolean;
  /** Only plans are asked for: nothing is written, and where there is no database none is made. */
  readonly dryRun?: boolean;
};

const jobsOf = ({ jobs }: Config) => new Map(Object.entries(jobs));

/** Closes one after the other, whatever the ones before did. */
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

/** Keeps the runtime in use: an old config's is disposed when the last that began with it has ended. */
const createRuntimeParts = (fixture: Fixture, first: Config) => {
  let current = { runtime: createRuntime(fixture, first), users: 0 };
  const old = new Set<Promise<void>>();
  const retiring = new Set<typeof current>();
  const takeAway = (place: typeof current): void => {
    retiring.delete(place);
    old.add(Promise.resolve(place.runtime[Symbol.asyncDispose]()));
  };
  /** The work of the runtime that is current when it begins, which stays open until it has ended. */
  const held =
    <Given extends readonly unknown[], Result>(
      workOf: (runtime: Runtime) => (...given: Given) => Promise<Result>,
    ) =>
    async (...given: Given): Promise<Result> => {
      const mine = current;
      mine.users += 1;
      try {
        return await workOf(mine.runtime)(...given);
      } finally {
        mine.users -= 1;
        if (mine.users === 0 && retiring.has(mine)) takeAway(mine);
      }
    };
  const work = {
    execute: held(({ execute }) => execute),
    plan: held(({ plan }) => plan),
    composeReport: held(({ composeReport }) => composeReport),
    doctor: held(({ doctor }) => doctor),
    reconcile: held(({ reconcile }) => reconcile),
    processRoute: held(({ processRoute }) => processRoute),
    passUndeclared: held(({ passUndeclared }) => passUndeclared),
    deliver: held(({ deliver }) => deliver),
    cleanMail: held(({ cleanMail }) => cleanMail),
    holdsMail: held(({ holdsMail }) => holdsMail),
    notify: held(({ notify }) => notify),
    notifyConfigFaults: held(({ notifyConfigFaults }) => notifyConfigFaults),
    notifyOfKeys: held(({ notifyOfKeys }) => notifyOfKeys),
    remindOfAdminKeys: held(({ remindOfAdminKeys }) => remindOfAdminKeys),
  };
  const keyService = (account: string): KeyService => {
    // There is such an account, or the caller is told at once.
    current.runtime.keyService(account);
    return {
      survey: held(({ keyService: of }) => of(account).survey),
      open: held(({ keyService: of }) => of(account).open),
      start: held(({ keyService: of }) => of(account).start),
      advance: held(({ keyService: of }) => of(account).advance),
      expire: held(({ keyService: of }) => of(account).expire),
      keptBySinks: held(({ keyService: of }) => of(account).keptBySinks),
      adopt: held(({ keyService: of }) => of(account).adopt),
      adoptAll: held(({ keyService: of }) => of(account).adoptAll),
      confirm: held(({ keyService: of }) => of(account).confirm),
      resume: held(({ keyService: of }) => of(account).resume),
      giveUp: held(({ keyService: of }) => of(account).giveUp),
      outdated: held(({ keyService: of }) => of(account).outdated),
      reconcile: held(({ keyService: of }) => of(account).reconcile),
      history: held(({ keyService: of }) => of(account).history),
    };
  };
  return {
    work,
    current: (): RuntimeHandle => {
      const { config, routes } = current.runtime;
      return { ...work, keyService, config, routes };
    },
    replace: (config: Config): void => {
      const before = current;
      current = { runtime: createRuntime(fixture, config), users: 0 };
      retiring.add(before);
      if (before.users === 0) takeAway(before);
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      for (const place of retiring) takeAway(place);
      await Promise.all(old);
      await current.runtime[Symbol.asyncDispose]();
    },
  };
};

/** What the config says of an account's tokens goes before what the data show. */
const configureTokens = async (warehouse: Warehouse, { settings }: Config): Promise<void> => {
  for (const [name, { gateway }] of Object.entries(settings.accounts))
    await warehouse.tokens.configure(name, gateway.token_convention ?? {}, gateway.output_convention ?? {});
};

/** Opens the database and wires the modules together: the one place where all of them meet. */
export const openApp = async (deps: Deps, options: AppOptions): Promise<App> => {
  const { config, log, folder } = options;
  const { settings } = config;
  const { clock, random, secrets } = deps;
  const dryRun = options.dryRun === true;
  const beside = pathsOf(deps, settings.warehouse);
  const paths = dryRun ? await placesToPlan(beside, folder) : beside;
  if (!dryRun) await makeDataFolder(paths);
  const warehouse = await openWarehouse({
    ...paths,
    memoryLimit: settings.warehouse.memory_limit,
    threads: settings.warehouse.threads,
    clock,
    log,
  });
  const keyRuntime = await openKeyRuntime(warehouse, paths.auditFile, log).catch(async (error: unknown) => {
    await warehouse[Symbol.asyncDispose]();
    throw error;
  });
  const runtime = createRuntimeParts({ deps, log, folder, paths, warehouse, keyRuntime }, config);
  const heartbeats = createHeartbeats({ env: deps.env, clock, log });
  try {
    // Whoever was sending before us is gone: the database has one owner.
    if (!dryRun) await recoverInterrupted({ outbox: warehouse.outbox, clock, random, log });
    if (!dryRun) await configureTokens(warehouse, config);
    const data = createWatermarks(jobKinds);
    const scheduler = await createScheduler(
      {
        clock,
        log,
        ledger: warehouse.runs,
        execute: runtime.work.execute,
        watermark: async (job) =>
          data.bringsData(job) ? data.watermarkOf(job, { warehouse }) : warehouse.runs.goodThrough(job.name),
        needsThrough: (job, run) => data.needsThroughOf(job, run.slot, run.interval),
        notify: runtime.work.notify,
        onGoodRun: heartbeats.beat,
        redact: secrets.redact,
      },
      {
        claimsSlots: options.claimsSlots,
        recovers: !dryRun,
        jobs: jobsOf(config),
        maxRunning: settings.scheduler.max_running,
      },
    );
    return {
      paths,
      warehouse,
      scheduler,
      keyProblem: keyRuntime.journals.check,
      current: runtime.current,
      adopt: async (adopted) => {
        await configureTokens(warehouse, adopted);
        runtime.replace(adopted);
        await scheduler.adopt(jobsOf(adopted), adopted.settings.scheduler.max_running);
      },
      [Symbol.asyncDispose]: async () => {
        await scheduler.stop(0);
        await closeAll([heartbeats, runtime, warehouse]);
      },
    };
  } catch (error) {
    await closeAll([heartbeats, runtime, warehouse]);
    throw error;
  }
};
