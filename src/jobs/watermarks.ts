import type { Interval, UnixMillis } from '../core/index.ts';
import type { Job } from '../config/index.ts';
import type { JobKind, WatermarkContext } from './job-kind.ts';

type DeclaredJob = Pick<Job, 'kind' | 'account' | 'timezone' | 'fields'>;

/** How far the data of jobs reaches, and how far their runs need the data of others. Milliseconds UTC. */
export type Watermarks = {
  /** Whether the kind pulls data; for the others only the run ledger knows the interval of the last successful run. */
  readonly bringsData: (job: DeclaredJob) => boolean;
  /** The time up to which the job's data is complete; undefined when a part was never pulled, or the job pulls none. */
  readonly watermarkOf: (
    job: DeclaredJob,
    context: Pick<WatermarkContext, 'warehouse'>,
  ) => Promise<UnixMillis | undefined>;
  /** The time up to which the run needs the data of its dependencies: as its kind says, else the end of its interval. */
  readonly needsThroughOf: (job: DeclaredJob, slot: UnixMillis, interval: Interval<UnixMillis>) => UnixMillis;
};

export const createWatermarks = (kinds: readonly JobKind[]): Watermarks => {
  const kindOf = (job: DeclaredJob): JobKind | undefined => kinds.find(({ kind }) => kind === job.kind);
  return {
    bringsData: (job) => kindOf(job)?.watermark !== undefined,
    watermarkOf: async (job, { warehouse }) =>
      kindOf(job)?.watermark?.(job.fields, { account: job.account, zone: job.timezone, warehouse }),
    needsThroughOf: (job, slot, interval) =>
      kindOf(job)?.needsThrough?.(job.fields, slot, job.timezone) ?? interval.end,
  };
};
