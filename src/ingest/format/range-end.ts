import { secondsOfTime, timeFormOf, unixSeconds, type UnixSeconds } from '../../core/index.ts';
import type { LogWindow } from '../call-log/log-windows.ts';

/** A landed export, as evidence of how a gateway treats the end of a range. */
export type EndedExport = {
  readonly asked: LogWindow;
  readonly window: LogWindow;
  /** Rows outside the window, served because of the overlap. */
  readonly outside: number;
  /** `created_at` of some rows. */
  readonly times: readonly string[];
};

export type RangeEnd = { readonly value: 'inclusive' | 'exclusive'; readonly second: UnixSeconds };

/** Seconds before the newest time in which rows may still arrive: missing rows prove nothing there. */
const unsettled = 3600;

/** Seconds UTC; undefined for times without a zone. */
const secondOf = (cell: string): number | undefined => {
  const form = timeFormOf(cell);
  return form === undefined || form === 'naive' ? undefined : secondsOfTime(cell, form, () => 0);
};

/**
 * Whether the end of a range is inclusive, if rows show it: a row of the last requested second, or a row of the first
 * second of a window that the previous window's export, requested up to there, did not contain.
 */
export const rangeEndShown = (
  before: EndedExport | undefined,
  ended: EndedExport,
  until: UnixSeconds,
): RangeEnd | undefined => {
  const seconds = new Set(ended.times.map(secondOf));
  const { asked, window } = ended;
  if (seconds.has(asked.end)) return { value: 'inclusive', second: asked.end };
  const touches = before !== undefined && before.asked.end === window.start && before.outside === 0;
  return touches && window.start <= until - unsettled && seconds.has(window.start)
    ? { value: 'exclusive', second: unixSeconds(window.start) }
    : undefined;
};
