import { groupBy } from '../../core/index.ts';
import type { Job } from '../../config/index.ts';
import type { AttemptView, RunView } from '../../web/index.ts';
import type { LedgerAttempt, LedgerRun, RunKey } from '../../storage/index.ts';

const attemptView = ({ job: _job, slot: _slot, ...view }: LedgerAttempt): AttemptView => view;

const keyOf = ({ job, slot }: RunKey): string => `${slot} ${job}`;

export const attemptsByRun = (
  attempts: readonly LedgerAttempt[],
): ((run: RunKey) => readonly LedgerAttempt[]) => {
  const byRun = groupBy(attempts, keyOf);
  return (run) => byRun.get(keyOf(run)) ?? [];
};

export const runView = (
  run: LedgerRun,
  attempts: readonly LedgerAttempt[],
  jobs: Readonly<Record<string, Job>>,
  waiting?: string,
): RunView => {
  const {
    account: _account,
    version: _version,
    claimedAt: _claimed,
    startedAt: _started,
    endedAt: _ended,
    ...view
  } = run;
  return {
    ...view,
    // The time zone of a job that is no longer declared is unknown.
    zone: jobs[run.job]?.timezone ?? 'UTC',
    attempts: attempts.map(attemptView),
    ...(waiting === undefined ? {} : { waiting }),
  };
};
