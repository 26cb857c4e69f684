import { errorFields, fault, firstSignal, hasCode } from '../base/index.ts';
import type { Log, Means } from '../base/index.ts';
import { formatConfigFault } from '../config/index.ts';
import type { Config, Loaded } from '../config/index.ts';
import { askDaemon } from '../server/index.ts';
import type { Commands } from '../server/index.ts';
import { readConfig } from '../settings.ts';
import { version } from '../version.ts';
import { createLocalCommands } from './local-commands.ts';
import { openApp } from './open-app.ts';
import type { App } from './open-app.ts';
import { placesOf } from './places.ts';
import { createJournalWatch } from './stuck-rotations.ts';

export type OpenCommands = Commands &
  AsyncDisposable & {
    /** Whether a running daemon carries them out. */
    readonly fromDaemon: boolean;
  };

export type CommandOptions = {
  /** Of the config. */
  readonly folder: string;
  readonly log: Log;
  /** Only plans are asked for: nothing is written. */
  readonly dryRun?: boolean;
};

/** The config, or the fault that lists all of its faults. @throws Fault `config-invalid` */
export const goodConfig = ({ config, faults }: Loaded): Config => {
  if (config !== undefined) return config;
  throw fault(
    'config-invalid',
    `the config has ${faults.length} fault${faults.length === 1 ? '' : 's'}\n${faults.map(formatConfigFault).join('\n')}`,
  );
};

/** A daemon that is just starting holds the database before it answers. */
const patience = { tries: 60, wait: 250 };

/** The highest id in the outbox: those of later mails are higher. */
const newestMail = async (app: App): Promise<number> => {
  const [newest] = await app.warehouse.outbox.list({ limit: 1 });
  return Number(newest?.id ?? 0);
};

/** Milliseconds that letters may take at the end of a command. */
const sendingPatience = 60_000;

/** Sends the letters that this command has written, operators' among them: no daemon is there to do it. */
const sendOwn = async (app: App, { clock, signal }: Means, before: number, log: Log): Promise<void> => {
  try {
    const queued = await app.warehouse.outbox.list({ states: ['queued'] });
    const ids = queued.map(({ id }) => id).filter((id) => Number(id) > before);
    if (ids.length === 0) return;
    using limit = clock.limit(sendingPatience);
    using first = firstSignal([signal, limit.signal]);
    await app.current().deliver({ ids, signal: first.signal });
  } catch (error) {
    log.warn(
      'letters that this command has written wait for the next one, or for a daemon',
      errorFields(error),
    );
  }
};

/** No daemon is there to tell of it; once a day, as by a daemon that starts. */
const tellKeyTrouble = async (app: App, { clock }: Means): Promise<void> => {
  const trouble = await app.keyTrouble();
  const news = trouble === undefined ? undefined : createJournalWatch(clock).failed('', trouble);
  if (news !== undefined) await app.current().tellOfKeys(news);
};

const openOwn = async (means: Means, config: Config, options: CommandOptions): Promise<OpenCommands> => {
  const loadedAt = means.clock.now();
  const app = await openApp(means, { ...options, config, claimsSlots: false });
  const before = await newestMail(app).catch(async (error: unknown) => {
    await app[Symbol.asyncDispose]();
    throw error;
  });
  if (options.dryRun !== true) await tellKeyTrouble(app, means);
  const commands = createLocalCommands({
    clock: means.clock,
    app,
    state: () => ({ config: { loadedAt, faults: [], atNextStart: [] } }),
  });
  return {
    ...commands,
    fromDaemon: false,
    [Symbol.asyncDispose]: async () => {
      try {
        await sendOwn(app, means, before, options.log);
      } finally {
        await app[Symbol.asyncDispose]();
      }
    },
  };
};

/**
 * The commands: of the daemon that runs on this database, else of this process, which then opens the database itself. A
 * running daemon is asked also when the config has become faulty meanwhile.
 * @throws Fault `config-invalid`, those of the warehouse, and those of the control socket
 */
export const openCommands = async (means: Means, options: CommandOptions): Promise<OpenCommands> => {
  const loaded = await readConfig(options.folder, means);
  // Where not even the database is known, neither is its daemon.
  const { path } = placesOf(means, {
    path: loaded.warehousePath ?? goodConfig(loaded).settings.warehouse.path,
  });
  for (let left = patience.tries; ; left -= 1) {
    const daemon = await askDaemon(path, { version, clock: means.clock, cwd: means.cwd });
    if (daemon !== undefined)
      return { ...daemon, fromDaemon: true, [Symbol.asyncDispose]: () => Promise.resolve() };
    try {
      return await openOwn(means, goodConfig(loaded), options);
    } catch (error) {
      if (!hasCode(error, 'warehouse-locked') || left <= 1) throw error;
      await means.clock.wait(patience.wait, means.signal);
    }
  }
};
