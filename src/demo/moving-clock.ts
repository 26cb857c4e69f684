import { unixMillis, type Clock } from '../core/index.ts';

/** A clock that can be advanced: the hours that a key has to wait take no time in the demo. */
export type MovingClock = Clock & { readonly move: (millis: number) => void };

export const movingClock = (clock: Clock): MovingClock => {
  let moved = 0;
  return {
    ...clock,
    now: () => unixMillis(clock.now() + moved),
    // Time passes, and no clock is set.
    ...(clock.uptime === undefined ? {} : { uptime: () => (clock.uptime?.() ?? 0) + moved }),
    move: (millis) => void (moved += millis),
  };
};
