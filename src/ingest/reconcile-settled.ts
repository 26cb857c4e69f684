import { interval, unixSeconds, type Interval, type UnixMillis, type UnixSeconds } from '../core/index.ts';

type Range = Interval<UnixSeconds>;

/** A landing, and when it was. */
export type PastMoment = { readonly window: Range; readonly landedAt: UnixMillis };

/** Maximum observed delay of late rows, in seconds (docs/gateway.md G16.1). */
export const lateness = 600;

/** Merges overlapping and adjacent ranges, sorted by time. Pure. */
export const joinRanges = (ranges: readonly Range[]): readonly Range[] => {
  const joined: Range[] = [];
  for (const range of ranges.toSorted((left, right) => left.start - right.start)) {
    const last = joined.at(-1);
    if (range.end <= range.start) continue;
    if (last === undefined || range.start > last.end) joined.push(range);
    else if (range.end > last.end) joined[joined.length - 1] = interval(last.start, range.end);
  }
  return joined;
};

const reachedBy = (range: Range, stored: readonly Range[]): UnixSeconds => {
  const around = joinRanges(stored).find(({ start, end }) => start <= range.start && end > range.start);
  return around === undefined ? range.start : unixSeconds(Math.min(around.end, range.end));
};

/**
 * The end of the part of the range, from its start, that landed after all late rows had arrived; its start when there
 * is none. Pure.
 */
export const settledThrough = (range: Range, landings: readonly PastMoment[]): UnixSeconds =>
  reachedBy(
    range,
    landings.flatMap(({ window, landedAt }) => {
      const end = Math.min(window.end, Math.floor(landedAt / 1000) - lateness);
      return end > window.start ? [interval(window.start, unixSeconds(end))] : [];
    }),
  );

/** A comparison that agreed, with its range and time. */
export type PastAgreement = { readonly range: Range; readonly comparedAt: UnixMillis };

/** Whether the whole range agreed when it last landed: any surplus of the source arrived later. Pure. */
export const agreedWhenLanded = (
  range: Range,
  agreements: readonly PastAgreement[],
  landings: readonly PastMoment[],
): boolean => {
  const overlaps = (left: Range, right: Range): boolean => left.start < right.end && left.end > right.start;
  const valid = agreements.filter(
    (agreed) =>
      !landings.some(
        ({ window, landedAt }) => landedAt > agreed.comparedAt && overlaps(window, agreed.range),
      ),
  );
  return (
    reachedBy(
      range,
      valid.map((agreed) => agreed.range),
    ) >= range.end
  );
};
