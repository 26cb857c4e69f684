import { fault, isFault, unixMillis } from '../core/index.ts';
import type { Clock, Interval, Progress, UnixMillis } from '../core/index.ts';
import type { Job } from '../config/index.ts';
import type { LedgerRun, RunLedger, RunTrigger } from '../warehouse/index.ts';
import type { Interruption, Outcome } from './attempt.ts';
import type { Cycles } from './cycles.ts';
import type { Ended, OpenRuns } from './open-runs.ts';
import { isBySlot, keyText } from './run-key.ts';

export type SlotRequest = {
  readonly job: Job;
  /** A new run of this moment when left out. */
  readonly slot?: UnixMillis | undefined;
  /** The data the run is about, where its row is not there yet. */
  readonly interval: Interval<UnixMillis>;
  readonly trigger: Exclude<RunTrigger, 'schedule' | 'catchup'>;
  readonly progress?: Progress;
  /** Aborted when nobody waits for it any more: a run that this order began is stopped then. */
  readonly signal?: AbortSignal | undefined;
};

/** How an ordered run ended. `already`: it had ended well before, and nothing was done. */
export type Ordered = {
  readonly run: LedgerRun;
  readonly already: boolean;
  readonly outcome?: Outcome | undefined;
  readonly error?: unknown;
};

type Waiter = { readonly resolve: (ended: Ended) => void; readonly reject: (error: unknown) => void };

export type RunRequests = {
  /** Resolves when the run has ended, or its attempt has failed with another to come. */
  readonly request: (request: SlotRequest) => Promise<Ordered>;
  /** Whether somebody asked for this very run: it is neither skipped nor missed, and does not wait long for data. */
  readonly isOrdered: (run: LedgerRun) => boolean;
  readonly progressOf: (run: LedgerRun) => Progress;
  readonly onEnd: (ended: Ended) => void;
  /** Orders of this run are not going to be carried out. */
  readonly reject: (run: LedgerRun, error: unknown) => void;
  /** Nobody's order is going to be carried out any more. */
  readonly rejectAll: (error: unknown) => void;
};

export type OrderDeps = {
  readonly clock: Pick<Clock, 'now'>;
  readonly ledger: RunLedger;
  readonly openRuns: () => OpenRuns;
  readonly cycles: () => Cycles;
  readonly interrupt: (key: string, interruption: Interruption) => void;
  readonly isStopping: () => boolean;
};

/** A run that no schedule asked for. */
const rowOf = (wanted: SlotRequest, slot: UnixMillis, now: UnixMillis): LedgerRun => ({
  job: wanted.job.name,
  account: wanted.job.account,
  slot,
  version: 0,
  trigger: wanted.trigger,
  state: 'queued',
  interval: wanted.interval,
  attempts: 0,
  nextAttempt: now,
  claimedAt: now,
});

/** Runs that people, the command line and other runs ask for, and who waits for them. */
export const createRunRequests = (deps: OrderDeps): RunRequests => {
  const { clock, ledger, openRuns, cycles } = deps;
  const waiters = new Map<string, Waiter[]>();
  const listeners = new Map<string, Set<Progress>>();

  /** The run is open and due when this is over; `isOurs` when it was not before. */
  const place = async (
    wanted: SlotRequest,
  ): Promise<{ readonly run: LedgerRun; readonly isOurs: boolean; readonly already: boolean }> => {
    if (deps.isStopping()) throw fault('aborted', 'the daemon is stopping');
    const now = clock.now();
    const find = async (at: UnixMillis): Promise<LedgerRun | undefined> => {
      const key = { job: wanted.job.name, slot: at };
      const found = openRuns().get(keyText(key)) ?? (await ledger.find(key));
      // A row for a whole span of missed slots makes room for one of them.
      return found?.through === undefined ? found : undefined;
    };
    // Slots of schedules are whole seconds: a run of this moment takes none of them away.
    let slot = wanted.slot ?? (now % 1000 === 0 ? unixMillis(now + 1) : now);
    let known = await find(slot);
    while (known !== undefined && wanted.slot === undefined) {
      // Two runs that are asked for in one millisecond are two runs.
      slot = unixMillis(slot % 1000 === 999 ? slot + 2 : slot + 1);
      known = await find(slot);
    }
    if (known?.state === 'ok') return { run: known, isOurs: false, already: true };
    // A row that stands for a span of missed slots gives its first slot up.
    if (known === undefined || known.through !== undefined) {
      const row = rowOf(wanted, slot, now);
      const [claimed] = await ledger.claim([{ runs: [row] }]);
      if (claimed === undefined) throw fault('aborted', 'the ledger has one row for many slots instead');
      openRuns().put(row);
      return { run: row, isOurs: true, already: false };
    }
    if (openRuns().get(keyText(known)) === undefined) {
      const reopened = await ledger.reopen(known, now);
      if (reopened === undefined) throw fault('aborted', 'the run has been removed from the ledger');
      openRuns().put(reopened);
      return { run: reopened, isOurs: true, already: false };
    }
    if (known.state !== 'running') openRuns().put({ ...known, nextAttempt: now });
    return { run: known, isOurs: false, already: false };
  };

  const cancel = (run: LedgerRun, reason: unknown): void => {
    const key = keyText(run);
    const error = isFault(reason)
      ? reason
      : fault('aborted', 'the client that requested the run has disconnected');
    void cycles()
      .runExclusive(async () => {
        const open = openRuns().get(key);
        if (open === undefined) return;
        if (open.state === 'running') deps.interrupt(key, { error, final: true });
        else
          await openRuns().close([
            { job: run.job, slot: run.slot, state: 'skipped', at: clock.now(), reason: error.message },
          ]);
      })
      // The ledger cannot be written: the run ends as it ends.
      .catch(() => undefined);
  };

  return {
    request: async (wanted) => {
      wanted.signal?.throwIfAborted();
      const { progress } = wanted;
      let ended: Promise<Ended> | undefined;
      const placed = await cycles().runExclusive(async () => {
        const result = await place(wanted);
        if (result.already) return result;
        const key = keyText(result.run);
        if (progress !== undefined) listeners.set(key, (listeners.get(key) ?? new Set()).add(progress));
        ended = new Promise<Ended>((resolve, reject) => {
          waiters.set(key, [...(waiters.get(key) ?? []), { resolve, reject }]);
        });
        return result;
      });
      if (ended === undefined) return { run: placed.run, already: true };
      const onAbort = (): void => {
        if (placed.isOurs) cancel(placed.run, wanted.signal?.reason);
      };
      wanted.signal?.addEventListener('abort', onAbort, { once: true });
      if (wanted.signal?.aborted === true) onAbort();
      try {
        return { ...(await ended), already: false };
      } finally {
        wanted.signal?.removeEventListener('abort', onAbort);
        if (progress !== undefined) listeners.get(keyText(placed.run))?.delete(progress);
      }
    },
    isOrdered: (run) => waiters.has(keyText(run)) || !isBySlot(run),
    progressOf: (run) => (step) => {
      for (const listener of listeners.get(keyText(run)) ?? []) listener(step);
    },
    onEnd: (ended) => {
      const key = keyText(ended.run);
      const waiting = waiters.get(key) ?? [];
      waiters.delete(key);
      listeners.delete(key);
      for (const { resolve } of waiting) resolve(ended);
    },
    reject: (run, error) => {
      const key = keyText(run);
      const waiting = waiters.get(key) ?? [];
      waiters.delete(key);
      listeners.delete(key);
      for (const { reject } of waiting) reject(error);
    },
    rejectAll: (error) => {
      const waiting = [...waiters.values()].flat();
      waiters.clear();
      for (const { reject } of waiting) reject(error);
    },
  };
};
