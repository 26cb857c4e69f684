import type { Fault, Log, Means } from '../base/index.ts';
import type { Config } from '../config/index.ts';
import { createDataReach, jobKinds } from '../jobs/index.ts';
import type { KeyDesk } from '../keys/index.ts';
import { recoverInterrupted } from '../mail/index.ts';
import { createScheduler } from '../schedule/index.ts';
import type { Scheduler } from '../schedule/index.ts';
import { openWarehouse } from '../warehouse/index.ts';
import type { Warehouse } from '../warehouse/index.ts';
import { furnish } from './furnish.ts';
import type { Furniture, House } from './furnish.ts';
import { createHeartbeats } from './heartbeat.ts';
import { openKeyRoom } from './key-desks.ts';
import { makeDataFolder, placesOf, placesToPlan } from './places.ts';
import type { Places } from './places.ts';

/** Furniture to be used; taking it away is left to who keeps it. */
export type FurnitureInUse = Omit<Furniture, typeof Symbol.asyncDispose>;

/** The program at work on one database. Disposing it closes connections and the database. */
export type App = AsyncDisposable & {
  readonly places: Places;
  readonly warehouse: Warehouse;
  readonly scheduler: Scheduler;
  /** Why nothing is done to keys, looked for anew; nothing where their journal holds. */
  readonly keyTrouble: () => Promise<Fault | undefined>;
  /** What works on the config in force. */
  readonly current: () => FurnitureInUse;
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

/** Keeps the furniture in use: an old config's is taken away when the last that began with it has ended. */
const createFurniture = (house: House, first: Config) => {
  let current = { furniture: furnish(house, first), users: 0 };
  const old = new Set<Promise<void>>();
  const retiring = new Set<typeof current>();
  const takeAway = (place: typeof current): void => {
    retiring.delete(place);
    old.add(Promise.resolve(place.furniture[Symbol.asyncDispose]()));
  };
  /** The work of the furniture that is there when it begins, which stays until it has ended. */
  const held =
    <Given extends readonly unknown[], Result>(
      workOf: (furniture: Furniture) => (...given: Given) => Promise<Result>,
    ) =>
    async (...given: Given): Promise<Result> => {
      const mine = current;
      mine.users += 1;
      try {
        return await workOf(mine.furniture)(...given);
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
    passRoute: held(({ passRoute }) => passRoute),
    passUndeclared: held(({ passUndeclared }) => passUndeclared),
    deliver: held(({ deliver }) => deliver),
    cleanMail: held(({ cleanMail }) => cleanMail),
    holdsMail: held(({ holdsMail }) => holdsMail),
    tell: held(({ tell }) => tell),
    tellConfigFaults: held(({ tellConfigFaults }) => tellConfigFaults),
    tellOfKeys: held(({ tellOfKeys }) => tellOfKeys),
    remindOfAdminKeys: held(({ remindOfAdminKeys }) => remindOfAdminKeys),
  };
  const keyDesk = (account: string): KeyDesk => {
    // There is such an account, or the caller is told at once.
    current.furniture.keyDesk(account);
    return {
      survey: held(({ keyDesk: of }) => of(account).survey),
      open: held(({ keyDesk: of }) => of(account).open),
      start: held(({ keyDesk: of }) => of(account).start),
      advance: held(({ keyDesk: of }) => of(account).advance),
      expire: held(({ keyDesk: of }) => of(account).expire),
      heldBySinks: held(({ keyDesk: of }) => of(account).heldBySinks),
      adopt: held(({ keyDesk: of }) => of(account).adopt),
      adoptAll: held(({ keyDesk: of }) => of(account).adoptAll),
      confirm: held(({ keyDesk: of }) => of(account).confirm),
      resume: held(({ keyDesk: of }) => of(account).resume),
      giveUp: held(({ keyDesk: of }) => of(account).giveUp),
      outdated: held(({ keyDesk: of }) => of(account).outdated),
      reconcile: held(({ keyDesk: of }) => of(account).reconcile),
      history: held(({ keyDesk: of }) => of(account).history),
    };
  };
  return {
    work,
    current: (): FurnitureInUse => {
      const { config, routes } = current.furniture;
      return { ...work, keyDesk, config, routes };
    },
    replace: (config: Config): void => {
      const before = current;
      current = { furniture: furnish(house, config), users: 0 };
      retiring.add(before);
      if (before.users === 0) takeAway(before);
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      for (const place of retiring) takeAway(place);
      await Promise.all(old);
      await current.furniture[Symbol.asyncDispose]();
    },
  };
};

/** What the config says of an account's tokens goes before what the data show. */
const configureTokens = async (warehouse: Warehouse, { settings }: Config): Promise<void> => {
  for (const [name, { gateway }] of Object.entries(settings.accounts))
    await warehouse.tokens.configure(name, gateway.token_convention ?? {}, gateway.output_convention ?? {});
};

/** Opens the database and wires the rooms together: the one place where all of them meet. */
export const openApp = async (means: Means, options: AppOptions): Promise<App> => {
  const { config, log, folder } = options;
  const { settings } = config;
  const { clock, random, secrets } = means;
  const dryRun = options.dryRun === true;
  const beside = placesOf(means, settings.warehouse);
  const places = dryRun ? await placesToPlan(beside, folder) : beside;
  if (!dryRun) await makeDataFolder(places);
  const warehouse = await openWarehouse({
    ...places,
    memoryLimit: settings.warehouse.memory_limit,
    threads: settings.warehouse.threads,
    clock,
    log,
  });
  const keyRoom = await openKeyRoom(warehouse, places.auditFile, log).catch(async (error: unknown) => {
    await warehouse[Symbol.asyncDispose]();
    throw error;
  });
  const furniture = createFurniture({ means, log, folder, places, warehouse, keyRoom }, config);
  const heartbeats = createHeartbeats({ env: means.env, clock, log });
  try {
    // Whoever was sending before us is gone: the database has one owner.
    if (!dryRun) await recoverInterrupted({ outbox: warehouse.outbox, clock, random, log });
    if (!dryRun) await configureTokens(warehouse, config);
    const data = createDataReach(jobKinds);
    const scheduler = await createScheduler(
      {
        clock,
        log,
        ledger: warehouse.runs,
        execute: furniture.work.execute,
        reach: async (job) =>
          data.bringsData(job) ? data.reachOf(job, { warehouse }) : warehouse.runs.goodThrough(job.name),
        needsThrough: (job, run) => data.needsThroughOf(job, run.slot, run.interval),
        tell: furniture.work.tell,
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
      places,
      warehouse,
      scheduler,
      keyTrouble: keyRoom.journals.check,
      current: furniture.current,
      adopt: async (adopted) => {
        await configureTokens(warehouse, adopted);
        furniture.replace(adopted);
        await scheduler.adopt(jobsOf(adopted), adopted.settings.scheduler.max_running);
      },
      [Symbol.asyncDispose]: async () => {
        await scheduler.stop(0);
        await closeAll([heartbeats, furniture, warehouse]);
      },
    };
  } catch (error) {
    await closeAll([heartbeats, furniture, warehouse]);
    throw error;
  }
};
