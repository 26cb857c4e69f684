import {
  addDays,
  dateAt,
  formatMoment,
  fromWallClock,
  interval,
  localDays,
  unixSeconds,
} from '../base/index.ts';
import type { Interval, UnixSeconds } from '../base/index.ts';
import type { ZoneOffset } from '../warehouse/index.ts';

/** Seconds UTC in which a zone's wall clock shows each time twice, both passes together. */
export type Fold = Interval<UnixSeconds>;

const day = 86_400;
const quarter = 900;

const shownTwice = (moment: UnixSeconds, zone: string): boolean => {
  const shown = fromWallClock(formatMoment(moment, zone).slice(0, 16), zone);
  return shown !== undefined && shown < moment;
};

/**
 * The folds of a zone near an interval. A naive time in a fold can't tell its pass, so no window may begin or end in
 * one: with the fold whole inside one window, each row served is landed once, whichever pass it belongs to.
 */
export const foldsOf = (zone: string, span: Interval<UnixSeconds>): readonly Fold[] => {
  const first = dateAt(unixSeconds(span.start - day), zone);
  const last = dateAt(unixSeconds(span.end + day), zone);
  return localDays(first, last, zone).flatMap(({ start, end }) => {
    const length = end - start - day;
    if (length <= 0) return [];
    for (let moment = start; moment < end; moment = unixSeconds(moment + quarter))
      if (shownTwice(moment, zone))
        return [interval(unixSeconds(moment - length), unixSeconds(moment + length))];
    return [];
  });
};

/** A wall-clock second, written as if it were UTC. */
const wallText = (local: number): string => new Date(local * 1000).toISOString().slice(0, 19);

const offsetAt = (local: number, zone: string): number => {
  const moment = fromWallClock(wallText(local), zone);
  if (moment === undefined) throw new RangeError(`no such zone: ${zone}`);
  return local - moment;
};

/** How far local time is ahead of UTC, by local time, around an interval. Of a repeated hour the first pass is taken. */
export const offsetsOf = (zone: string, span: Interval<UnixSeconds>): readonly ZoneOffset[] => {
  const localMidnight = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 1000;
  const last = localMidnight(addDays(dateAt(span.end, zone), 2));
  let from = localMidnight(addDays(dateAt(span.start, zone), -2));
  const offsets: ZoneOffset[] = [{ fromLocal: from, seconds: offsetAt(from, zone) }];
  for (; from < last; from += day) {
    const before = offsetAt(from, zone);
    const after = offsetAt(from + day, zone);
    if (before === after) continue;
    let [low, high] = [from, from + day];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle, zone) === before) low = middle;
      else high = middle;
    }
    offsets.push({ fromLocal: high, seconds: after });
  }
  return offsets;
};
