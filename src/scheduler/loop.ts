import { errorFields } from '../core/index.ts';
import type { Clock, Log } from '../core/index.ts';
import type { Waker } from './waker.ts';

/** Work of our own that comes up again and again (the outbox, old rows): no row in the ledger, no place among the jobs. */
export type Housekeeping = {
  readonly name: string;
  /** Milliseconds from one start to the next. */
  readonly every: number;
  readonly run: (signal: AbortSignal) => Promise<void>;
};

export type LoopDeps = {
  readonly clock: Clock;
  readonly log: Log;
  readonly waker: Waker;
  readonly reconcile: () => Promise<void>;
  readonly housekeeping: readonly Housekeeping[];
};

export type Loop = {
  /** No more wake-ups; housekeeping under way is aborted and waited for. */
  readonly stop: () => Promise<void>;
};

/** Does housekeeping that is due, each piece of work at most once at a time. */
const createHousekeeper = (deps: LoopDeps, signal: AbortSignal) => {
  const underWay = new Map<string, Promise<void>>();
  const begun = new Map<string, number>();
  return {
    wake: (now: number): void => {
      for (const { name, every, run } of deps.housekeeping) {
        const last = begun.get(name);
        // A clock that was set back must not put it off until it has caught up.
        const isDue = last === undefined || now - last >= every || now < last;
        if (!isDue || underWay.has(name)) continue;
        begun.set(name, now);
        const work = run(signal)
          .catch((error: unknown) => {
            if (!signal.aborted) deps.log.error('housekeeping failed', { name, ...errorFields(error) });
          })
          .finally(() => void underWay.delete(name));
        underWay.set(name, work);
      }
    },
    settled: async (): Promise<void> => {
      await Promise.all(underWay.values());
    },
  };
};

/** Wakes the scheduler and the housekeeping; what is due they work out from the clock. */
export const startLoop = (deps: LoopDeps): Loop => {
  const stopping = new AbortController();
  const housekeeper = createHousekeeper(deps, stopping.signal);
  const wake = (): void => {
    if (stopping.signal.aborted) return;
    housekeeper.wake(deps.clock.now());
    void deps.reconcile();
  };
  const waking = deps.waker(wake);
  return {
    stop: async () => {
      waking.stop();
      stopping.abort();
      await housekeeper.settled();
    },
  };
};
