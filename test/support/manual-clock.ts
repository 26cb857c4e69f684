import { unixMillis } from '../../src/base/index.ts';
import type { Clock } from '../../src/base/index.ts';

export type ManualClock = Clock & {
  readonly set: (millis: number) => void;
  readonly advance: (millis: number) => void;
  /** The waits that were asked for, in milliseconds, in their order. */
  readonly waits: readonly number[];
};

/** A clock that stands still: a wait moves it on at once, so that years of waiting take no time. */
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
      waits.push(millis);
      now += millis;
      await Promise.resolve();
    },
  };
};
