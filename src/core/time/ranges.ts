import { interval, unixSeconds, type Interval, type UnixMillis, type UnixSeconds } from '../units.ts';

type Range = Interval<UnixSeconds>;

/** Merges overlapping and adjacent ranges, sorted by time; omits empty ones. Pure. */
export const mergeRanges = (ranges: readonly Range[]): readonly Range[] => {
  const merged: Range[] = [];
  for (const range of ranges.toSorted((left, right) => left.start - right.start)) {
    const last = merged.at(-1);
    if (range.end <= range.start) continue;
    if (last === undefined || range.start > last.end) merged.push(range);
    else if (range.end > last.end) merged[merged.length - 1] = { start: last.start, end: range.end };
  }
  return merged;
};

/** The parts of the ranges within the bounds. */
export const clipRanges = (ranges: readonly Range[], bounds: Range): readonly Range[] =>
  ranges.flatMap(({ start, end }) => {
    const clipped = {
      start: unixSeconds(Math.max(start, bounds.start)),
      end: unixSeconds(Math.min(end, bounds.end)),
    };
    return clipped.end > clipped.start ? [clipped] : [];
  });

const quarter = 900;

/** The range extended to whole quarter hours. */
export const wholeQuarters = ({ start, end }: Range): Range => ({
  start: unixSeconds(Math.floor(start / quarter) * quarter),
  end: unixSeconds(Math.ceil(end / quarter) * quarter),
});

/** What the ranges leave of the whole; both ascending. */
export const restOf = (whole: Range, ranges: readonly Range[]): readonly Range[] => {
  const left: Range[] = [];
  let from = whole.start;
  for (const { start, end } of [...ranges, interval(whole.end, whole.end)]) {
    if (start > from) left.push(interval(from, start));
    from = end;
  }
  return left;
};

/** A calendar month of UTC. */
export type Month = { readonly name: string; readonly range: Interval<UnixSeconds> };

const secondsOf = (year: number, month: number): UnixSeconds => unixSeconds(Date.UTC(year, month) / 1000);

/** The UTC month that contains the moment; its name is `2025-01`. */
export const monthAt = (moment: UnixSeconds): Month => {
  const date = new Date(moment * 1000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return {
    name: `${String(year).padStart(4, '0')}-${String(month + 1).padStart(2, '0')}`,
    range: interval(secondsOf(year, month), secondsOf(year, month + 1)),
  };
};

/**
 * The covered range after a window landed: extended when the window touches it; begun by the window when there is none
 * and the window may; otherwise unchanged.
 */
export const widen = <T extends UnixSeconds | UnixMillis>(
  range: Interval<T> | undefined,
  window: Interval<T>,
  opens: boolean,
): Interval<T> | undefined => {
  if (range === undefined) return opens ? window : undefined;
  if (window.end < range.start || window.start > range.end) return range;
  return {
    start: window.start < range.start ? window.start : range.start,
    end: window.end > range.end ? window.end : range.end,
  };
};
