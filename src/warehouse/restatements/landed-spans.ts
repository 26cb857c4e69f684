import { unixSeconds } from '../../base/index.ts';
import type { Interval, UnixSeconds } from '../../base/index.ts';

type Span = Interval<UnixSeconds>;

/** Where several spans overlap or touch they become one; in the order of time, empty ones left out. Pure. */
export const mergeSpans = (spans: readonly Span[]): readonly Span[] => {
  const merged: Span[] = [];
  for (const span of spans.toSorted((left, right) => left.start - right.start)) {
    const last = merged.at(-1);
    if (span.end <= span.start) continue;
    if (last === undefined || span.start > last.end) merged.push(span);
    else if (span.end > last.end) merged[merged.length - 1] = { start: last.start, end: span.end };
  }
  return merged;
};

/** The parts of the spans that lie inside of the bounds. */
export const clipSpans = (spans: readonly Span[], bounds: Span): readonly Span[] =>
  spans.flatMap(({ start, end }) => {
    const clipped = {
      start: unixSeconds(Math.max(start, bounds.start)),
      end: unixSeconds(Math.min(end, bounds.end)),
    };
    return clipped.end > clipped.start ? [clipped] : [];
  });

const quarter = 900;

/** The quarter hours that the span touches, whole. */
export const wholeQuarters = ({ start, end }: Span): Span => ({
  start: unixSeconds(Math.floor(start / quarter) * quarter),
  end: unixSeconds(Math.ceil(end / quarter) * quarter),
});
