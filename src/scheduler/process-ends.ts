import { fault, type Fault } from '../core/index.ts';
import type { LedgerRun, RunKey, RunLedger } from '../storage/index.ts';
import { keyText } from './run-key.ts';

/**
 * How earlier processes ended. A job during whose runs they ended by themselves runs alone, so that the next end is caused
 * by no other job, and is suspended after `limit` of them, until one of its runs succeeds. An ordered stop costs a run nothing.
 */
export type ProcessEnds = {
  readonly runsAlone: (job: string) => boolean;
  readonly isSuspended: (job: string) => boolean;
  /** The process ended during a run of the job: the error of that run. */
  readonly note: (job: string) => Fault;
  readonly forget: (job: string) => void;
  /** The attempts of the run that its `retries` count. */
  readonly counted: (run: LedgerRun) => number;
  /** Whether an ordered stop interrupted the run. */
  readonly wasStopped: (run: RunKey) => boolean;
};

export const createProcessEnds = async (
  ledger: Pick<RunLedger, 'processEnds' | 'orderedStops'>,
  limit: number,
): Promise<ProcessEnds> => {
  const ends = new Map(limit === 0 ? [] : await ledger.processEnds());
  // An ordered stop ends this process, so that no number changes while it works.
  const stops = new Map((await ledger.orderedStops()).map((run) => [keyText(run), run.stops]));
  const isSuspended = (job: string): boolean => limit > 0 && (ends.get(job) ?? 0) >= limit;
  return {
    runsAlone: (job) => ends.has(job),
    isSuspended,
    note: (job) => {
      if (limit > 0) ends.set(job, (ends.get(job) ?? 0) + 1);
      return isSuspended(job)
        ? fault(
            'job-suspended',
            `the process ended while it ran, ${ends.get(job)} times since its last successful run; the job is suspended`,
          )
        : fault('process-ended', 'the process ended while it ran');
    },
    forget: (job) => void ends.delete(job),
    counted: (run) => run.attempts - (stops.get(keyText(run)) ?? 0),
    wasStopped: (run) => stops.has(keyText(run)),
  };
};
