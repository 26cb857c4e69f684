import { errorFields, fault } from '../base/index.ts';
import type { Clock, Log } from '../base/index.ts';
import type { Job } from '../config/index.ts';
import type { JobContext, JobKind, JobOutcome, JobPlan } from './job-kind.ts';

export type RunnerMeans = {
  readonly jobs: Readonly<Record<string, Job>>;
  readonly kinds: readonly JobKind[];
  readonly contextOf: (job: Job, signal: AbortSignal) => JobContext;
  readonly clock: Clock;
  readonly log: Log;
};

export type Runner = {
  /** Runs the jobs it needs, then the job; one that runs already is joined, not run twice. @throws Fault `job-unknown` */
  readonly run: (name: string, signal: AbortSignal) => Promise<JobOutcome>;
  /** @throws Fault `job-unknown` */
  readonly plan: (name: string, signal: AbortSignal) => Promise<JobPlan>;
  /** Resolves when no job runs any more. */
  readonly settled: () => Promise<void>;
};

/** Runs declared jobs one at a time each, with what they need before them and their timeout above them. */
export const createRunner = (means: RunnerMeans): Runner => {
  const { jobs, kinds, clock, log } = means;

  const jobOf = (name: string): Job => {
    const job = jobs[name];
    if (job !== undefined) return job;
    const names = Object.keys(jobs).join(', ') || 'none';
    throw fault('job-unknown', `there is no job ${name}; there are: ${names}`);
  };
  const kindOf = (job: Job): JobKind => {
    const kind = kinds.find((candidate) => candidate.kind === job.kind);
    if (kind === undefined) throw fault('config-invalid', `job ${job.name} is of no known kind: ${job.kind}`);
    return kind;
  };

  const runOnce = async (job: Job, signal: AbortSignal): Promise<JobOutcome> => {
    using overdue = clock.limit(job.timeout);
    const about = log.with({ job: job.name });
    const started = clock.now();
    about.info('run started');
    try {
      const context = means.contextOf(job, AbortSignal.any([signal, overdue.signal]));
      const outcome = await kindOf(job).run(job.fields, context);
      about.info('run ended well', { ...outcome.figures, milliseconds: clock.now() - started });
      return outcome;
    } catch (error) {
      // Whatever the stopped work threw on its way out, the timeout is the cause.
      if (overdue.signal.aborted && !signal.aborted)
        throw fault('run-timeout', `job ${job.name} took longer than its timeout of ${job.timeout / 1000} s`);
      throw error;
    }
  };

  const running = new Map<string, Promise<JobOutcome>>();

  /**
   * A report on what is there, which says how far it reaches, is worth more than none: a need that fails stops nothing.
   * `tried` are the needs that this run has had already.
   */
  const runNeeds = async (job: Job, signal: AbortSignal, tried: Set<string>): Promise<void> => {
    for (const need of job.needs) {
      signal.throwIfAborted();
      if (tried.has(need)) continue;
      tried.add(need);
      const about = { job: job.name, need };
      if (jobOf(need).suspend) {
        log.warn('a job that is needed is suspended; going on with the data there is', about);
        continue;
      }
      try {
        await runAfterNeeds(need, signal, tried);
      } catch (error) {
        signal.throwIfAborted();
        log.warn('a job that is needed failed; going on with the data there is', {
          ...about,
          ...errorFields(error),
        });
      }
    }
  };

  const runAfterNeeds = async (
    name: string,
    signal: AbortSignal,
    tried: Set<string>,
  ): Promise<JobOutcome> => {
    const known = running.get(name);
    if (known !== undefined) return known;
    const job = jobOf(name);
    const made = runNeeds(job, signal, tried).then(async () => runOnce(job, signal));
    running.set(name, made);
    try {
      return await made;
    } finally {
      running.delete(name);
    }
  };

  return {
    run: async (name, signal) => runAfterNeeds(name, signal, new Set()),
    plan: async (name, signal) => {
      const job = jobOf(name);
      return kindOf(job).plan(job.fields, means.contextOf(job, signal));
    },
    settled: async () => {
      while (running.size > 0) await Promise.allSettled(running.values());
    },
  };
};
