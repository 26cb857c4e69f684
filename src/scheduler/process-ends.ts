import { fault, type Fault } from '../core/index.ts';
import type { RunLedger } from '../storage/index.ts';

/**
 * Jobs during whose runs the process ended. Such a job runs alone, so that the next end of the process is caused by no
 * other job, and is suspended after `limit` of them, until one of its runs succeeds.
 */
export type ProcessEnds = {
  readonly runsAlone: (job: string) => boolean;
  readonly isSuspended: (job: string) => boolean;
  /** The process ended during a run of the job: the error of that run. */
  readonly note: (job: string) => Fault;
  readonly forget: (job: string) => void;
};

export const createProcessEnds = async (
  ledger: Pick<RunLedger, 'processEnds'>,
  limit: number,
): Promise<ProcessEnds> => {
  const ends = new Map(limit === 0 ? [] : await ledger.processEnds());
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
  };
};
