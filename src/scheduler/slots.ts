import { messageOf, unixMillis, type UnixMillis } from '../core/index.ts';
import { nearestWall, type CronSets } from './cron-sets.ts';
import { readCron, type CronReading, type Schedule, type ScheduleFault } from './cron-text.ts';
import { largestChange, offsetPeriodAt, type OffsetPeriod } from './slot-zone.ts';

export type { Schedule } from './cron-text.ts';

/** Slots are searched between the years 1 and 9999, in seconds. */
const earliest = Date.parse('0001-01-01T00:00:00Z') / 1000;
const latest = Date.parse('9999-12-31T00:00:00Z') / 1000;
/** An expression that does not fire within a full calendar cycle of 400 years never fires; in seconds. */
const calendarRound = 146_097 * 86_400;
/** Start of the check whether a schedule ever fires: earlier times are irrelevant. */
const checkedFrom = unixMillis(Date.parse('2025-01-01T00:00:00Z'));

/** Maximum number of cached expressions, some kB each; the oldest is evicted. */
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

/** Whether clocks went forward at the start of the period and skipped a time of the schedule. */
const passedOver = (sets: CronSets, { start, offset, fresh }: OffsetPeriod): boolean => {
  if (fresh >= start + offset) return false;
  const wall = nearestWall(sets, fresh, 1);
  return wall !== undefined && wall < start + offset;
};

/** A fixed time does not fire again in wall-clock time that clocks set back repeat. */
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
    // No clock shows it before then, not even one that was set back before it.
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
  if (sets === undefined)
    throw new RangeError(`${schedule.expression} is not a valid schedule: ${fault.message}`);
  return sets;
};

/** The first slot after a moment, not at it. @throws RangeError when `scheduleFault` reports an invalid schedule. */
export const nextSlot = (schedule: Schedule, after: UnixMillis): UnixMillis | undefined => {
  const slot = slotAtOrAfter(setsOf(schedule), schedule.zone, Math.floor(after / 1000) + 1);
  return slot === undefined ? undefined : unixMillis(slot * 1000);
};

/** The last slot before a moment, not at it. @throws RangeError when `scheduleFault` reports an invalid schedule. */
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
 * The next slots after a moment (not at it), in milliseconds UTC, in order. The wall clock of the zone decides. At
 * clock changes, Vixie's rule applies: a job whose time fields have no wildcard and no step runs once right after a gap
 * that contains one of its times, and once at the first occurrence of a repeated time; other jobs follow the clock,
 * both times.
 */
export const nextSlots = (schedule: Schedule, after: UnixMillis, count: number): readonly UnixMillis[] =>
  repeated((from) => nextSlot(schedule, from), after, count);

/** The slots before a moment (not at it), newest first. */
export const previousSlots = (schedule: Schedule, before: UnixMillis, count: number): readonly UnixMillis[] =>
  repeated((from) => previousSlot(schedule, from), before, count);

/** The latest slot in (after, now]; undefined when none is due. */
export const dueSlot = (schedule: Schedule, after: UnixMillis, now: UnixMillis): UnixMillis | undefined => {
  const slot = previousSlot(schedule, unixMillis(now + 1));
  return slot !== undefined && slot > after ? slot : undefined;
};

/** Why a schedule is invalid; undefined when it is valid. */
export const scheduleFault = (schedule: Schedule): ScheduleFault | undefined => {
  const { sets, fault } = readingOf(schedule);
  if (sets === undefined) return fault;
  try {
    return nextSlot(schedule, checkedFrom) === undefined ? { message: 'it never matches' } : undefined;
  } catch (error) {
    return { message: messageOf(error) };
  }
};
