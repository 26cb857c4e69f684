import { fault, readMoment, unixMillis, type Interval, type UnixMillis } from '../../core/index.ts';
import type { Job } from '../../config/index.ts';
import { jobKinds } from '../../jobs/index.ts';
import { nextSlots, previousSlot, scheduleOf } from '../../scheduler/index.ts';

/** More slots in one request are a mistake. */
const maxSlots = 10_000;

/** @throws Fault `wrong-use` */
export const momentOf = (text: string, job: Job): UnixMillis => {
  const moment = readMoment(text, job.timezone);
  if (moment !== undefined) return moment;
  throw fault('wrong-use', `${JSON.stringify(text)} is not a valid time`, {
    advice: `write 2026-11-21, 2026-11-21T08:00 (read in ${job.timezone}) or 2026-11-21T08:00Z`,
  });
};

/** The interval from the slot before to this slot; empty when the job has no schedule. */
export const intervalOf = (job: Job, slot: UnixMillis): Interval<UnixMillis> => {
  const schedule = scheduleOf(job);
  const start = schedule === undefined ? undefined : previousSlot(schedule, slot);
  return { start: start ?? slot, end: slot };
};

/** @throws Fault `wrong-use` when the slot is in the future */
export const slotOf = (text: string, job: Job, now: UnixMillis): UnixMillis => {
  const slot = momentOf(text, job);
  if (slot <= now) return slot;
  throw fault('wrong-use', `the slot ${text} is in the future`, {
    advice: 'choose a past slot; `tollkeeper next` lists future slots',
  });
};

const rangeOf = (job: Job, range: { readonly from: string; readonly to: string }): Interval<UnixMillis> => {
  const [start, end] = [momentOf(range.from, job), momentOf(range.to, job)];
  if (start < end) return { start, end };
  throw fault('wrong-use', `--from ${range.from} is not before --to ${range.to}`, {
    advice: '--to is exclusive: the first time that is not part of the range',
  });
};

/** Past slots of the job in [from, to), oldest first. @throws Fault `wrong-use` */
const slotsBetween = (
  job: Job,
  range: { readonly from: string; readonly to: string },
  now: UnixMillis,
): readonly UnixMillis[] => {
  const schedule = scheduleOf(job);
  if (schedule === undefined)
    throw fault('wrong-use', `job ${job.name} has no schedule and therefore no slots`, {
      advice: 'add a schedule to the job, or run a single time with --slot',
    });
  const { start: from, end: to } = rangeOf(job, range);
  const slots = nextSlots(schedule, unixMillis(from - 1), maxSlots + 1).filter(
    (slot) => slot < to && slot <= now,
  );
  if (slots.length > maxSlots)
    throw fault('wrong-use', `the time range contains more than ${maxSlots} slots of ${job.name}`, {
      advice: 'choose a shorter time range',
    });
  return slots;
};

/** A run of a backfill: of a slot, or of now where the job kind takes the time range as a whole. */
export type BackfillRun = { readonly slot: UnixMillis | undefined; readonly interval: Interval<UnixMillis> };

/** Oldest first. @throws Fault `wrong-use` */
export const backfillRuns = (
  job: Job,
  range: { readonly from: string; readonly to: string },
  now: UnixMillis,
): readonly BackfillRun[] =>
  jobKinds.find(({ kind }) => kind === job.kind)?.backfillsRange === true
    ? [{ slot: undefined, interval: rangeOf(job, range) }]
    : slotsBetween(job, range, now).map((slot) => ({ slot, interval: intervalOf(job, slot) }));
