import { fault } from '../base/index.ts';
import type { Interval, UnixMillis } from '../base/index.ts';
import type { Job } from '../config/index.ts';
import type { JobKind, ReachContext } from './job-kind.ts';

/** How far the data of declared jobs reach, and how far their runs need the data of others to. Milliseconds UTC. */
export type DataReach = {
  /**
   * Up to which moment the data that a job brings are there; nothing when it was never pulled, or its kind brings none.
   * @throws Fault `job-unknown`
   */
  readonly reachOf: (
    job: string,
    context: Pick<ReachContext, 'warehouse'>,
  ) => Promise<UnixMillis | undefined>;
  /** Whether `reachOf` can tell: of other kinds only the ledger knows what their last good run was about. @throws Fault `job-unknown` */
  readonly bringsData: (job: string) => boolean;
  /**
   * Up to which moment the run of a slot needs the data of the jobs it needs: what its kind says, else the end of its
   * interval. @throws Fault `job-unknown`
   */
  readonly needsThroughOf: (job: string, slot: UnixMillis, interval: Interval<UnixMillis>) => UnixMillis;
};

export const createDataReach = (
  jobs: Readonly<Record<string, Job>>,
  kinds: readonly JobKind[],
): DataReach => {
  const find = (name: string): { readonly job: Job; readonly kind: JobKind | undefined } => {
    const job = Object.hasOwn(jobs, name) ? jobs[name] : undefined;
    if (job === undefined) throw fault('job-unknown', `there is no job ${name}`);
    return { job, kind: kinds.find(({ kind }) => kind === job.kind) };
  };
  return {
    reachOf: async (name, { warehouse }) => {
      const { job, kind } = find(name);
      return kind?.reach?.(job.fields, { account: job.account, zone: job.timezone, warehouse });
    },
    bringsData: (name) => find(name).kind?.reach !== undefined,
    needsThroughOf: (name, slot, interval) => {
      const { job, kind } = find(name);
      return kind?.needsThrough?.(job.fields, slot, job.timezone) ?? interval.end;
    },
  };
};
