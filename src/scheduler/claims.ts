import { dayMillis, formatSlot, unixMillis, type UnixMillis } from '../core/index.ts';
import type { Job } from '../config/index.ts';
import type { Claim, JobCursor, LedgerRun } from '../storage/index.ts';
import { readSchedule, scheduleOf, scheduleText } from './job-schedule.ts';
import { randomizedDelay } from './delays.ts';
import { nextSlots, previousSlot, previousSlots, scheduleFault, type Schedule } from './slots.ts';

const second = 1000;

/** A slot that is detected later than this was missed: until then it counts as on time, whatever delayed the loop. */
const punctual = 60 * second;

/** Default maximum age of slots that `catchup: all` still runs. */
const defaultWindowOfAll = 7 * dayMillis;

/**
 * Slots with their own row in one claim, unless more must run; older ones share a row, since years of missed seconds
 * would fill the disk.
 */
const rowsOfOneClaim = 1000;

/** Newest first. `more`: there are older due slots. */
type DueSlots = { readonly slots: readonly UnixMillis[]; readonly more: boolean };

const dueSlots = (schedule: Schedule, after: UnixMillis, now: UnixMillis, most: number): DueSlots => {
  const [first, second] = nextSlots(schedule, after, 2);
  if (first === undefined || first > now) return { slots: [], more: false };
  if (second === undefined || second > now) return { slots: [first], more: false };
  const upToNow = unixMillis(now + 1);
  const slotsOf = (count: number): readonly UnixMillis[] =>
    previousSlots(schedule, upToNow, count).filter((slot) => slot > after);
  const few = slotsOf(16);
  if (few.length < 16) return { slots: few, more: false };
  const slots = slotsOf(most + 1);
  return { slots: slots.slice(0, most), more: slots.length > most };
};

type Disposition =
  | { readonly state: 'queued' }
  | { readonly state: 'missed' | 'skipped'; readonly reason: string };

const missed = (reason: string): Disposition => ({ state: 'missed', reason });

/** The disposition of a slot by the job's policy; `rank` counts from the newest, 0. */
const dispositionOf = (
  job: Job,
  slot: UnixMillis,
  rank: number,
  newest: UnixMillis,
  now: UnixMillis,
): Disposition => {
  if (job.suspend) return { state: 'skipped', reason: 'the job is suspended' };
  const age = now - slot;
  if (job.startingDeadline !== undefined && age > job.startingDeadline)
    return missed('its starting_deadline had passed when it was detected');
  if (job.catchup === 'all') {
    if (age > Math.max(job.catchupWindow ?? defaultWindowOfAll, punctual))
      return missed('it was older than catchup_window when it was detected');
    return rank < job.maxCatchupRuns
      ? { state: 'queued' }
      : missed('more slots were due than max_catchup_runs allows');
  }
  if (rank > 0)
    return missed(`the slot ${formatSlot(newest, job.timezone)} was also due, and catchup is ${job.catchup}`);
  if (age <= punctual) return { state: 'queued' };
  if (job.catchup === 'none') return missed('no daemon was running at its time, and catchup is none');
  return job.catchupWindow === undefined || age <= job.catchupWindow
    ? { state: 'queued' }
    : missed('it was older than catchup_window when it was detected');
};

const runsOf = (
  job: Job,
  schedule: Schedule,
  cursor: JobCursor,
  now: UnixMillis,
  backlog: boolean,
): readonly LedgerRun[] => {
  const most = Math.max(rowsOfOneClaim, job.catchup === 'all' ? job.maxCatchupRuns : 0);
  const { slots, more } = dueSlots(schedule, cursor.claimedThrough, now, most);
  const [newest] = slots;
  if (newest === undefined) return [];
  const delay = randomizedDelay(job.name, job.randomizedDelay);
  const common = {
    job: job.name,
    account: job.account,
    version: cursor.version,
    attempts: 0,
    claimedAt: now,
  };
  const rows = slots.map((slot, rank): LedgerRun => {
    const disposition = dispositionOf(job, slot, rank, newest, now);
    const start = slots[rank + 1] ?? previousSlot(schedule, slot) ?? slot;
    // Slots run by `catchup: all` are queued; a slot on time is subject to `concurrency`.
    const inLine = job.catchup === 'all' && (slots.length > 1 || backlog);
    return {
      ...common,
      slot,
      trigger: inLine || now - slot > punctual ? 'catchup' : 'schedule',
      interval: { start, end: slot },
      ...(disposition.state === 'queued'
        ? { state: 'queued', nextAttempt: unixMillis(slot + delay) }
        : { ...disposition, endedAt: now }),
      // Older slots are missed with the newest, or replaced by it, as the policy says.
      ...(rank === 0 && disposition.state === 'missed' ? { event: 'missed' } : {}),
    };
  });
  if (!more) return rows;
  const oldest = rows.at(-1)?.interval.start ?? cursor.claimedThrough;
  const [first = oldest] = nextSlots(schedule, cursor.claimedThrough, 1);
  return [
    ...rows,
    {
      ...common,
      slot: first,
      through: oldest,
      trigger: 'catchup',
      interval: { start: first, end: oldest },
      ...(job.suspend
        ? { state: 'skipped', reason: 'the job was suspended during this time' }
        : { state: 'missed', reason: 'no daemon was running: one row for all slots of this time range' }),
      endedAt: now,
    },
  ];
};

/**
 * The claim of a job at this moment: a row for each slot in (cursor, now], with its disposition, and the cursor moved
 * to now. Undefined when nothing changes. An edited schedule begins a new version at now, after the slots of the old
 * one; a clock that was set back moves the cursor back. `backlog`: catchup runs of the job are already queued.
 */
export const planClaim = (
  job: Job,
  cursor: JobCursor | undefined,
  now: UnixMillis,
  backlog = false,
): Claim | undefined => {
  const schedule = scheduleOf(job);
  if (schedule === undefined) return undefined;
  const text = scheduleText(schedule);
  if (cursor === undefined)
    return { cursor: { job: job.name, version: 1, schedule: text, claimedThrough: now }, runs: [] };
  const edited = cursor.schedule !== text;
  const moved = {
    ...cursor,
    claimedThrough: now,
    ...(edited ? { version: cursor.version + 1, schedule: text } : {}),
  };
  if (now < cursor.claimedThrough) return { cursor: moved, runs: [], reopenedAfter: now };
  // An earlier version may have accepted schedules that this one rejects.
  const former = edited ? readSchedule(cursor.schedule) : schedule;
  const isRefused = edited && scheduleFault(former) !== undefined;
  const runs = isRefused ? [] : runsOf(job, former, cursor, now, backlog);
  return runs.length > 0 || edited ? { cursor: moved, runs } : undefined;
};
