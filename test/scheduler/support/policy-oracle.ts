import type { Job } from '../../../src/config/index.ts';
import { firstSlot, newestSlots, type KnownSchedule } from './known-schedules.ts';

const second = 1000;
const day = 86_400 * second;

export type Disposition = {
  readonly slot: number;
  readonly through?: number;
  readonly state: 'queued' | 'missed' | 'skipped';
};

/** So many slots of one look have a row each, or as many as are to run; the older ones share one. */
const ownRows = 1000;

/**
 * What becomes of the slots in (after, now] when they are seen at `now`: the text of the policies, slot by slot.
 * A slot seen within a minute of its time is on time.
 */
export const dispositionsOf = (
  job: Job,
  schedule: KnownSchedule,
  zone: string,
  after: number,
  now: number,
): readonly Disposition[] => {
  const most = Math.max(ownRows, job.catchup === 'all' ? job.maxCatchupRuns : 0);
  const slots = newestSlots(schedule, zone, after, now, most + 1);
  const runs = new Set<number>();
  const isYoung = (slot: number, window: number): boolean => now - slot <= window;
  if (job.catchup === 'all') {
    const window = Math.max(job.catchupWindow ?? 7 * day, 60 * second);
    for (const slot of slots) if (isYoung(slot, window) && runs.size < job.maxCatchupRuns) runs.add(slot);
  } else {
    const [newest] = slots;
    const window = job.catchup === 'none' ? 0 : (job.catchupWindow ?? Number.POSITIVE_INFINITY);
    if (newest !== undefined && isYoung(newest, Math.max(window, 60 * second))) runs.add(newest);
  }
  const rows = slots.slice(0, most).map((slot): Disposition => {
    if (job.suspend) return { slot, state: 'skipped' };
    const inTime = job.startingDeadline === undefined || now - slot <= job.startingDeadline;
    return { slot, state: runs.has(slot) && inTime ? 'queued' : 'missed' };
  });
  const through = slots[most];
  if (through === undefined) return rows;
  const slot = firstSlot(schedule, zone, after, now) ?? through;
  return [...rows, { slot, through, state: job.suspend ? 'skipped' : 'missed' }];
};

/** The wait after so many attempts, in milliseconds. */
export const retryWaitOf = ({ backoff, initial, max }: Job['retries'], attempts: number): number => {
  let wait = initial;
  for (let attempt = 1; attempt < attempts && wait < max; attempt += 1)
    wait = backoff === 'exponential' ? wait * 2 : backoff === 'linear' ? wait + initial : wait;
  return Math.min(wait, max);
};
