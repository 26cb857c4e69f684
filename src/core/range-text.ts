import { toSeconds, type Interval, type UnixMillis, type UnixSeconds } from './units.ts';
import { formatMoment } from './zone.ts';

/** `1 row`, `41,203 rows`. */
export const countText = (value: number, noun: string): string =>
  `${value.toLocaleString('en-US')} ${noun}${value === 1 ? '' : 's'}`;

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
