import { fault, readMoment, unixMillis } from '../../core/index.ts';
import type { Interval, UnixMillis } from '../../core/index.ts';
import type { Job } from '../../config/index.ts';
import { nextSlots, previousSlot, scheduleOf } from '../../scheduler/index.ts';

/** More slots than that in one go are a slip of the pen. */
const maxSlots = 10_000;

/** @throws Fault `wrong-use` */
export const momentOf = (text: string, job: Job): UnixMillis => {
  const moment = readMoment(text, job.timezone);
  if (moment !== undefined) return moment;
  throw fault('wrong-use', `${JSON.stringify(text)} is no moment`, {
    advice: `write 2026-11-21, 2026-11-21T08:00 (read in ${job.timezone}) or 2026-11-21T08:00Z`,
  });
};

/** The data that the run of a slot is about: from the slot before it; nothing where the job has no schedule. */
export const intervalOf = (job: Job, slot: UnixMillis): Interval<UnixMillis> => {
  const schedule = scheduleOf(job);
  const start = schedule === undefined ? undefined : previousSlot(schedule, slot);
  return { start: start ?? slot, end: slot };
};

/** The slot of a run that a person names. @throws Fault `wrong-use` when it is yet to come */
export const slotOf = (text: string, job: Job, now: UnixMillis): UnixMillis => {
  const slot = momentOf(text, job);
  if (slot <= now) return slot;
  throw fault('wrong-use', `the slot ${text} is yet to come`, {
    advice: 'name a slot that has come; `tollkeeper next` lists those that are to come',
  });
};

/** Every slot of the job in [from, to) that has come, oldest first. @throws Fault `wrong-use` */
export const slotsBetween = (
  job: Job,
  range: { readonly from: string; readonly to: string },
  now: UnixMillis,
): readonly UnixMillis[] => {
  const schedule = scheduleOf(job);
  if (schedule === undefined)
    throw fault('wrong-use', `job ${job.name} has no schedule to take slots from`, {
      advice: 'give the job a schedule, or run one moment of it with --slot',
    });
  const [from, to] = [momentOf(range.from, job), momentOf(range.to, job)];
  if (from >= to)
    throw fault('wrong-use', `--from ${range.from} does not lie before --to ${range.to}`, {
      advice: '--to is the first moment that no longer belongs to the span',
    });
  const slots = nextSlots(schedule, unixMillis(from - 1), maxSlots + 1).filter(
    (slot) => slot < to && slot <= now,
  );
  if (slots.length > maxSlots)
    throw fault('wrong-use', `the span holds more than ${maxSlots} slots of ${job.name}`, {
      advice: 'give a shorter span',
    });
  return slots;
};
