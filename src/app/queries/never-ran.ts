import { unixMillis, type UnixMillis } from '../../core/index.ts';
import type { Job } from '../../config/index.ts';
import { nextSlot, scheduleOf } from '../../scheduler/index.ts';
import type { RunKey, RunLedger } from '../../storage/index.ts';

/** Milliseconds that a first run may wait for its data before it counts as missed. */
const waitLimit = 3_600_000;

/** Milliseconds after which a daemon would have claimed a slot. */
const punctual = 60_000;

/**
 * The first slot of each job that passed although no run of the job ever began: it was missed, it waits for too long, or
 * no daemon claimed it. Suspended jobs and jobs without a schedule are omitted. `latest`: the last run of each job that began.
 */
export const missedFirstSlots = async (
  jobs: readonly Job[],
  runs: Pick<RunLedger, 'neverRan' | 'cursors'>,
  { latest, now }: { readonly latest: readonly RunKey[]; readonly now: UnixMillis },
): Promise<ReadonlyMap<string, UnixMillis>> => {
  const began = new Set(latest.map(({ job }) => job));
  const waiting = jobs.filter(({ name, suspend }) => !suspend && !began.has(name));
  if (waiting.length === 0) return new Map();
  const missed = await runs.neverRan(unixMillis(now - waitLimit));
  const claimed = new Map(
    (await runs.cursors()).map(({ job, claimedThrough }) => [job, claimedThrough] as const),
  );
  const firstOf = (job: Job): UnixMillis | undefined => {
    const schedule = scheduleOf(job);
    if (schedule === undefined) return undefined;
    const through = claimed.get(job.name);
    const unclaimed = through === undefined ? undefined : nextSlot(schedule, through);
    return (
      missed.get(job.name) ?? (unclaimed !== undefined && unclaimed <= now - punctual ? unclaimed : undefined)
    );
  };
  return new Map(
    waiting.flatMap((job) => {
      const first = firstOf(job);
      return first === undefined ? [] : [[job.name, first] as const];
    }),
  );
};
