import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { pid } from 'node:process';
import { fault, hasCode, type Deps, type Limit, type Log } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import type { SharedDatabase } from '../../storage/index.ts';
import { openDatabase } from '../../warehouse/index.ts';
import { version } from '../../version.ts';

/** Extra milliseconds to wait for another lease to expire, because the clocks of server and process differ. */
const grace = 1000;

/** Connects to the database of several processes as one of them, which holds no leases yet. */
export const openShared = async (
  { clock }: Pick<Deps, 'clock'>,
  url: string,
  { settings }: Pick<Config, 'settings'>,
  log: Log,
): Promise<SharedDatabase> => {
  const holder = `${hostname()}/${pid}/${randomUUID().slice(0, 8)}`;
  return openDatabase({
    url,
    holder,
    lease: settings.scheduler.lease,
    timeout: settings.database_timeout,
    clock,
    log,
    version,
  });
};

/** Milliseconds that a stop waits for the database after the grace period of jobs. */
const longestClosing = 1000;

export type StopLimit = Disposable & {
  /** Call it when a stop begins. `abandon` ends all work on the database; `grace` of running jobs in milliseconds. */
  readonly begin: (abandon: SharedDatabase['engine']['abandon'], grace: number) => void;
};

/** Limits the time of a stop while the database does not answer. Dispose of it when the database is closed. */
export const createStopLimit = ({ clock }: Pick<Deps, 'clock'>): StopLimit => {
  let limit: Limit | undefined;
  return {
    begin: (abandon, grace) => {
      limit = clock.limit(grace + longestClosing);
      limit.signal.addEventListener('abort', () =>
        abandon(fault('aborted', 'the process stopped before the database answered')),
      );
    },
    [Symbol.dispose]: () => limit?.[Symbol.dispose](),
  };
};

/** Closes a database that no warehouse closes. */
export const closeShared = async ({ leases, engine }: SharedDatabase): Promise<void> => {
  await leases[Symbol.asyncDispose]();
  await engine[Symbol.asyncDispose]();
};

/**
 * Takes the leases on all accounts, so that no daemon works meanwhile; those of a process that was killed end within their time.
 * @throws fault lease-lost while a daemon works
 */
export const holdAlone = async (
  { leases }: SharedDatabase,
  { clock, signal }: Pick<Deps, 'clock' | 'signal'>,
  { settings }: Pick<Config, 'settings'>,
  log: Log,
): Promise<void> => {
  const accounts = Object.keys(settings.accounts);
  try {
    await leases.hold(accounts, undefined);
  } catch (error) {
    if (!hasCode(error, 'lease-lost')) throw error;
    log.info(`${error.message}: waiting until its lease ends, in case it was killed`);
    await clock.wait(settings.scheduler.lease + grace, signal);
    await leases.hold(accounts, undefined);
  }
};
