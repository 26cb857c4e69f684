import { toSeconds, unixSeconds, type Interval, type UnixMillis, type UnixSeconds } from './units.ts';
import { dateAt, formatMoment } from './zone.ts';

/** `1 row`, `41,203 rows`. */
export const countText = (value: number, noun: string): string =>
  `${value.toLocaleString('en-US')} ${noun}${value === 1 ? '' : 's'}`;

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

export type TimeSpan = { readonly count: number; readonly unit: (typeof units)[number][0] };

/** Milliseconds as a number of units, rounded down; in whole days from two days on. */
export const spanOf = (millis: number): TimeSpan => {
  const [unit, length] =
    millis >= 2 * units[0][1] || (millis > 0 && millis % units[0][1] === 0)
      ? units[0]
      : (units.slice(1).find(([, size]) => millis >= size) ?? units[3]);
  return { count: Math.floor(millis / length), unit };
};

/** Milliseconds as whole hours, else rounded to minutes. */
export const exactSpanOf = (millis: number): TimeSpan => {
  const minutes = Math.max(1, Math.round(millis / units[2][1]));
  return minutes % 60 === 0 ? { count: minutes / 60, unit: 'hour' } : { count: minutes, unit: 'minute' };
};

/** Milliseconds as `30 days` or `36 hours`. */
export const durationText = (millis: number): string => {
  const { count, unit } = spanOf(millis);
  return countText(count, unit);
};

/** Keeps a sentence readable. */
const mostRanges = 12;

/** Whole hours by their starts, ascending: `09:00–12:00, 14:00–15:00`; with their dates where these are several. */
export const hoursText = (hours: readonly UnixSeconds[], zone: string): string => {
  const ranges: { readonly start: UnixSeconds; end: UnixSeconds }[] = [];
  for (const hour of hours) {
    const end = unixSeconds(hour + 3600);
    const last = ranges.at(-1);
    if (last !== undefined && last.end === hour && dateAt(last.start, zone) === dateAt(hour, zone))
      last.end = end;
    else ranges.push({ start: hour, end });
  }
  const timeOf = (moment: UnixSeconds): string => formatMoment(moment, zone).slice(11, 16);
  const hasDates = new Set(hours.map((hour) => dateAt(hour, zone))).size > 1;
  const more = ranges.length - mostRanges;
  return [
    ...ranges
      .slice(0, mostRanges)
      .map(({ start, end }) => `${hasDates ? `${dateAt(start, zone)} ` : ''}${timeOf(start)}–${timeOf(end)}`),
    ...(more > 0 ? [`… (+${more})`] : []),
  ].join(', ');
};

/** `12 kB`, `7.9 MB`; kilobytes are rounded up. */
export const sizeText = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

const seconds = (interval: Interval<UnixSeconds>, zone: string): string =>
  `from ${formatMoment(interval.start, zone)} to ${formatMoment(interval.end, zone)}`;

/** Moments and intervals for people. */
export const rangeText = {
  moment: formatMoment,
  seconds,
  millis: (interval: Interval<UnixMillis>, zone: string): string =>
    seconds({ start: toSeconds(interval.start), end: toSeconds(interval.end) }, zone),
};
