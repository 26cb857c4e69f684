import { unixMillis } from '../../src/base/index.ts';
import type { Clock } from '../../src/base/index.ts';

export type ManualClock = Clock & {
  readonly set: (millis: number) => void;
  readonly advance: (millis: number) => void;
  /** The waits that were asked for, in milliseconds, in their order. */
  readonly waits: readonly number[];
};

const abortOf = (signal?: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

/** A longer wait is a limit on something else: it ends when it is aborted. */
const longestWait = 600_000;

/** A clock that stands still: a wait moves it on at once, so that hours of retries take no time. */
export const manualClock = (start = Date.parse('2026-11-20T09:30:00Z')): ManualClock => {
  let now = start;
  const waits: number[] = [];
  return {
    now: () => unixMillis(now),
    set: (millis) => {
      now = millis;
    },
    advance: (millis) => {
      now += millis;
    },
    waits,
    wait: async (millis, signal) => {
      signal?.throwIfAborted();
      if (millis > longestWait) return abortOf(signal);
      waits.push(millis);
      now += millis;
      return Promise.resolve();
    },
  };
};
