import { dateAt, type LocalDate, type TimeSpan, type UnixSeconds } from '../../core/index.ts';
import { clockAt, partsOf } from '../dates.ts';

const weekdays = ['So.', 'Mo.', 'Di.', 'Mi.', 'Do.', 'Fr.', 'Sa.'];

export const shortDay = (date: LocalDate): string => `${date.slice(8, 10)}.${date.slice(5, 7)}.`;

export const longDay = (date: LocalDate): string => {
  const { weekday, year } = partsOf(date);
  return `${weekdays[weekday] ?? ''}, ${shortDay(date)}${year}`;
};

export const range = (first: LocalDate, last: LocalDate): string => {
  if (first === last) return longDay(first);
  const [from, to] = [partsOf(first), partsOf(last)];
  if (from.year !== to.year) return `${shortDay(first)}${from.year} – ${shortDay(last)}${to.year}`;
  if (from.month !== to.month) return `${shortDay(first)} – ${shortDay(last)}${to.year}`;
  return `${first.slice(8)}.–${shortDay(last)}${to.year}`;
};

/** `20.11.2026` */
export const day = (date: LocalDate): string => `${shortDay(date)}${date.slice(0, 4)}`;

/** `20.11.2026, 14:00 Europe/Berlin` */
export const moment = (at: UnixSeconds, zone: string): string =>
  `${day(dateAt(at, zone))}, ${clockAt(at, zone)}`;

export const counted = (count: number, one: string, many: string): string =>
  count === 1 ? `1 ${one}` : `${count.toLocaleString('de')} ${many}`;

const units = {
  day: ['Tag', 'Tage'],
  hour: ['Stunde', 'Stunden'],
  minute: ['Minute', 'Minuten'],
  second: ['Sekunde', 'Sekunden'],
} as const;

/** `30 Tage` */
export const span = ({ count, unit }: TimeSpan): string => {
  const [one, many] = units[unit];
  return counted(count, one, many);
};

/** `30 Tagen` */
export const dative = (length: TimeSpan): string => span(length).replace(/Tage$/, 'Tagen');
