import { fault, hasCode, type Deps, type Log } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import type { SharedDatabase } from '../../storage/index.ts';
import { isPresent, type Paths } from '../data-folder/paths.ts';
import { closeShared, openShared } from './database-leases.ts';
import { isServed } from './replica-table.ts';

/** Milliseconds until a lease that another process holds is asked for again. */
const pause = 500;

type Options = {
  readonly config: Config;
  readonly log: Log;
  /** Whether the command only reads: it needs no lease, and waits for none. */
  readonly reads?: boolean;
  /** Whether nothing is asked of others, and nothing written. */
  readonly dryRun?: boolean;
};

/** How the replica that works is asked through the database. */
type Ways<Call> = {
  readonly commandsOf: (database: SharedDatabase) => Call;
  /** Ends when it answers. */
  readonly ping: (call: Call) => Promise<unknown>;
};

/**
 * Returns the commands of the working replica if one serves, otherwise the app that `open` returns. A command that only reads
 * needs no lease. Other commands wait at most one lease duration, because a command of another process may hold the leases.
 */
export const openOrAsk = async <Call, App>(
  deps: Deps,
  { config, log, reads = false, dryRun = false }: Options,
  { commandsOf, ping }: Ways<Call>,
  open: (shared: { readonly database?: SharedDatabase; readonly dryRun?: boolean }) => Promise<App>,
): Promise<{ readonly app: App } | { readonly asked: AsyncDisposable & { readonly call: Call } }> => {
  const { clock, signal } = deps;
  const { database: url, scheduler } = config.settings;
  if (url === undefined || dryRun) return { app: await open({}) };
  const until = clock.now() + scheduler.lease + pause;
  for (;;) {
    const database = await openShared(deps, url.reveal(), config, log);
    const close = (): Promise<void> => closeShared(database);
    const call = commandsOf(database);
    try {
      if (await isServed(database.reader)) {
        await ping(call);
        return { asked: { call, [Symbol.asyncDispose]: close } };
      }
    } catch (error) {
      // It serves no more, or its lease ends soon.
      if (!hasCode(error, 'daemon-unreachable')) {
        await close();
        throw error;
      }
    }
    try {
      return { app: await open({ database, dryRun: reads }) };
    } catch (error) {
      if (!hasCode(error, 'lease-lost')) throw error;
      if (clock.now() >= until)
        throw fault('lease-lost', error.message, {
          cause: error,
          advice:
            'a command uses the database: try again when it has ended; commands that only read need not wait',
          retryHelps: true,
        });
    }
    await clock.wait(pause, signal);
  }
};

/** How a command reads what is there and leaves it unchanged; undefined where there is no database yet. */
export const readsUnchanged = async (
  { settings: { database } }: Pick<Config, 'settings'>,
  { path }: Pick<Paths, 'path'>,
): Promise<{ reads: true; migrates: false; dryRun: boolean } | undefined> => {
  const how = { reads: true, migrates: false } as const;
  if (database !== undefined) return { ...how, dryRun: false };
  return (await isPresent(path)) ? { ...how, dryRun: true } : undefined;
};
