import { errorFields, fault, firstSignal, hasCode } from '../core/index.ts';
import type { Log, Deps } from '../core/index.ts';
import { formatConfigFault } from '../config/index.ts';
import type { Config, Loaded } from '../config/index.ts';
import { callLocally, commandTable, connectToDaemon } from '../control/index.ts';
import { readConfig } from '../settings.ts';
import { version } from '../version.ts';
import { createHandlers } from './handlers/handlers.ts';
import type { Commands, ProgramHandlers } from './handlers/handlers.ts';
import { openApp } from './open-app.ts';
import type { App } from './open-app.ts';
import { pathsOf } from './paths.ts';
import { createJournalWatch } from './keys/stuck-rotations.ts';

export type OpenCommands = AsyncDisposable & {
  readonly call: Commands;
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
const timeout = { tries: 60, wait: 250 };

/** The highest id in the outbox: those of later mails are higher. */
const newestMail = async (app: App): Promise<number> => {
  const [newest] = await app.warehouse.outbox.list({ limit: 1 });
  return Number(newest?.id ?? 0);
};

/** Milliseconds that letters may take at the end of a command. */
const sendingTimeout = 60_000;

/** Sends the letters that this command has written, operators' among them: no daemon is there to do it. */
const sendOwn = async (app: App, { clock, signal }: Deps, before: number, log: Log): Promise<void> => {
  try {
    const queued = await app.warehouse.outbox.list({ states: ['queued'] });
    const ids = queued.map(({ id }) => id).filter((id) => Number(id) > before);
    if (ids.length === 0) return;
    using limit = clock.limit(sendingTimeout);
    using first = firstSignal([signal, limit.signal]);
    using runtime = app.lease();
    await runtime.deliver({ ids, signal: first.signal });
  } catch (error) {
    log.warn(
      'messages queued by this command are sent by the next command or by the daemon',
      errorFields(error),
    );
  }
};

/** No daemon is there to tell of it; once a day, as by a daemon that starts. */
const tellKeyProblem = async (app: App, { clock }: Deps): Promise<void> => {
  const problem = await app.keyProblem();
  const alert = problem === undefined ? undefined : createJournalWatch(clock).failed('', problem);
  if (alert === undefined) return;
  using runtime = app.lease();
  await runtime.notifyOfKeys(alert);
};

const openOwn = async (deps: Deps, config: Config, options: CommandOptions): Promise<OpenCommands> => {
  const loadedAt = deps.clock.now();
  const app = await openApp(deps, { ...options, config, claimsSlots: false });
  const before = await newestMail(app).catch(async (error: unknown) => {
    await app[Symbol.asyncDispose]();
    throw error;
  });
  if (options.dryRun !== true) await tellKeyProblem(app, deps);
  const handlers = createHandlers({
    clock: deps.clock,
    app,
    state: () => ({ config: { loadedAt, faults: [], atNextStart: [] } }),
  });
  return {
    call: callLocally(commandTable, handlers),
    fromDaemon: false,
    [Symbol.asyncDispose]: async () => {
      try {
        await sendOwn(app, deps, before, options.log);
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
export const openCommands = async (deps: Deps, options: CommandOptions): Promise<OpenCommands> => {
  const loaded = await readConfig(options.folder, deps);
  // Where not even the database is known, neither is its daemon.
  const { path } = pathsOf(deps, {
    path: loaded.warehousePath ?? goodConfig(loaded).settings.warehouse.path,
  });
  for (let left = timeout.tries; ; left -= 1) {
    const call = await connectToDaemon<typeof commandTable, ProgramHandlers>(path, {
      version,
      clock: deps.clock,
      cwd: deps.cwd,
    });
    if (call !== undefined) return { call, fromDaemon: true, [Symbol.asyncDispose]: () => Promise.resolve() };
    try {
      return await openOwn(deps, goodConfig(loaded), options);
    } catch (error) {
      if (!hasCode(error, 'warehouse-locked') || left <= 1) throw error;
      await deps.clock.wait(timeout.wait, deps.signal);
    }
  }
};
