import type { Job } from '../config/index.ts';
import type { AttemptView, RunView } from '../server/index.ts';
import type { LedgerAttempt, LedgerRun } from '../warehouse/index.ts';

const attemptView = ({ job: _, slot: __, ...rest }: LedgerAttempt): AttemptView => rest;

/** A run of the ledger as people are shown it. */
export const runView = (
  run: LedgerRun,
  attempts: readonly LedgerAttempt[],
  jobs: Readonly<Record<string, Job>>,
  waiting?: string,
): RunView => ({
  job: run.job,
  slot: run.slot,
  // Of a job that is no longer declared only UTC is sure.
  zone: jobs[run.job]?.timezone ?? 'UTC',
  trigger: run.trigger,
  state: run.state,
  interval: run.interval,
  attempts: attempts.filter(({ job, slot }) => job === run.job && slot === run.slot).map(attemptView),
  ...(run.through === undefined ? {} : { through: run.through }),
  ...(run.nextAttempt === undefined ? {} : { nextAttempt: run.nextAttempt }),
  ...(waiting === undefined ? {} : { waiting }),
  ...(run.code === undefined ? {} : { code: run.code }),
  ...(run.reason === undefined ? {} : { reason: run.reason }),
  ...(run.summary === undefined ? {} : { summary: run.summary }),
});
