import { setTimeout as sleep } from 'node:timers/promises';
import { unixMillis } from './units.ts';
import type { UnixMillis } from './units.ts';

/** Time comes in as an argument everywhere, so that months can be run in minutes. */
export type Clock = {
  readonly now: () => UnixMillis;
  /** Resolves after that many milliseconds; rejects with the signal's reason when it is aborted. */
  readonly wait: (millis: number, signal?: AbortSignal) => Promise<void>;
};

/** The wall clock; the one place that reads it. */
export const systemClock: Clock = {
  now: () => unixMillis(Date.now()),
  wait: async (millis, signal) => {
    signal?.throwIfAborted();
    try {
      await sleep(millis, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};
