import { uptime } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { unixMillis, type UnixMillis } from './units.ts';

/** Time is an argument everywhere, so that tests can run months in minutes. */
export type Clock = {
  readonly now: () => UnixMillis;
  /** Milliseconds since the machine started; setting its clock does not change it. */
  readonly uptime?: (() => number) | undefined;
  /** A time limit: its signal is aborted after that many milliseconds, unless it is disposed first. */
  readonly limit: (millis: number) => Limit;
  /** Resolves after that many milliseconds; rejects with the signal's reason when it is aborted. */
  readonly wait: (millis: number, signal?: AbortSignal) => Promise<void>;
};

export type Limit = Disposable & { readonly signal: AbortSignal };

/** Node fires longer timers at once. */
const longestTimer = 2 ** 31 - 1;

/** The wall clock; the only code that reads it. */
export const systemClock: Clock = {
  now: () => unixMillis(Date.now()),
  uptime: () => Math.round(uptime() * 1000),
  limit: (millis) => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), Math.min(millis, longestTimer));
    return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
  },
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
