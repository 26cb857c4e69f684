import type { z } from 'zod';
import { type commonShape, type Job, type Retries, ownKeys } from '../schema/job-schema.ts';
import type { DeclaredJob } from './read-jobs.ts';
import { valueAt } from '../schema/schema-walk.ts';
import type { Settings } from '../schema/settings-schema.ts';

/** If only one of the two waits is written, the default of the other is adjusted to it. */
const retriesOf = (declared: DeclaredJob, retries: Retries): Retries => {
  const isWritten = (key: string): boolean => valueAt(declared.part.resolved, ['retries', key]) !== undefined;
  if (retries.initial <= retries.max) return retries;
  return isWritten('max') ? { ...retries, initial: retries.max } : { ...retries, max: retries.initial };
};

/** A declared job with all defaults filled in. */
export const toJob = (declared: DeclaredJob, settings: Settings): Job | undefined => {
  const { value, source, path } = declared.part;
  // The schema of every kind includes the common one, so its keys have these types.
  const common = value as z.output<typeof commonShape> | undefined;
  const account = common?.account ?? Object.keys(settings.accounts)[0];
  if (value === undefined || common === undefined || account === undefined || declared.kind === undefined)
    return undefined;
  return {
    name: declared.name,
    kind: declared.kind.kind,
    account,
    timezone: common.timezone ?? settings.timezone,
    schedule: common.schedule,
    dayMatch: common.day_match,
    suspend: common.suspend,
    timeout: common.timeout,
    needs: common.needs,
    needsDeadline: common.needs_deadline,
    whenLate: common.when_late,
    catchup: common.catchup,
    catchupWindow: common.catchup_window,
    maxCatchupRuns: common.max_catchup_runs,
    startingDeadline: common.starting_deadline,
    concurrency: common.concurrency,
    retries: retriesOf(declared, common.retries),
    randomizedDelay: common.randomized_delay,
    locks: common.locks,
    notify: common.notify,
    notifyTo: common.notify_to,
    heartbeatUrl: common.heartbeat_url,
    fields: Object.fromEntries(ownKeys(Object.keys(value)).map((key) => [key, value[key]])),
    place: { file: source.file, ...source.atKey(path) },
  };
};

/** Without a schedule of its own, the job runs on that of the first scheduled job it needs. */
export const withScheduleOfNeeds = (job: Job, jobs: Readonly<Record<string, Job>>): Job => {
  if (job.schedule !== undefined) return job;
  const need = job.needs.map((name) => jobs[name]).find((one) => one?.schedule !== undefined);
  return need === undefined
    ? job
    : { ...job, schedule: need.schedule, dayMatch: need.dayMatch, timezone: need.timezone };
};
