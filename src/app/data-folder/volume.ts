import { hasCode, type Log, type Deps } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import { listenForHealth } from '../../web/index.ts';
import { version } from '../../version.ts';
import { acquireDaemonLock } from './locks.ts';
import type { Paths } from './paths.ts';

type HealthListener = Awaited<ReturnType<typeof listenForHealth>>;

export type Volume = {
  /** Close it last: the process is alive, but not ready, while the rest opens and closes. */
  readonly health: HealthListener;
  readonly lock: AsyncDisposable;
};

export type VolumeDeps = {
  readonly paths: Paths;
  readonly log: Log;
  readonly wait: boolean;
  readonly ready: () => boolean;
};

/**
 * Opens the health check first, so that a waiting daemon is alive. A port in use may belong to the daemon of this volume:
 * then that daemon is named, or waited for.
 * @throws Fault `daemon-runs`, `port-in-use`; the reason of the signal; those of the warehouse
 */
export const takeVolume = async (
  deps: Deps,
  { host, port }: Config['settings']['health'],
  { paths, log, wait, ready }: VolumeDeps,
): Promise<Volume> => {
  const listen = (): Promise<HealthListener> =>
    listenForHealth({ host, port, health: () => ({ ready: ready(), version }) });
  let health: HealthListener | undefined;
  try {
    health = await listen();
  } catch (error) {
    if (!hasCode(error, 'port-in-use')) throw error;
  }
  let lock: AsyncDisposable | undefined;
  try {
    lock = await acquireDaemonLock(paths, deps, log, { wait });
    return { health: health ?? (await listen()), lock };
  } catch (error) {
    await lock?.[Symbol.asyncDispose]();
    await health?.[Symbol.asyncDispose]();
    throw error;
  }
};
