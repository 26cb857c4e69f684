import { dayMillis } from './duration.ts';
import { DateTime, IANAZone } from 'luxon';
import {
  toMillis,
  unixMillis,
  unixSeconds,
  type Interval,
  type UnixMillis,
  type UnixSeconds,
} from './units.ts';

/** A calendar date, `YYYY-MM-DD`, in the zone of its context. */
export type LocalDate = string;

/** One calendar day of a zone: 23, 24 or 25 hours. */
export type LocalDay = Interval<UnixSeconds> & { readonly date: LocalDate };

export const isZone = (name: string): boolean => IANAZone.isValidZone(name);

/** Dates are calculated with in UTC, where each has 24 hours: many times faster than in a zone. */
const utcText = (millis: number): LocalDate => new Date(millis).toISOString().slice(0, 10);

const utcDay = (date: LocalDate): number | undefined => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return undefined;
  const millis = Date.parse(`${date}T00:00:00Z`);
  // February 30 is read as a day of March.
  return Number.isNaN(millis) || utcText(millis) !== date ? undefined : millis;
};

/** Midnight UTC, in milliseconds. @throws RangeError when there is no such date. */
const dayOf = (date: LocalDate, zone = 'UTC'): number => {
  const millis = utcDay(date);
  if (millis === undefined) throw new RangeError(`no such date: ${date} in ${zone}`);
  return millis;
};

export const isDate = (text: string): boolean => utcDay(text) !== undefined;

/** Seconds; later years have more than four digits. */
const lastUtc = Date.UTC(9999, 11, 31) / 1000;

const isUtc = (zone: string): boolean => zone === 'UTC' || zone === 'utc';

/** First seconds of days by zone and date, which reports and pulls ask for again and again. */
const starts = new Map<string, UnixSeconds>();
const mostStarts = 20_000;

const startInZone = (date: LocalDate, zone: string): UnixSeconds => {
  const parsed = DateTime.fromISO(date, { zone });
  if (!parsed.isValid) throw new RangeError(`no such date: ${date} in ${zone}`);
  // When clocks fall back over midnight there are two first seconds; the day begins at the earlier.
  const [earliest] = parsed.startOf('day').getPossibleOffsets();
  return unixSeconds(Math.floor((earliest ?? parsed.startOf('day')).toSeconds()));
};

/** The first second of the date in the zone. @throws RangeError when there is no such date. */
export const startOfDay = (date: LocalDate, zone: string): UnixSeconds => {
  const utc = dayOf(date, zone);
  if (isUtc(zone)) return unixSeconds(utc / 1000);
  const key = `${zone} ${date}`;
  const known = starts.get(key);
  if (known !== undefined) return known;
  const start = startInZone(date, zone);
  if (starts.size >= mostStarts) starts.clear();
  starts.set(key, start);
  return start;
};

/** The date in the zone at the moment. */
export const dateAt = (moment: UnixSeconds, zone: string): LocalDate =>
  isUtc(zone) && Math.abs(moment) < lastUtc
    ? utcText(moment * 1000)
    : DateTime.fromSeconds(moment, { zone }).toFormat('yyyy-MM-dd');

export const addDays = (date: LocalDate, days: number): LocalDate => utcText(dayOf(date) + days * dayMillis);

/** The Monday of the week. */
export const startOfWeek = (date: LocalDate): LocalDate => {
  const start = dayOf(date);
  return utcText(start - ((new Date(start).getUTCDay() + 6) % 7) * dayMillis);
};

export const startOfMonth = (date: LocalDate): LocalDate => `${utcText(dayOf(date)).slice(0, 8)}01`;

/** The last day of the month of a date. */
export const endOfMonth = (date: LocalDate): LocalDate => addDays(addMonths(startOfMonth(date), 1), -1);

/** Whether the days from the first to the last are one calendar month. */
export const isWholeMonth = (first: LocalDate, last: LocalDate): boolean =>
  first === startOfMonth(first) && last === endOfMonth(first);

/** The same day of another month, or its last one. */
export const addMonths = (date: LocalDate, months: number): LocalDate => {
  const from = new Date(dayOf(date));
  const first = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1);
  const last = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months + 1, 0)).getUTCDate();
  return utcText(first + (Math.min(from.getUTCDate(), last) - 1) * dayMillis);
};

/** The days from `first` to `last`, both included, each with the seconds at which it begins and ends in the zone. */
export const localDays = (first: LocalDate, last: LocalDate, zone: string): readonly LocalDay[] => {
  const days: LocalDay[] = [];
  for (let date = first; date <= last; date = addDays(date, 1)) {
    days.push({ date, start: startOfDay(date, zone), end: startOfDay(addDays(date, 1), zone) });
  }
  return days;
};

/** The whole days of a range, both included: a part of a day would look like a day with less. None where the last is before the first. */
export const wholeDaysIn = (
  { start, end }: Interval<UnixSeconds>,
  zone: string,
): { readonly first: LocalDate; readonly last: LocalDate } => {
  const begun = dateAt(start, zone);
  return {
    first: startOfDay(begun, zone) === start ? begun : addDays(begun, 1),
    last: addDays(dateAt(end, zone), -1),
  };
};

/** The days of a month, `2026-10`. */
export const daysOfMonth = (month: string, zone: string): readonly LocalDay[] => {
  const first = `${month}-01`;
  return localDays(first, endOfMonth(first), zone);
};

/**
 * Seconds of a wall-clock time in a zone, `2026-03-29 02:30:00`; the first occurrence in a repeated hour. Undefined
 * when unreadable.
 */
export const fromWallClock = (text: string, zone: string): UnixSeconds | undefined => {
  const parsed = DateTime.fromISO(text.trim().replace(' ', 'T'), { zone });
  if (!parsed.isValid) return undefined;
  const [earliest] = parsed.getPossibleOffsets();
  return unixSeconds(Math.floor((earliest ?? parsed).toSeconds()));
};

/** The local wall time in the zone at the moment, `15:27:00`. */
export const wallTimeAt = (moment: UnixSeconds, zone: string): string =>
  DateTime.fromSeconds(moment, { zone }).toFormat('HH:mm:ss');

/**
 * The first second of the date at which the clocks of the zone show this wall time, `15:27:00`, or a later one where they
 * skip it.
 */
export const atWallTime = (date: LocalDate, time: string, zone: string): UnixSeconds => {
  let low: number = startOfDay(date, zone);
  let high: number = fromWallClock(`${date} ${time}`, zone) ?? low;
  if (wallTimeAt(unixSeconds(high), zone) === time) return unixSeconds(high);
  // A skipped time is read as one after the change: the change itself is the first second with a later time.
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (wallTimeAt(unixSeconds(middle), zone) < time) low = middle + 1;
    else high = middle;
  }
  return unixSeconds(low);
};

/**
 * The moment, in milliseconds UTC, of `2026-11-21`, `2026-11-21T08:00` or `2026-11-21 08:00:30` in the zone, or with
 * `Z` or an offset, as stated. Undefined when it is none of these.
 */
export const readMoment = (text: string, zone: string): UnixMillis | undefined => {
  if (!/^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/.test(text))
    return undefined;
  const parsed = DateTime.fromISO(text.replace(' ', 'T'), { zone });
  if (!parsed.isValid) return undefined;
  if (isDate(text)) return toMillis(startOfDay(text, zone));
  const isLocal = !/(Z|[+-]\d{2}:\d{2})$/.test(text.slice(10));
  const [earliest] = isLocal ? parsed.getPossibleOffsets() : [parsed];
  return unixMillis((earliest ?? parsed).toMillis());
};

/** A slot for people, `2026-11-21 08:00 Europe/Berlin`; with seconds unless they are zero. */
export const formatSlot = (slot: UnixMillis, zone: string): string => {
  const moment = DateTime.fromMillis(slot, { zone });
  return `${moment.toFormat(slot % 60_000 === 0 ? 'yyyy-MM-dd HH:mm' : 'yyyy-MM-dd HH:mm:ss')} ${zone}`;
};

/** The start of its minute, which `formatSlot` writes without seconds. */
export const startOfMinute = (moment: UnixMillis): UnixMillis => unixMillis(moment - (moment % 60_000));

/** `2026-11-21 08:00 Europe/Berlin`. */
export const formatMoment = (moment: UnixSeconds, zone: string): string =>
  `${DateTime.fromSeconds(moment, { zone }).toFormat('yyyy-MM-dd HH:mm')} ${zone}`;
