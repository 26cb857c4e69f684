import type { Job } from '../config/index.ts';
import type { UnixMillis } from '../core/index.ts';
import type { Claim, JobCursor, LedgerRun, RunLedger } from '../storage/index.ts';
import { planClaim } from './claims.ts';

/** Why a slot between a backup and its restore does not run by itself. */
const skipped = 'restored: its slot is between the backup and the restore';
const cutOff = 'restored: it was not over when the backup was taken';

/** The claim of a job after a restore: every slot up to now is skipped, since it may have run after the backup. */
export const planRestored = (job: Job, cursor: JobCursor, now: UnixMillis): Claim | undefined => {
  const claim = planClaim(job, cursor, now);
  if (claim === undefined) return undefined;
  const runs = claim.runs.map(({ nextAttempt: _next, event: _event, ...run }): LedgerRun => ({
    ...run,
    state: 'skipped',
    reason: skipped,
    endedAt: now,
  }));
  return { ...claim, runs };
};

/** Slots of a job that a restore skipped, by the rows of the ledger. Milliseconds UTC. */
export type SkippedSlots = {
  readonly job: string;
  readonly zone: string;
  readonly slots: number;
  readonly first: UnixMillis;
  readonly last: UnixMillis;
};

const summaryOf = ({ name, timezone }: Job, runs: readonly LedgerRun[]): readonly SkippedSlots[] => {
  const slots = runs
    .flatMap(({ slot, through }) => (through === undefined ? [slot] : [slot, through]))
    .toSorted((one, other) => one - other);
  const [first, last] = [slots[0], slots.at(-1)];
  if (first === undefined || last === undefined) return [];
  return [{ job: name, zone: timezone, slots: runs.length, first, last }];
};

/**
 * Marks in a restored ledger what would otherwise run a second time: runs that were not over, and every slot since the backup.
 * Returns them by job.
 */
export const skipRestored = async (
  ledger: Pick<RunLedger, 'open' | 'end' | 'close' | 'cursors' | 'claim'>,
  jobs: readonly Job[],
  now: UnixMillis,
): Promise<readonly SkippedSlots[]> => {
  const open = await ledger.open();
  const running = open.filter(({ state }) => state === 'running');
  await ledger.end(
    running.map(({ job, slot }) => ({ job, slot, state: 'interrupted', at: now, reason: cutOff })),
  );
  await ledger.close(
    open
      .filter(({ state }) => state !== 'running')
      .map(({ job, slot }) => ({ job, slot, state: 'skipped', at: now, reason: cutOff })),
  );
  const cursors = new Map((await ledger.cursors()).map((cursor) => [cursor.job, cursor]));
  const claims = jobs.flatMap((job) => {
    const cursor = cursors.get(job.name);
    const claim = cursor === undefined ? undefined : planRestored(job, cursor, now);
    return claim === undefined ? [] : [claim];
  });
  const claimed = [...(await ledger.claim(claims)), ...open];
  return jobs.flatMap((job) =>
    summaryOf(
      job,
      claimed.filter((run) => run.job === job.name),
    ),
  );
};
