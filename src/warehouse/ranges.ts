import type { Interval, UnixMillis, UnixSeconds } from '../core/index.ts';

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
