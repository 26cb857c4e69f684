import { dateAt, type LocalDate, type UnixSeconds } from '../../core/index.ts';
import { clockAt, partsOf } from '../dates.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

export const shortDay = (date: LocalDate): string => {
  const { month, day } = partsOf(date);
  return `${months[month - 1] ?? ''} ${day}`;
};

export const longDay = (date: LocalDate): string => {
  const { weekday, year } = partsOf(date);
  return `${weekdays[weekday] ?? ''}, ${shortDay(date)}, ${year}`;
};

export const range = (first: LocalDate, last: LocalDate): string => {
  if (first === last) return longDay(first);
  const [from, to] = [partsOf(first), partsOf(last)];
  if (from.year !== to.year) return `${shortDay(first)}, ${from.year} – ${shortDay(last)}, ${to.year}`;
  if (from.month !== to.month) return `${shortDay(first)} – ${shortDay(last)}, ${to.year}`;
  return `${shortDay(first)} – ${to.day}, ${to.year}`;
};

/** `Nov 20, 2026, 14:00 Europe/Berlin` */
export const moment = (at: UnixSeconds, zone: string): string => {
  const date = dateAt(at, zone);
  return `${shortDay(date)}, ${partsOf(date).year}, ${clockAt(at, zone)}`;
};
