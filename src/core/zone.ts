import { DateTime, IANAZone } from 'luxon';
import { toMillis, unixMillis, unixSeconds } from './units.ts';
import type { Interval, UnixMillis, UnixSeconds } from './units.ts';

/** A calendar date, `YYYY-MM-DD`, in the zone of its context. */
export type LocalDate = string;

/** One calendar day of a zone: 23, 24 or 25 hours. */
export type LocalDay = Interval<UnixSeconds> & { readonly date: LocalDate };

export const isZone = (name: string): boolean => IANAZone.isValidZone(name);

const day = (date: LocalDate, zone: string): DateTime => {
  const parsed = DateTime.fromISO(date, { zone });
  if (!parsed.isValid || !/^\d{4}-\d{2}-\d{2}$/.test(date))
    throw new RangeError(`no such date: ${date} in ${zone}`);
  // When clocks fall back over midnight there are two first seconds; the day begins at the earlier.
  const [earliest] = parsed.startOf('day').getPossibleOffsets();
  return earliest ?? parsed.startOf('day');
};

const iso = (moment: DateTime): LocalDate => moment.toFormat('yyyy-MM-dd');

export const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && DateTime.fromISO(text, { zone: 'utc' }).isValid;

/** The first second of the date in the zone. @throws RangeError when there is no such date. */
export const startOfDay = (date: LocalDate, zone: string): UnixSeconds =>
  unixSeconds(Math.floor(day(date, zone).toSeconds()));

/** The date in the zone at the moment. */
export const dateAt = (moment: UnixSeconds, zone: string): LocalDate =>
  iso(DateTime.fromSeconds(moment, { zone }));

export const addDays = (date: LocalDate, days: number): LocalDate => iso(day(date, 'utc').plus({ days }));

export const startOfWeek = (date: LocalDate): LocalDate => iso(day(date, 'utc').startOf('week'));

export const startOfMonth = (date: LocalDate): LocalDate => iso(day(date, 'utc').startOf('month'));

export const addMonths = (date: LocalDate, months: number): LocalDate =>
  iso(day(date, 'utc').plus({ months }));

/** The days from `first` to `last`, both included, each with the seconds at which it begins and ends in the zone. */
export const localDays = (first: LocalDate, last: LocalDate, zone: string): readonly LocalDay[] => {
  const days: LocalDay[] = [];
  for (let date = first; date <= last; date = addDays(date, 1)) {
    days.push({ date, start: startOfDay(date, zone), end: startOfDay(addDays(date, 1), zone) });
  }
  return days;
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

/** `2026-11-21 08:00 Europe/Berlin`. */
export const formatMoment = (moment: UnixSeconds, zone: string): string =>
  `${DateTime.fromSeconds(moment, { zone }).toFormat('yyyy-MM-dd HH:mm')} ${zone}`;
