import { errorFields, type Clock, type Log } from '../core/index.ts';
import type { Waker } from './waker.ts';

/** Recurring internal work (the outbox, old rows): it has no row in the ledger and is not a job. */
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
  /** Stops wake-ups, aborts running housekeeping and waits for it. */
  readonly stop: () => Promise<void>;
};

/** Runs due housekeeping, each piece of work at most once at a time. */
const createHousekeeper = (deps: LoopDeps, signal: AbortSignal) => {
  const underWay = new Map<string, Promise<void>>();
  const begun = new Map<string, number>();
  return {
    wake: (now: number): void => {
      for (const { name, every, run } of deps.housekeeping) {
        const last = begun.get(name);
        // A clock that was set back must not postpone it until the clock has caught up.
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

/** Wakes the scheduler and the housekeeping, which read from the clock what is due. Housekeeping begins at once; the caller wakes the scheduler first. */
export const startLoop = (deps: LoopDeps): Loop => {
  const stopping = new AbortController();
  const housekeeper = createHousekeeper(deps, stopping.signal);
  const wake = (): void => {
    if (stopping.signal.aborted) return;
    housekeeper.wake(deps.clock.now());
    void deps.reconcile();
  };
  const waking = deps.waker(wake);
  housekeeper.wake(deps.clock.now());
  return {
    stop: async () => {
      waking.stop();
      stopping.abort();
      await housekeeper.settled();
    },
  };
};
