import { interval, unixSeconds, type Interval, type UnixMillis, type UnixSeconds } from '../core/index.ts';
import { bucketsOf, type Granularity } from '../ingest/index.ts';

const lengths: Readonly<Record<Granularity, number>> = {
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
};

/** The largest clock change: a bucket is longer or shorter by at most this. */
const clockChange = 2 * 3_600_000;

/** Starts one length apart, or as observed where a bucket exists. */
const walk = (from: number, until: number, step: number, seen: readonly number[]): readonly number[] => {
  const starts: number[] = [];
  for (let at = from; step > 0 ? at <= until : at >= until;) {
    starts.push(at);
    const expected = at + step;
    at =
      seen.find((start) => Math.abs(start - expected) <= Math.min(clockChange, Math.abs(step) / 4)) ??
      expected;
  }
  return starts;
};

/**
 * The consecutive buckets of a usage series that lie completely in the range: at UTC hours, at days or weeks of the
 * gateway's zone, or, if the stored ones begin elsewhere, as these do. Pure.
 */
export const bucketsIn = (
  range: Interval<UnixSeconds>,
  seen: readonly UnixMillis[],
  granularity: Granularity,
  zone: string,
): readonly Interval<UnixSeconds>[] => {
  const grid = bucketsOf(granularity, zone);
  const [first, last] = [range.start * 1000, range.end * 1000];
  const orphanKey = seen.find((start) => grid.at(start) !== start);
  const starts: number[] = [];
  if (orphanKey === undefined) {
    for (let at = grid.at((first - 1) as UnixMillis); at <= last; at = grid.after(at)) starts.push(at);
  } else {
    const length = lengths[granularity];
    const sorted = [...new Set<number>(seen)].toSorted((left, right) => left - right);
    const anchor = sorted[0] ?? orphanKey;
    starts.push(
      ...walk(anchor, first - length, -length, [])
        .slice(1)
        .toReversed(),
      ...walk(anchor, last + length, length, sorted),
    );
  }
  return starts.flatMap((start, at) => {
    const end = starts[at + 1];
    return end === undefined || start < first || end > last
      ? []
      : [interval(unixSeconds(Math.floor(start / 1000)), unixSeconds(Math.floor(end / 1000)))];
  });
};
