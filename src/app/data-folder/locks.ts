import { fault, type Log, type Deps } from '../../core/index.ts';
import { acquireLock } from '../../storage/index.ts';
import { clearSpool } from '../../warehouse/index.ts';
import type { Paths } from './paths.ts';

/** Milliseconds between two attempts to acquire the lock. */
const between = 500;

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

/** Keeps the spool until disposed: a daemon that starts does not clear it. Undefined if another process has it. */
export const lockSpool = async ({
  spoolLock,
}: Pick<Paths, 'spoolLock'>): Promise<AsyncDisposable | undefined> => {
  const lock = await acquireLock(spoolLock);
  return lock.held ? lock : undefined;
};

/** Removes what killed processes of this data folder have left, unless a command works in it. */
export const clearSpoolOf = async (
  { spoolLock, spoolDirectory }: Pick<Paths, 'spoolLock' | 'spoolDirectory'>,
  log: Log,
): Promise<void> => {
  await using lock = await lockSpool({ spoolLock });
  if (lock !== undefined) await clearSpool(spoolDirectory, log);
};
