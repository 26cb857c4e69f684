import { errorFields, unixMillis, type Log, type UnixMillis, lateText } from '../core/index.ts';
import type { Job } from '../config/index.ts';
import type { LedgerRun, RunClosing, RunEvent, RunLedger, UnrecordedEnd } from '../storage/index.ts';
import type { AttemptResult, Outcome } from './attempt.ts';
import type { Claimed } from './claiming.ts';
import type { Start } from './dispatch.ts';
import { randomizedDelay, retryWait } from './delays.ts';
import { isBySlot, keyText, runFields, runIdOf } from './run-key.ts';

/** A run that has ended, or whose attempt has ended with a retry pending. */
export type Ended = {
  readonly run: LedgerRun;
  readonly outcome?: Outcome | undefined;
  readonly error?: unknown;
};

export type OpenRuns = {
  /** Every run that has not ended, as stored in the ledger. */
  readonly all: () => readonly LedgerRun[];
  readonly get: (key: string) => LedgerRun | undefined;
  /** Adds a run that the ledger has stored, or whose start has changed. */
  readonly put: (run: LedgerRun) => void;
  /** Adds claimed runs, and reports missed slots. */
  readonly addClaimed: (claimed: Claimed) => void;
  readonly begin: (starts: readonly Start[], at: UnixMillis) => Promise<readonly LedgerRun[]>;
  /** An attempt has ended; the next `writeEnds` records it. */
  readonly finish: (result: AttemptResult) => void;
  /** Records ended attempts; those that the ledger rejects are kept for the next call. */
  readonly writeEnds: () => Promise<void>;
  /** Ended attempts that the ledger has not recorded. */
  readonly unrecorded: () => readonly UnrecordedEnd[];
  readonly close: (closings: readonly RunClosing[]) => Promise<void>;
  /** After the clock was set back: a retry waits for its normal wait, not until the clock has caught up. */
  readonly followClockBack: (now: UnixMillis) => void;
};

export type OpenRunsDeps = {
  readonly ledger: RunLedger;
  readonly log: Log;
  readonly jobs: () => ReadonlyMap<string, Job>;
  /** The attempts of the run that its `retries` count. */
  readonly counted: (run: LedgerRun) => number;
  /** Called when the ledger may have stored an event. */
  readonly onEvent: () => void;
  /** Called for every end after the ledger has recorded it. `over`: no attempt follows. */
  readonly onEnd: (ended: Ended, over: boolean) => void;
  /** Called for runs removed from the ledger, because their slot is in the future again. */
  readonly onGone: (run: LedgerRun) => void;
};

const iso = (moment: UnixMillis): string => new Date(moment).toISOString();

/** The maximum wait of a run, whatever the clock showed when its next attempt was planned. */
const latestBegin = (run: LedgerRun, job: Job, now: UnixMillis, attempts: number): UnixMillis => {
  if (!isBySlot(run) || run.code === 'run-stopped') return now;
  if (run.attempts > 0) return unixMillis(now + retryWait(job.retries, attempts));
  return unixMillis(Math.max(now, run.slot + randomizedDelay(job.name, job.randomizedDelay)));
};

const eventOf = (
  { end: { state, code, nextAttempt }, dataLate, isMeant }: AttemptResult,
  run: LedgerRun | undefined,
): RunEvent | undefined => {
  // A run that succeeds with incomplete data does not end an outage.
  if (state === 'ok') return dataLate === true ? undefined : 'good';
  if (code === 'job-suspended') return 'suspended';
  const isFailure = nextAttempt === undefined && run !== undefined && isBySlot(run) && isMeant !== true;
  return isFailure ? 'failed' : undefined;
};

const eventOfClosing = (closing: RunClosing, open: ReadonlyMap<string, LedgerRun>): RunEvent | undefined => {
  const run = open.get(keyText(closing));
  if (run === undefined || !isBySlot(run) || closing.state === 'skipped') return undefined;
  return closing.state === 'missed' ? 'missed' : 'failed';
};

/** Mirrors the open runs of the ledger; it changes only after the ledger has. */
export const createOpenRuns = (deps: OpenRunsDeps): OpenRuns => {
  const { ledger, log, jobs, onEvent } = deps;
  const open = new Map<string, LedgerRun>();
  const finished: AttemptResult[] = [];
  const about = (run: LedgerRun): Log =>
    log.with({ ...runFields(run), ...(run.attempts > 1 ? { attempt: run.attempts } : {}) });

  const logEnd = (run: LedgerRun, { outcome, error }: AttemptResult): void => {
    const milliseconds = (run.endedAt ?? 0) - (run.startedAt ?? 0);
    if (run.state === 'ok') {
      about(run).info('run succeeded', { ...outcome?.figures, milliseconds });
      return;
    }
    const again = run.nextAttempt === undefined ? {} : { nextAttempt: iso(run.nextAttempt) };
    const message = run.state === 'interrupted' ? 'the run was interrupted' : 'the run failed';
    const fields = { event: 'run-end', ...errorFields(error), error: run.reason, milliseconds, ...again };
    about(run)[run.nextAttempt === undefined ? 'error' : 'warn'](message, fields);
  };

  return {
    all: () => [...open.values()],
    get: (key) => open.get(key),
    put: (run) => void open.set(keyText(run), run),

    addClaimed: ({ fresh, reopened }) => {
      for (const [key, run] of open) {
        const after = reopened.get(run.job);
        if (after === undefined || run.slot <= after || run.attempts > 0 || !isBySlot(run)) continue;
        open.delete(key);
        deps.onGone(run);
      }
      const missed = new Map<string, LedgerRun[]>();
      for (const run of fresh)
        if (run.state === 'queued') open.set(keyText(run), run);
        else if (run.state === 'missed') missed.set(run.job, [...(missed.get(run.job) ?? []), run]);
      if (missed.size > 0) onEvent();
      for (const [job, runs] of missed) {
        const sorted = runs.toSorted((left, right) => left.slot - right.slot);
        const [oldest, newest] = [sorted[0], sorted.at(-1)];
        if (oldest === undefined || newest === undefined) continue;
        const range = { from: iso(oldest.slot), through: iso(newest.slot) };
        log.warn('missed slots', {
          job,
          rows: runs.length,
          ...range,
          run: runIdOf(newest),
          reason: newest.reason,
        });
      }
    },

    begin: async (starts, at) => {
      if (starts.length === 0) return [];
      const begins = starts.map(({ run: { job, slot, trigger }, dataLate }) => ({
        job,
        slot,
        late: dataLate !== undefined && isBySlot({ trigger }) ? lateText(dataLate) : undefined,
      }));
      await ledger.begin(begins, at);
      onEvent();
      return starts.map(({ run: { nextAttempt: _next, ...rest } }) => {
        const begun = { ...rest, state: 'running' as const, attempts: rest.attempts + 1, startedAt: at };
        open.set(keyText(begun), begun);
        const why = begun.trigger === 'schedule' ? {} : { trigger: begun.trigger };
        about(begun).info('run started', why);
        return begun;
      });
    },

    finish: (result) => void finished.push(result),

    writeEnds: async () => {
      if (finished.length === 0) return;
      const results = [...finished];
      await ledger.end(
        results.map((result) => ({ ...result.end, event: eventOf(result, open.get(keyText(result.end))) })),
      );
      onEvent();
      finished.splice(0, results.length);
      for (const result of results) {
        const { end, outcome, error } = result;
        const key = keyText(end);
        const run = open.get(key);
        if (run === undefined) continue;
        const { job: _, slot: __, at, ...how } = end;
        const { code: ___, reason: ____, ...rest } = run;
        const after: LedgerRun = { ...rest, ...how, endedAt: at };
        if (end.nextAttempt === undefined) open.delete(key);
        else open.set(key, after);
        logEnd(after, result);
        deps.onEnd(
          {
            run: after,
            outcome,
            error,
          },
          end.nextAttempt === undefined,
        );
      }
    },

    unrecorded: () =>
      finished.flatMap(({ end: { job, slot, code } }) => {
        const attempt = open.get(keyText({ job, slot }))?.attempts;
        const why = code === 'run-stopped' ? code : ('lease-lost' as const);
        return attempt === undefined ? [] : [{ job, slot, attempt, code: why }];
      }),

    close: async (closings) => {
      if (closings.length === 0) return;
      await ledger.close(closings.map((closing) => ({ ...closing, event: eventOfClosing(closing, open) })));
      onEvent();
      for (const closing of closings) {
        const key = keyText(closing);
        const run = open.get(key);
        if (run === undefined) continue;
        const { nextAttempt: _, ...rest } = run;
        const { at, ...how } = closing;
        const after: LedgerRun = { ...rest, ...how, endedAt: at };
        open.delete(key);
        about(run)[after.state === 'skipped' ? 'info' : 'warn'](`the slot is ${after.state}`, {
          reason: closing.reason,
        });
        deps.onEnd({ run: after }, true);
      }
    },

    followClockBack: (now) => {
      for (const [key, run] of open) {
        const job = jobs().get(run.job);
        if (run.nextAttempt === undefined || job === undefined) continue;
        const latest = latestBegin(run, job, now, deps.counted(run));
        if (run.nextAttempt > latest) open.set(key, { ...run, nextAttempt: latest });
      }
    },
  };
};
