import { toMillis, type LocalDay } from '../../core/index.ts';
import type { RunLedger, RunState } from '../../storage/index.ts';
import type { JobDays, JobView } from '../../web/index.ts';

/** Worst first. */
const order: readonly RunState[] = ['failed', 'interrupted', 'missed', 'running', 'queued', 'skipped', 'ok'];

/** The worst state of the runs of each job on each day, by slot. */
export const jobHistory = async (
  jobs: readonly (Pick<JobView, 'job'> & { readonly account: string })[],
  days: readonly LocalDay[],
  runs: Pick<RunLedger, 'outcomes'>,
): Promise<readonly JobDays[]> => {
  const states = new Map<string, (RunState | null)[]>();
  const none = (): (RunState | null)[] => days.map(() => null);
  const spans = days.map(({ start, end }) => ({ start: toMillis(start), end: toMillis(end) }));
  for (const { job, span, state } of await runs.outcomes(spans)) {
    const own = states.get(job) ?? none();
    states.set(job, own);
    const known = own[span] ?? null;
    if (known === null || order.indexOf(state) < order.indexOf(known)) own[span] = state;
  }
  return jobs.map(({ job, account }) => ({
    job,
    account,
    states: states.get(job) ?? none(),
  }));
};
