import { unixMillis, type Clock } from '../../src/core/index.ts';

export type ManualClock = Clock & {
  readonly set: (millis: number) => void;
  readonly advance: (millis: number) => void;
  /** The waits that were asked for, in milliseconds, in their order. */
  readonly waits: readonly number[];
};

/** A clock that stands still: a wait moves it on at once, so that hours of retries take no time. */
export const manualClock = (start = Date.parse('2026-11-20T09:30:00Z')): ManualClock => {
  let now = start;
  const waits: number[] = [];
  const limits = new Map<AbortController, number>();
  const goTo = (millis: number): void => {
    now = millis;
    for (const [controller, at] of limits) {
      if (at > now) continue;
      limits.delete(controller);
      controller.abort();
    }
  };
  return {
    now: () => unixMillis(now),
    set: goTo,
    advance: (millis) => goTo(now + millis),
    waits,
    wait: async (millis, signal) => {
      signal?.throwIfAborted();
      waits.push(millis);
      goTo(now + millis);
      await Promise.resolve();
    },
    limit: (millis) => {
      const controller = new AbortController();
      limits.set(controller, now + millis);
      goTo(now);
      return { signal: controller.signal, [Symbol.dispose]: () => void limits.delete(controller) };
    },
  };
};
