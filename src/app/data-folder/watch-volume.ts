import { stat } from 'node:fs/promises';
import { fault, type Clock, type Log } from '../../core/index.ts';

/** Milliseconds between two looks at a volume that is gone. */
const between = 2000;

/** Identifies the file at the path; undefined where it cannot be looked at. Opens nothing. */
const markOf = (path: string): Promise<string | undefined> =>
  stat(path, { bigint: true }).then(
    ({ dev, ino }) => `${dev} ${ino}`,
    () => undefined,
  );

export type VolumeWatch = {
  /** Looks whether the file at the path is still the database that was opened. */
  readonly look: () => Promise<void>;
  /** Resolves when it no longer is: what is written to the open file is lost. */
  readonly lost: Promise<void>;
  /**
   * Does nothing while the database is where it was opened. Otherwise waits until there is one at the path again, without creating
   * any, and then rejects, so that a restart opens it. @throws Fault volume-lost; the reason of the signal
   */
  readonly end: (signal: AbortSignal) => Promise<void>;
};

/** Called when the database is open. */
export const watchVolume = async (path: string, clock: Clock, log: Log): Promise<VolumeWatch> => {
  const opened = await markOf(path);
  let isLost = false;
  let resolve = (): void => undefined;
  const lost = new Promise<void>((resolved) => {
    resolve = resolved;
  });
  const message = `the database ${path} was removed or its volume was unmounted while the daemon ran`;
  return {
    look: async () => {
      if (isLost || (await markOf(path)) === opened) return;
      isLost = true;
      log.error(`${message}; no job runs until it is back`, {
        advice:
          'mount the volume again, or restore a backup; the daemon then ends, so that a restart opens it',
      });
      resolve();
    },
    lost,
    end: async (signal) => {
      if (!isLost) return;
      while ((await markOf(path)) === undefined) await clock.wait(between, signal);
      throw fault('volume-lost', message);
    },
  };
};
