import {
  fault,
  firstSignal,
  isFault,
  messageOf,
  unixMillis,
  type Clock,
  type LogFields,
  type Progress,
  type UnixMillis,
  type LateData,
} from '../core/index.ts';
import type { Job } from '../config/index.ts';
import type { AttemptEnd, LedgerRun } from '../storage/index.ts';
import { retryWait } from './delays.ts';
import { isBySlot } from './run-key.ts';

/** What a run did. */
export type Outcome = { readonly summary: string; readonly figures: LogFields };

/** One attempt of a run, as passed to the code that executes it. */
export type Execution = {
  readonly job: Job;
  readonly run: LedgerRun;
  /** Which required data is late; undefined when all is complete. */
  readonly dataLate?: LateData | undefined;
  /** A person has accepted that the gateway has emptied what the run pulls. */
  readonly acceptEmpty?: boolean | undefined;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

export type Execute = (execution: Execution) => Promise<Outcome>;

export type AttemptResult = {
  readonly end: AttemptEnd;
  readonly outcome?: Outcome | undefined;
  readonly error?: unknown;
  /** Whether it ran without all the data it needs. */
  readonly dataLate?: boolean | undefined;
  /** Whether the stop was requested. */
  readonly isMeant?: boolean;
};

/** Runs the work of one attempt and passes on its result: for what surrounds it, such as a trace. */
export type AroundAttempt = (
  about: Pick<Execution, 'job' | 'run'>,
  work: () => Promise<AttemptResult>,
) => Promise<AttemptResult>;

/** Whether another attempt follows an unsuccessful one. `at once`: it follows immediately, independent of `retries`. */
export type Next = 'as retries say' | 'at once' | 'nothing';

export type Failure = {
  readonly state: 'failed' | 'interrupted';
  readonly error: unknown;
  readonly next: Next;
};

/** When the next attempt begins; undefined when none follows. `attempts` that count, including the failed one. */
const nextAttemptOf = (
  job: Job | undefined,
  run: LedgerRun,
  { state, error, next }: Failure,
  at: UnixMillis,
  attempts: number,
): UnixMillis | undefined => {
  // Only scheduled runs are retried: whoever requests a run sees its outcome.
  if (job === undefined || !isBySlot(run) || next === 'nothing') return undefined;
  if (next === 'at once') return at;
  // The error decides whether a retry helps; an interrupted attempt has no error.
  const mayHelp = state === 'interrupted' || !isFault(error) || error.retryHelps;
  if (attempts > job.retries.limit || !mayHelp) return undefined;
  return unixMillis(at + retryWait(job.retries, attempts));
};

type EndDeps = {
  readonly clock: Pick<Clock, 'now'>;
  readonly redact: (text: string) => string;
  /** The attempts of the run that its `retries` count, including this one. */
  readonly counted: (run: LedgerRun) => number;
};

/** The record of a failed attempt, and the time of its retry. `run.attempts` already counts it. */
export const failedEnd = (
  job: Job | undefined,
  run: LedgerRun,
  failure: Failure,
  { clock, redact, counted }: EndDeps,
): AttemptEnd => {
  const at = clock.now();
  const { state, error } = failure;
  const nextAttempt = nextAttemptOf(job, run, failure, at, counted(run));
  return {
    job: run.job,
    slot: run.slot,
    state,
    at,
    ...(isFault(error) ? { code: error.code } : {}),
    reason: redact(messageOf(error)),
    ...(nextAttempt === undefined ? {} : { nextAttempt }),
  };
};

/** Why a run was stopped from outside: its attempt is interrupted. */
export type Interruption = { readonly error: Error; readonly next: Next };

/** Runs one attempt to its end, under the job's timeout. Never rejects. */
export const attempt = async (
  execution: Omit<Execution, 'signal'>,
  deps: EndDeps & {
    readonly clock: Clock;
    readonly execute: Execute;
    readonly stop: AbortSignal;
    /** Set before `stop` is aborted. */
    readonly interruption: () => Interruption | undefined;
  },
): Promise<AttemptResult> => {
  const { job, run } = execution;
  const { clock, redact, stop } = deps;
  const late = execution.dataLate === undefined ? {} : { dataLate: true };
  using overdue = clock.limit(job.timeout);
  using first = firstSignal([stop, overdue.signal]);
  try {
    const outcome = await deps.execute({ ...execution, signal: first.signal });
    const end = { job: run.job, slot: run.slot, state: 'ok' as const, at: clock.now() };
    return { end: { ...end, summary: redact(outcome.summary) }, outcome, ...late };
  } catch (thrown) {
    const interruption = stop.aborted ? deps.interruption() : undefined;
    // Whatever error the stopped work threw, the interruption is the cause.
    const error =
      interruption?.error ??
      (overdue.signal.aborted
        ? fault('run-timeout', `job ${job.name} exceeded its timeout of ${job.timeout / 1000} s`)
        : thrown);
    const failure = {
      state: interruption === undefined ? ('failed' as const) : ('interrupted' as const),
      error,
      next: interruption?.next ?? ('as retries say' as const),
    };
    const meant = failure.next === 'nothing' ? { isMeant: true } : {};
    return { end: failedEnd(job, run, failure, deps), error, ...late, ...meant };
  }
};
