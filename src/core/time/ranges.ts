import { interval, unixSeconds, type Interval, type UnixSeconds } from '../units.ts';

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
