import type { Clock } from '../core/index.ts';

/** The requests of one run: how many are allowed, and how fast they may follow one another. */
export type RequestBudget = {
  /** Counts a request, and waits for its turn if the previous ones were too fast. */
  readonly take: (signal?: AbortSignal) => Promise<void>;
  readonly taken: () => number;
  /** 0 when they are used up. */
  readonly left: () => number;
};

/**
 * Gateways of the family refuse more than 180 requests in 180 s (docs/gateway.md G3.3); other clients need some of
 * them.
 */
const pace = { requests: 150, millis: 180_000 };

export const createRequestBudget = (max: number, clock: Pick<Clock, 'now' | 'wait'>): RequestBudget => {
  let taken = 0;
  let recent: number[] = [];
  return {
    take: async (signal) => {
      taken += 1;
      const now = clock.now();
      recent = recent.filter((at) => at > now - pace.millis);
      const oldest = recent.at(-pace.requests);
      const at = oldest === undefined ? now : Math.max(now, oldest + pace.millis);
      recent.push(at);
      if (at > now) await clock.wait(at - now, signal);
    },
    taken: () => taken,
    left: () => Math.max(0, max - taken),
  };
};
