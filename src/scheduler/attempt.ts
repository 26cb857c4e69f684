import {
  fault,
  firstSignal,
  isFault,
  messageOf,
  unixMillis,
  type Clock,
  type LogFields,
  type Progress,
} from '../core/index.ts';
import type { Job } from '../config/index.ts';
import type { AttemptEnd, LedgerRun } from '../storage/index.ts';
import { retryWait } from './retry-wait.ts';
import { isBySlot } from './run-key.ts';

/** What a run did. */
export type Outcome = { readonly summary: string; readonly figures: LogFields };

/** One attempt of a run, as passed to the code that executes it. */
export type Execution = {
  readonly job: Job;
  readonly run: LedgerRun;
  /** Which required data is late; undefined when all is complete. */
  readonly dataLate?: string | undefined;
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

/** Only scheduled runs are retried: whoever requests a run sees its outcome. */
const mayRetry = (job: Job, run: LedgerRun, error: unknown): boolean =>
  isBySlot(run) && run.attempts <= job.retries.limit && (!isFault(error) || error.retryHelps);

/** The record of a failed attempt, and the time of its retry. `run.attempts` already counts it. */
export const failedEnd = (
  job: Job | undefined,
  run: LedgerRun,
  failure: { readonly state: 'failed' | 'interrupted'; readonly error: unknown; readonly final: boolean },
  clock: Pick<Clock, 'now'>,
  redact: (text: string) => string,
): AttemptEnd => {
  const at = clock.now();
  const { state, error, final } = failure;
  // The error decides whether a retry helps; an interrupted attempt has no error.
  const cause = state === 'interrupted' ? undefined : error;
  const again = !final && job !== undefined && mayRetry(job, run, cause);
  return {
    job: run.job,
    slot: run.slot,
    state,
    at,
    ...(isFault(error) ? { code: error.code } : {}),
    reason: redact(messageOf(error)),
    ...(again ? { nextAttempt: unixMillis(at + retryWait(job.retries, run.attempts)) } : {}),
  };
};

/** Why a run was stopped from outside: its attempt counts as interrupted. `final`: it is not retried. */
export type Interruption = { readonly error: Error; readonly final: boolean };

/** Runs one attempt to its end, under the job's timeout. Never rejects. */
export const attempt = async (
  execution: Omit<Execution, 'signal'>,
  deps: {
    readonly clock: Clock;
    readonly execute: Execute;
    readonly redact: (text: string) => string;
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
      final: interruption?.final ?? false,
    };
    const meant = failure.final ? { isMeant: true } : {};
    return { end: failedEnd(job, run, failure, clock, redact), error, ...late, ...meant };
  }
};
