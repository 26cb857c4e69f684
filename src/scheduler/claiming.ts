import type { Log, UnixMillis } from '../core/index.ts';
import type { Job } from '../config/index.ts';
import type { Claim, JobCursor, LedgerRun, RunLedger } from '../storage/index.ts';
import { planClaim } from './claims.ts';
import { scheduleOf, scheduleText } from './job-schedule.ts';
import { nextSlot } from './slots.ts';

/** What a claiming cycle changed. */
export type Claimed = {
  /** New rows of the ledger. */
  readonly fresh: readonly LedgerRun[];
  /** Jobs whose rows after this moment were removed, since the clock was set back. */
  readonly reopened: ReadonlyMap<string, UnixMillis>;
};

export type Claiming = {
  /** Claims every due slot, for all jobs in one transaction. */
  readonly claimDue: (now: UnixMillis) => Promise<void>;
  /**
   * Applies a new set of jobs: new ones begin now, removed ones are forgotten, edited schedules begin a new version.
   */
  readonly adopt: (jobs: ReadonlyMap<string, Job>, now: UnixMillis) => Promise<void>;
  readonly nextOf: (job: string) => UnixMillis | undefined;
};

export type ClaimingDeps = {
  readonly ledger: RunLedger;
  readonly log: Log;
  readonly hasBacklog: (job: string) => boolean;
  /** Called for each claim as soon as the ledger has stored it, so that nothing is lost if the next one is rejected. */
  readonly addClaimed: (claimed: Claimed) => void;
};

/** Caches the cursors, and when each job is next due, so that a cycle without due slots is cheap. */
export const createClaiming = async (deps: ClaimingDeps): Promise<Claiming> => {
  const { ledger, log, hasBacklog } = deps;
  const cursors = new Map<string, JobCursor>((await ledger.cursors()).map((cursor) => [cursor.job, cursor]));
  const nexts = new Map<string, UnixMillis>();
  let jobs: ReadonlyMap<string, Job> = new Map();
  let earliest = Number.POSITIVE_INFINITY;
  let seen = Number.NEGATIVE_INFINITY;

  const commit = async (claims: readonly Claim[]): Promise<void> => {
    const fresh = claims.length === 0 ? [] : await ledger.claim(claims);
    const reopened = new Map<string, UnixMillis>();
    for (const { cursor, reopenedAfter } of claims) {
      if (cursor === undefined) continue;
      cursors.set(cursor.job, cursor);
      if (reopenedAfter !== undefined) reopened.set(cursor.job, reopenedAfter);
      const job = jobs.get(cursor.job);
      const schedule = job === undefined ? undefined : scheduleOf(job);
      const next = schedule === undefined ? undefined : nextSlot(schedule, cursor.claimedThrough);
      if (next === undefined) nexts.delete(cursor.job);
      else nexts.set(cursor.job, next);
    }
    earliest = leastOf(nexts.values());
    if (reopened.size > 0)
      log.warn('the clock was set back; slots that never ran and are in the future again run at their time', {
        jobs: reopened.size,
      });
    deps.addClaimed({ fresh, reopened });
  };

  const plan = (job: Job, now: UnixMillis): Claim[] => {
    const claim = planClaim(job, cursors.get(job.name), now, job.catchup === 'all' && hasBacklog(job.name));
    return claim === undefined ? [] : [claim];
  };

  const isDue = ({ name }: Job, now: UnixMillis): boolean => {
    const cursor = cursors.get(name);
    return (
      (nexts.get(name) ?? Number.POSITIVE_INFINITY) <= now ||
      (cursor !== undefined && now < cursor.claimedThrough)
    );
  };
  const isNew = (job: Job): boolean => {
    const schedule = scheduleOf(job);
    return schedule !== undefined && cursors.get(job.name)?.schedule !== scheduleText(schedule);
  };

  const claimDue = async (now: UnixMillis): Promise<void> => {
    if (now < seen || now >= earliest)
      await commit([...jobs.values()].filter((job) => isDue(job, now)).flatMap((job) => plan(job, now)));
    seen = now;
  };

  return {
    claimDue,
    adopt: async (adopted, now) => {
      // Slots that became due before now belong to the old jobs.
      await claimDue(now);
      const gone = [...cursors.keys()].filter((name) => adopted.get(name)?.schedule === undefined);
      if (gone.length > 0) await ledger.forget(gone);
      for (const name of gone) {
        cursors.delete(name);
        nexts.delete(name);
      }
      jobs = adopted;
      for (const job of adopted.values()) {
        const schedule = scheduleOf(job);
        const cursor = cursors.get(job.name);
        if (schedule === undefined || cursor === undefined || nexts.has(job.name)) continue;
        const next = nextSlot(schedule, cursor.claimedThrough);
        if (next !== undefined) nexts.set(job.name, next);
      }
      await commit(
        [...adopted.values()].filter((job) => isNew(job) || isDue(job, now)).flatMap((job) => plan(job, now)),
      );
      seen = now;
    },
    nextOf: (job) => nexts.get(job),
  };
};

const leastOf = (moments: Iterable<number>): number => {
  let least = Number.POSITIVE_INFINITY;
  for (const moment of moments) least = Math.min(least, moment);
  return least;
};
