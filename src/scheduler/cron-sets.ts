import { daySeconds } from '../core/index.ts';
/** The parsed fields of an expression: small, and all that the planner needs. */
export type CronSets = {
  /** In ascending order, like all lists here. */
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  /** 1 to 12. */
  readonly months: readonly number[];
  /** 1 to 31. */
  readonly dates: readonly number[];
  readonly lastDate: boolean;
  /** The last Monday to Friday of the month. */
  readonly lastWeekday: boolean;
  /** Dates that select the nearest Monday to Friday in the month. */
  readonly nearestWeekdays: readonly number[];
  /** From Sunday: bit 0 to 4 for the first to fifth of the month, bit 5 for the last. */
  readonly weekdays: readonly number[];
  /** How the two day fields combine; a field of `*` defers to the other. */
  readonly days: 'dates' | 'weekdays' | 'any' | 'all';
  /** No wildcard and no step in the time fields: runs once for each time, even if clocks change. */
  readonly fixedTime: boolean;
};

/** Towards later or towards earlier. */
export type Direction = 1 | -1;

/** The Gregorian calendar repeats after so many months; an expression without a match by then never matches. */
const calendarMonths = 400 * 12;

const bit = (date: number): number => 1 << (date - 1);

const lastDateOf = (year: number, month: number): number => {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
};

/** Monday to Friday: itself. On weekends the nearest one, without leaving the month. */
const nearestWeekday = (date: number, weekday: number, last: number): number => {
  if (weekday === 6) return date === 1 ? 3 : date - 1;
  if (weekday === 0) return date === last ? date - 2 : date + 1;
  return date;
};

/** The dates of a month that match, as bits. */
const monthDays = (sets: CronSets, year: number, month: number, firstWeekday: number): number => {
  const last = lastDateOf(year, month);
  const weekdayOf = (date: number): number => (firstWeekday + date - 1) % 7;
  let byDate = 0;
  for (const date of sets.dates) if (date <= last) byDate |= bit(date);
  if (sets.lastDate) byDate |= bit(last);
  if (sets.lastWeekday) {
    const weekday = weekdayOf(last);
    byDate |= bit(weekday === 0 ? last - 2 : weekday === 6 ? last - 1 : last);
  }
  for (const date of sets.nearestWeekdays)
    if (date <= last) byDate |= bit(nearestWeekday(date, weekdayOf(date), last));
  if (sets.days === 'dates') return byDate;
  let byWeekday = 0;
  for (let date = 1; date <= last; date += 1) {
    const wanted = sets.weekdays[weekdayOf(date)] ?? 0;
    const which = (1 << Math.floor((date - 1) / 7)) | (date + 7 > last ? 32 : 0);
    if ((wanted & which) !== 0) byWeekday |= bit(date);
  }
  if (sets.days === 'weekdays') return byWeekday;
  return sets.days === 'any' ? byDate | byWeekday : byDate & byWeekday;
};

/** The nearest day that matches, at `day` or in that direction, in days since 1970. */
const nearestDay = (sets: CronSets, day: number, direction: Direction): number | undefined => {
  const start = new Date(day * daySeconds * 1000);
  let year = start.getUTCFullYear();
  let month = start.getUTCMonth() + 1;
  let date = start.getUTCDate();
  /** Day number of the date 0 of the month. */
  let before = day - date;
  for (let tried = 0; tried <= calendarMonths; tried += 1) {
    const last = lastDateOf(year, month);
    if (sets.months.includes(month)) {
      // 1970-01-01 was a Thursday.
      const matching = monthDays(sets, year, month, (((before + 5) % 7) + 7) % 7);
      for (let at = direction === 1 ? date : Math.min(date, last); at >= 1 && at <= last; at += direction)
        if ((matching & bit(at)) !== 0) return before + at;
    }
    if (direction === 1) before += last;
    month += direction;
    if (month === 13 || month === 0) {
      month = month === 0 ? 12 : 1;
      year += direction;
    }
    if (direction === -1) before -= lastDateOf(year, month);
    date = direction === 1 ? 1 : 31;
  }
  return undefined;
};

const nearest = (list: readonly number[], value: number, direction: Direction): number | undefined =>
  direction === 1 ? list.find((each) => each >= value) : list.findLast((each) => each <= value);

const outermost = (list: readonly number[], direction: Direction): number =>
  (direction === 1 ? list[0] : list.at(-1)) ?? 0;

/** The nearest time of day that matches, at `time` or in that direction, in seconds. */
const nearestTime = (sets: CronSets, time: number, direction: Direction): number | undefined => {
  const { hours, minutes, seconds } = sets;
  const hour = Math.floor(time / 3600);
  const minute = Math.floor(time / 60) % 60;
  const edgeSecond = outermost(seconds, direction);
  if (hours.includes(hour)) {
    const second = minutes.includes(minute) ? nearest(seconds, time % 60, direction) : undefined;
    if (second !== undefined) return hour * 3600 + minute * 60 + second;
    const otherMinute = nearest(minutes, minute + direction, direction);
    if (otherMinute !== undefined) return hour * 3600 + otherMinute * 60 + edgeSecond;
  }
  const otherHour = nearest(hours, hour + direction, direction);
  if (otherHour === undefined) return undefined;
  return otherHour * 3600 + outermost(minutes, direction) * 60 + edgeSecond;
};

/**
 * The nearest matching wall-clock time, at `wall` or in that direction; undefined when there is none in 400 years.
 * Times are seconds since 1970-01-01 00:00 on that clock, in any zone.
 */
export const nearestWall = (sets: CronSets, wall: number, direction: Direction): number | undefined => {
  const today = Math.floor(wall / daySeconds);
  const day = nearestDay(sets, today, direction);
  if (day === undefined) return undefined;
  const edge = direction === 1 ? 0 : daySeconds - 1;
  const time = nearestTime(sets, day === today ? wall - today * daySeconds : edge, direction);
  if (time !== undefined) return day * daySeconds + time;
  const otherDay = nearestDay(sets, day + direction, direction);
  return otherDay === undefined
    ? undefined
    : otherDay * daySeconds + (nearestTime(sets, edge, direction) ?? 0);
};
