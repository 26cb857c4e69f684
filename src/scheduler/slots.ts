import { messageOf, unixMillis } from '../core/index.ts';
import type { UnixMillis } from '../core/index.ts';
import { nearestWall } from './cron-sets.ts';
import type { CronSets } from './cron-sets.ts';
import { readCron } from './cron-text.ts';
import type { CronReading, Schedule } from './cron-text.ts';
import { largestChange, offsetPeriodAt } from './slot-zone.ts';
import type { OffsetPeriod } from './slot-zone.ts';

export type { Schedule } from './cron-text.ts';

/** Slots are looked for between the years 1 and 9999, in seconds. */
const earliest = Date.parse('0001-01-01T00:00:00Z') / 1000;
const latest = Date.parse('9999-12-31T00:00:00Z') / 1000;
/** What did not fire in a whole round of the calendar never does: 400 years, in seconds. */
const calendarRound = 146_097 * 86_400;
/** Whether a schedule ever fires is asked from here on: earlier clocks are of no use to it. */
const checkedFrom = unixMillis(Date.parse('2025-01-01T00:00:00Z'));

/** Readings are some kB each; more than this many and the oldest is read again. */
const keptReadings = 20_000;
const readings = new Map<string, CronReading>();

const readingOf = (schedule: Schedule): CronReading => {
  const name = `${schedule.dayMatch ?? ''} ${schedule.expression}`;
  const known = readings.get(name);
  if (known !== undefined) return known;
  const reading = readCron(schedule);
  readings.set(name, reading);
  for (const oldest of readings.keys()) {
    if (readings.size <= keptReadings) break;
    readings.delete(oldest);
  }
  return reading;
};

/** Whether clocks went forward at the start of the stretch and passed a time of the schedule. */
const passedOver = (sets: CronSets, { start, offset, fresh }: OffsetPeriod): boolean => {
  if (fresh >= start + offset) return false;
  const wall = nearestWall(sets, fresh, 1);
  return wall !== undefined && wall < start + offset;
};

/** A fixed time is shown for the first time only by clocks that were not set back over it. */
const firstWall = (sets: CronSets, { start, offset, fresh }: OffsetPeriod): number =>
  sets.fixedTime ? Math.max(start + offset, fresh) : start + offset;

/** All in seconds. */
const slotAtOrAfter = (sets: CronSets, zone: string, from: number): number | undefined => {
  let instant = Math.max(from, earliest);
  while (instant < Math.min(latest, from + calendarRound)) {
    const offsetPeriod = offsetPeriodAt(zone, instant);
    const { start, end, offset } = offsetPeriod;
    if (sets.fixedTime && instant === start && passedOver(sets, offsetPeriod)) return start;
    const wall = nearestWall(sets, Math.max(instant + offset, firstWall(sets, offsetPeriod)), 1);
    if (wall === undefined) return undefined;
    if (wall < end + offset) return wall - offset;
    // No clock shows it before then, nor one that was set back a time before it.
    const far = end - instant > largestChange ? wall - offset - largestChange : end;
    instant = Math.max(end, far);
  }
  return undefined;
};

/** All in seconds. */
const slotAtOrBefore = (sets: CronSets, zone: string, from: number): number | undefined => {
  let instant = Math.min(from, latest);
  while (instant >= Math.max(earliest, from - calendarRound)) {
    const offsetPeriod = offsetPeriodAt(zone, instant);
    const { start, offset } = offsetPeriod;
    const wall = nearestWall(sets, instant + offset, -1);
    if (wall !== undefined && wall >= firstWall(sets, offsetPeriod)) return wall - offset;
    if (sets.fixedTime && passedOver(sets, offsetPeriod)) return start;
    if (wall === undefined) return undefined;
    const far = instant - start > largestChange ? wall - offset + largestChange : start;
    instant = Math.min(start - 1, far);
  }
  return undefined;
};

const setsOf = (schedule: Schedule): CronSets => {
  const { sets, fault } = readingOf(schedule);
  if (sets === undefined) throw new RangeError(`${schedule.expression} is not a valid schedule: ${fault}`);
  return sets;
};

/** The first slot after a moment, not at it. @throws RangeError when `scheduleFault` finds fault with the schedule. */
export const nextSlot = (schedule: Schedule, after: UnixMillis): UnixMillis | undefined => {
  const slot = slotAtOrAfter(setsOf(schedule), schedule.zone, Math.floor(after / 1000) + 1);
  return slot === undefined ? undefined : unixMillis(slot * 1000);
};

/** The last slot before a moment, not at it. @throws RangeError when `scheduleFault` finds fault with the schedule. */
export const previousSlot = (schedule: Schedule, before: UnixMillis): UnixMillis | undefined => {
  const slot = slotAtOrBefore(setsOf(schedule), schedule.zone, Math.ceil(before / 1000) - 1);
  return slot === undefined ? undefined : unixMillis(slot * 1000);
};

const repeated = (
  step: (from: UnixMillis) => UnixMillis | undefined,
  from: UnixMillis,
  count: number,
): readonly UnixMillis[] => {
  const slots: UnixMillis[] = [];
  let slot: UnixMillis | undefined = from;
  while (slots.length < count) {
    slot = step(slot);
    if (slot === undefined) break;
    slots.push(slot);
  }
  return slots;
};

/**
 * The next slots after a moment (not at it), in milliseconds UTC, in order. What the wall clock of the zone shows
 * decides. Where clocks are changed, Vixie's rule does: a job whose time fields have no wildcard and no step runs once
 * right after a gap that holds a time of it, once at the first showing of a time that is shown twice; other jobs follow
 * the clock, both times.
 */
export const nextSlots = (schedule: Schedule, after: UnixMillis, count: number): readonly UnixMillis[] =>
  repeated((from) => nextSlot(schedule, from), after, count);

/** The slots before a moment (not at it), the newest first. */
export const previousSlots = (schedule: Schedule, before: UnixMillis, count: number): readonly UnixMillis[] =>
  repeated((from) => previousSlot(schedule, from), before, count);

/** The latest slot in (after, now]; nothing when none is due. */
export const dueSlot = (schedule: Schedule, after: UnixMillis, now: UnixMillis): UnixMillis | undefined => {
  const slot = previousSlot(schedule, unixMillis(now + 1));
  return slot !== undefined && slot > after ? slot : undefined;
};

/** What is wrong with a schedule, in words; nothing when it is good. */
export const scheduleFault = (schedule: Schedule): string | undefined => {
  const { sets, fault } = readingOf(schedule);
  if (sets === undefined) return fault;
  try {
    return nextSlot(schedule, checkedFrom) === undefined ? 'it never matches' : undefined;
  } catch (error) {
    return messageOf(error);
  }
};
