import { fault, type Log, type Deps } from '../core/index.ts';
import type { Config } from '../config/index.ts';
import { acquireLock } from '../storage/index.ts';
import type { Paths } from './paths.ts';

/** Milliseconds between two attempts to acquire the lock. */
const between = 500;

/** What to do when a command needs the data alone, and a daemon runs on its volume. */
export const stopDaemons = ({ settings: { database } }: Pick<Config, 'settings'>): string =>
  database === undefined
    ? 'stop it: this command needs the data folder alone; then try again'
    : 'stop it and all other replicas, also those that stand by: this command needs the database and this data folder alone; then try again';

/**
 * Makes this process the only daemon of the volume until disposed; the lock dies with the process.
 * @throws Fault `daemon-runs` when another daemon holds it and `wait` is not set; those of the warehouse
 */
export const acquireDaemonLock = async (
  { daemonLock }: Pick<Paths, 'daemonLock'>,
  { clock, signal }: Pick<Deps, 'clock' | 'signal'>,
  log: Log,
  { wait, advice }: { readonly wait: boolean; readonly advice?: string },
): Promise<AsyncDisposable> => {
  let isLogged = false;
  for (;;) {
    const lock = await acquireLock(daemonLock);
    if (lock.held) return lock;
    const holder = lock.holder === undefined ? '' : ` (process id ${lock.holder})`;
    if (!wait)
      throw fault(
        'daemon-runs',
        `another daemon is running on this volume${holder}`,
        advice === undefined ? {} : { advice },
      );
    if (!isLogged) log.info(`waiting for the other daemon on this volume to stop${holder}`);
    isLogged = true;
    await clock.wait(between, signal);
  }
};
