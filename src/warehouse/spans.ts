import type { Interval, UnixMillis, UnixSeconds } from '../base/index.ts';

/**
 * The span covered without a gap, after a window landed: widened where the window touches it, begun by the window where
 * there is none and the window may, else as it was.
 */
export const widen = <T extends UnixSeconds | UnixMillis>(
  span: Interval<T> | undefined,
  window: Interval<T>,
  opens: boolean,
): Interval<T> | undefined => {
  if (span === undefined) return opens ? window : undefined;
  if (window.end < span.start || window.start > span.end) return span;
  return {
    start: window.start < span.start ? window.start : span.start,
    end: window.end > span.end ? window.end : span.end,
  };
};
