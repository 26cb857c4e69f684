import { fault, noProgress, type Log, type Measure } from '../../core/index.ts';
import type { Job } from '../../config/index.ts';
import { jobKinds, type JobKind, type JobPlan } from '../../jobs/index.ts';
import type { Execution, Outcome } from '../../scheduler/index.ts';
import { measurePull } from '../process/measure-runs.ts';
import type { Contexts, PlannedRun } from './contexts.ts';

/** Runs jobs by their kind, and plans them. */
export type Runs = {
  readonly execute: (execution: Execution) => Promise<Outcome>;
  readonly plan: (job: Job, run: PlannedRun, signal: AbortSignal) => Promise<JobPlan>;
};

type RunsDeps = {
  readonly contexts: Contexts;
  /** Notifies operators of what a run has found. */
  readonly findings: (account: string, log: Log) => Promise<void>;
  readonly measure: Measure | undefined;
};

const kindOf = (job: Job): JobKind => {
  const kind = jobKinds.find((candidate) => candidate.kind === job.kind);
  if (kind === undefined) throw fault('config-invalid', `job ${job.name} has the unknown kind ${job.kind}`);
  return kind;
};

export const createRuns = ({ contexts, findings, measure }: RunsDeps): Runs => ({
  execute: async ({ job, run, progress, signal, dataLate, acceptEmpty }) => {
    const context = contexts.ofRun({
      name: job.name,
      account: job.account,
      zone: job.timezone,
      slot: run.slot,
      interval: run.interval,
      trigger: run.trigger,
      progress: measurePull(job, kindOf(job), measure, progress),
      signal,
      dataLate,
      acceptEmpty,
    });
    try {
      return await kindOf(job).run(job.fields, context);
    } finally {
      await findings(job.account, context.log);
    }
  },
  plan: async (job, run, signal) => {
    const { name, account, timezone: zone } = job;
    return kindOf(job).plan(
      job.fields,
      contexts.ofRun({ ...run, name, account, zone, progress: noProgress, signal }),
    );
  },
});
