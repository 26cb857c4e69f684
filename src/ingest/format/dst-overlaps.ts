import {
  daySeconds,
  dateAt,
  formatMoment,
  interval,
  localDays,
  toMillis,
  unixSeconds,
  type Interval,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import type { ZoneOffset } from '../../warehouse/index.ts';

/** Seconds UTC in which a zone's wall clock shows each time twice; covers both occurrences. */
export type DstOverlap = Interval<UnixSeconds>;

const quarter = 900;

const wallMinute = (moment: number, zone: string): string =>
  formatMoment(unixSeconds(moment), zone).slice(0, 16);

/** Seconds by which the zone's wall clock is ahead of UTC at the moment; current zones use whole minutes. */
const offsetAt = (moment: number, zone: string): number => {
  const local = Date.parse(`${wallMinute(moment, zone).replace(' ', 'T')}:00Z`) / 1000;
  return local - Math.floor(moment / 60) * 60;
};

/**
 * The DST overlaps of a zone near an interval. A naive time in an overlap is ambiguous, so no window may begin or end
 * in one: if one window contains the whole overlap, each served row lands once, whichever occurrence it belongs to.
 */
export const dstOverlapsOf = (zone: string, range: Interval<UnixSeconds>): readonly DstOverlap[] => {
  const first = dateAt(unixSeconds(range.start - daySeconds), zone);
  const last = dateAt(unixSeconds(range.end + daySeconds), zone);
  return localDays(first, last, zone).flatMap(({ start, end }) => {
    const length = end - start - daySeconds;
    if (length <= 0) return [];
    for (let moment = start; moment < end; moment = unixSeconds(moment + quarter))
      if (wallMinute(moment, zone) === wallMinute(moment - length, zone))
        return [interval(unixSeconds(moment - length), unixSeconds(moment + length))];
    return [];
  });
};

/**
 * How far local time is ahead of UTC, by local time, around an interval. Uses the first occurrence of a repeated hour.
 */
export const offsetsOf = (zone: string, range: Interval<UnixSeconds>): readonly ZoneOffset[] => {
  const first = (Math.floor(range.start / daySeconds) - 2) * daySeconds;
  const offsets: ZoneOffset[] = [{ fromLocal: first, seconds: offsetAt(first, zone) }];
  for (let from = first; from < range.end + 2 * daySeconds; from += daySeconds) {
    const before = offsetAt(from, zone);
    const after = offsetAt(from + daySeconds, zone);
    if (before === after) continue;
    let [low, high] = [from, from + daySeconds];
    while (high - low > 60) {
      const middle = Math.floor((low + high) / 120) * 60;
      if (offsetAt(middle, zone) === before) low = middle;
      else high = middle;
    }
    offsets.push({ fromLocal: high + before, seconds: after });
  }
  return offsets;
};

/**
 * The moment of a wall-clock time, `2026-10-25T02:30:00`; the first occurrence in a repeated hour. Undefined when
 * unreadable.
 */
export const momentOf = (wallClock: string, zone: string): UnixMillis | undefined => {
  const local = Math.floor(Date.parse(`${wallClock.replace(' ', 'T')}Z`) / 1000);
  if (Number.isNaN(local)) return undefined;
  const near = interval(unixSeconds(local - daySeconds), unixSeconds(local + daySeconds));
  const offset = offsetsOf(zone, near).findLast(({ fromLocal }) => local >= fromLocal);
  return offset === undefined ? undefined : toMillis(unixSeconds(local - offset.seconds));
};
