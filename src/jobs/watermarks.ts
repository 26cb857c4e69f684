import type { Interval, UnixMillis } from '../core/index.ts';
import type { Job } from '../config/index.ts';
import type { JobKind, WatermarkContext } from './job-kind.ts';

type DeclaredJob = Pick<Job, 'kind' | 'account' | 'timezone' | 'fields'>;

/** How far the data of declared jobs reach, and how far their runs need the data of others to. Milliseconds UTC. */
export type Watermarks = {
  /** Whether the job is of a kind that brings data; of the others only the ledger knows what their last good run was about. */
  readonly bringsData: (job: DeclaredJob) => boolean;
  /** Up to which moment the data that a job brings are there; nothing when not all of it was ever pulled, or it brings none. */
  readonly watermarkOf: (
    job: DeclaredJob,
    context: Pick<WatermarkContext, 'warehouse'>,
  ) => Promise<UnixMillis | undefined>;
  /** Up to which moment the run of a slot needs the data of the jobs it needs: what its kind says, else the end of its interval. */
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
