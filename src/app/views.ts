import type { Job } from '../config/index.ts';
import type { AttemptView, RunView } from '../server/index.ts';
import type { LedgerAttempt, LedgerRun, RunKey } from '../warehouse/index.ts';

const attemptView = ({ attempt, startedAt, endedAt, state, code, reason }: LedgerAttempt): AttemptView => ({
  attempt,
  startedAt,
  state,
  ...(endedAt === undefined ? {} : { endedAt }),
  ...(code === undefined ? {} : { code }),
  ...(reason === undefined ? {} : { reason }),
});

const keyOf = ({ job, slot }: RunKey): string => `${slot} ${job}`;

/** The attempts of many runs, to be asked for by run. */
export const attemptsByRun = (
  attempts: readonly LedgerAttempt[],
): ((run: RunKey) => readonly LedgerAttempt[]) => {
  const byRun = new Map<string, LedgerAttempt[]>();
  for (const attempt of attempts) {
    const known = byRun.get(keyOf(attempt));
    if (known === undefined) byRun.set(keyOf(attempt), [attempt]);
    else known.push(attempt);
  }
  return (run) => byRun.get(keyOf(run)) ?? [];
};

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
  attempts: attempts.map(attemptView),
  ...(run.through === undefined ? {} : { through: run.through }),
  ...(run.nextAttempt === undefined ? {} : { nextAttempt: run.nextAttempt }),
  ...(waiting === undefined ? {} : { waiting }),
  ...(run.code === undefined ? {} : { code: run.code }),
  ...(run.reason === undefined ? {} : { reason: run.reason }),
  ...(run.summary === undefined ? {} : { summary: run.summary }),
});
