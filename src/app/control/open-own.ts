import { errorFields, firstSignal, type Log, type Deps } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import { callLocally, commandTable } from '../../control/index.ts';
import type { SharedDatabase } from '../../storage/index.ts';
import { createHandlers, type Commands } from './handlers.ts';
import { createStuckWatch } from '../keys/stuck-rotations.ts';
import { compose, type App } from '../compose.ts';
import { openOrAsk } from '../replicas/open-or-ask.ts';
import { commandsOf } from './replica-commands.ts';

export type OpenCommands = AsyncDisposable & {
  readonly call: Commands;
  readonly fromDaemon: boolean;
};

export type CommandOptions = {
  readonly folder: string;
  readonly log: Log;
  /** For plans only: writes nothing. */
  readonly dryRun?: boolean;
  /** For commands that only read: they need no lease, and wait for none. */
  readonly reads?: boolean;
  /** Whether an older database file is migrated; omitted: unless the command only reads. */
  readonly migrates?: boolean;
};

/** The highest id in the outbox: later mails have higher ids. */
const newestMail = async (app: App): Promise<number> => {
  const [newest] = await app.warehouse.outbox.list({ limit: 1 });
  return Number(newest?.id ?? 0);
};

/** Milliseconds that sending may take at the end of a command. */
const sendingTimeout = 60_000;

/** Sends the mails that this command enqueued, including those to operators: no daemon does it. */
const sendOwn = async (app: App, { clock, signal }: Deps, before: number, log: Log): Promise<void> => {
  try {
    const queued = await app.warehouse.outbox.list({ states: ['queued'] });
    const ids = queued.map(({ id }) => id).filter((id) => Number(id) > before);
    if (ids.length === 0) return;
    using limit = clock.limit(sendingTimeout);
    using first = firstSignal([signal, limit.signal]);
    using runtime = app.lease();
    await runtime.delivery.deliver({ ids, signal: first.signal });
  } catch (error) {
    log.warn(
      'messages queued by this command are sent by the next command or by the daemon',
      errorFields(error),
    );
  }
};

/** No daemon does it here. At most once a day, like a daemon at startup. */
const tellKeyProblem = async (app: App, { clock }: Deps): Promise<void> => {
  const problem = await app.keyProblem();
  const alert = problem === undefined ? undefined : createStuckWatch('closed', clock).failed('', problem);
  if (alert === undefined) return;
  using runtime = app.lease();
  await runtime.notifications.sendKeyAlert(alert);
};

/** The plaintext of an undelivered key is lost with this process. */
const releaseKeys = async (app: App, { signal }: Deps, log: Log): Promise<void> => {
  try {
    using runtime = app.lease();
    for (const account of Object.keys(runtime.config.settings.accounts))
      await (await runtime.keyService(account)).releaseUndelivered(signal);
  } catch (error) {
    log.warn('undelivered keys are judged by the next command or by the daemon', errorFields(error));
  }
};

export const openOwn = async (deps: Deps, config: Config, options: CommandOptions): Promise<OpenCommands> => {
  const loadedAt = deps.clock.now();
  const { migrates = options.reads !== true } = options;
  const ways = {
    commandsOf: (database: SharedDatabase) => commandsOf(database, deps, config),
    ping: (call: ReturnType<typeof commandsOf>) => call('ping', {}, { signal: deps.signal }),
  };
  const opened = await openOrAsk(deps, { ...options, config }, ways, (shared) =>
    compose(deps, { ...options, config, claimsSlots: false, migrates, ...shared }),
  );
  if ('asked' in opened) return { ...opened.asked, fromDaemon: true };
  const { app } = opened;
  const { isReader } = app;
  const before = await newestMail(app).catch(async (error: unknown) => {
    await app[Symbol.asyncDispose]();
    throw error;
  });
  if (!isReader) await tellKeyProblem(app, deps);
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
        if (app.holdsPlaintexts()) await releaseKeys(app, deps, options.log);
        if (!isReader) await sendOwn(app, deps, before, options.log);
      } finally {
        await app[Symbol.asyncDispose]();
      }
    },
  };
};
