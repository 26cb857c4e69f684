import {
  fault,
  isFault,
  unixMillis,
  type Clock,
  type Interval,
  type Progress,
  type UnixMillis,
} from '../core/index.ts';
import type { Job } from '../config/index.ts';
import type { LedgerRun, RunLedger, RunTrigger } from '../storage/index.ts';
import type { Interruption, Outcome } from './attempt.ts';
import type { Cycles } from './cycles.ts';
import type { Ended, OpenRuns } from './open-runs.ts';
import { isBySlot, keyText } from './run-key.ts';

export type SlotRequest = {
  readonly job: Job;
  /** When omitted, a new run at this moment. */
  readonly slot?: UnixMillis | undefined;
  /** The data interval of the run, if its row does not exist yet. */
  readonly interval: Interval<UnixMillis>;
  readonly trigger: Exclude<RunTrigger, 'schedule' | 'catchup'>;
  /** Passed on to the attempt that this request waits for, and to no later one. */
  readonly acceptEmpty?: boolean | undefined;
  readonly progress?: Progress;
  /** Aborted when the caller no longer waits: a run that this request started is then stopped. */
  readonly signal?: AbortSignal | undefined;
};

/** The outcome of a requested run. `already`: it had already succeeded, and nothing was done. */
export type RequestResult = {
  readonly run: LedgerRun;
  readonly already: boolean;
  readonly outcome?: Outcome | undefined;
  readonly error?: unknown;
};

type Waiter = { readonly resolve: (ended: Ended) => void; readonly reject: (error: unknown) => void };

export type RunRequests = {
  /** Resolves when the run has ended, or its attempt has failed with a retry pending. */
  readonly request: (request: SlotRequest) => Promise<RequestResult>;
  /** Whether this run was requested: it is neither skipped nor missed, and does not wait long for data. */
  readonly isRequested: (run: LedgerRun) => boolean;
  readonly progressOf: (run: LedgerRun) => Progress;
  /** Whether the request of this run accepts that the gateway has emptied it. */
  readonly acceptsEmpty: (run: LedgerRun) => boolean;
  readonly onEnd: (ended: Ended) => void;
  /** Rejects all requests of this run. */
  readonly reject: (run: LedgerRun, error: unknown) => void;
  /** Rejects all pending requests. */
  readonly rejectAll: (error: unknown) => void;
};

export type RunRequestDeps = {
  readonly clock: Pick<Clock, 'now'>;
  readonly ledger: RunLedger;
  readonly openRuns: () => OpenRuns;
  readonly cycles: () => Cycles;
  readonly interrupt: (key: string, interruption: Interruption) => void;
  readonly isStopping: () => boolean;
};

/** The row of a run without a schedule. */
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

/** Runs requested by users, commands and other runs, and the callers that wait for them. */
export const createRunRequests = (deps: RunRequestDeps): RunRequests => {
  const { clock, ledger, openRuns, cycles } = deps;
  const waiters = new Map<string, Waiter[]>();
  const listeners = new Map<string, Set<Progress>>();
  const accepting = new Set<string>();

  /** Makes the run open and due; `isOurs` when it was not before. */
  const place = async (
    wanted: SlotRequest,
  ): Promise<{ readonly run: LedgerRun; readonly isOurs: boolean; readonly already: boolean }> => {
    if (deps.isStopping()) throw fault('aborted', 'the daemon is stopping');
    const now = clock.now();
    const find = async (at: UnixMillis): Promise<LedgerRun | undefined> => {
      const key = { job: wanted.job.name, slot: at };
      const found = openRuns().get(keyText(key)) ?? (await ledger.find(key));
      // A row for a range of missed slots gives up one of them.
      return found?.through === undefined ? found : undefined;
    };
    // Scheduled slots are whole seconds: a run at this moment must not occupy one.
    let slot = wanted.slot ?? (now % 1000 === 0 ? unixMillis(now + 1) : now);
    let known = await find(slot);
    while (known !== undefined && wanted.slot === undefined) {
      // Two runs requested in the same millisecond are separate runs.
      slot = unixMillis(slot % 1000 === 999 ? slot + 2 : slot + 1);
      known = await find(slot);
    }
    if (known?.state === 'ok') return { run: known, isOurs: false, already: true };
    // A row for a range of missed slots gives up its first slot.
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
        if (open.state === 'running') deps.interrupt(key, { error, next: 'nothing' });
        else
          await openRuns().close([
            { job: run.job, slot: run.slot, state: 'skipped', at: clock.now(), reason: error.message },
          ]);
      })
      // The ledger is not writable: the run ends anyway.
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
        if (wanted.acceptEmpty === true && result.isOurs) accepting.add(key);
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
    isRequested: (run) => waiters.has(keyText(run)) || !isBySlot(run),
    progressOf: (run) => (step) => {
      for (const listener of listeners.get(keyText(run)) ?? []) listener(step);
    },
    acceptsEmpty: (run) => accepting.has(keyText(run)),
    onEnd: (ended) => {
      const key = keyText(ended.run);
      accepting.delete(key);
      const waiting = waiters.get(key) ?? [];
      waiters.delete(key);
      listeners.delete(key);
      for (const { resolve } of waiting) resolve(ended);
    },
    reject: (run, error) => {
      const key = keyText(run);
      accepting.delete(key);
      const waiting = waiters.get(key) ?? [];
      waiters.delete(key);
      listeners.delete(key);
      for (const { reject } of waiting) reject(error);
    },
    rejectAll: (error) => {
      const waiting = [...waiters.values()].flat();
      waiters.clear();
      accepting.clear();
      for (const { reject } of waiting) reject(error);
    },
  };
};
