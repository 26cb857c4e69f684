import type { Rate } from './route.ts';

export type RateLimit = {
  /** Milliseconds to wait before the next attempt may begin; 0 counts it as begun. */
  readonly take: (now: number) => number;
};

/** At most `count` in any span of `per` milliseconds; without a rate there is no limit. */
export const createRateLimit = (rate: Rate | undefined): RateLimit => {
  if (rate === undefined) return { take: () => 0 };
  let begun: number[] = [];
  return {
    take: (now) => {
      // A clock that was set back must not close the route until it has caught up.
      begun = begun.filter((moment) => moment > now - rate.per && moment <= now);
      const [oldest] = begun;
      if (oldest !== undefined && begun.length >= rate.count) return oldest + rate.per - now;
      begun.push(now);
      return 0;
    },
  };
};
