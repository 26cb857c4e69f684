import { unixSeconds } from '../../core/index.ts';
import type { UnixSeconds } from '../../core/index.ts';
import { timeFormOf } from './learn-cells.ts';
import type { LogWindow } from '../call-log/log-windows.ts';

/** An export that was landed, as far as it tells how a gateway takes the end of a range. */
export type EndedExport = {
  readonly asked: LogWindow;
  readonly window: LogWindow;
  /** Rows outside the window, which the overlap brought. */
  readonly outside: number;
  /** `created_at` of some rows. */
  readonly times: readonly string[];
};

export type RangeEnd = { readonly value: 'inclusive' | 'exclusive'; readonly second: UnixSeconds };

/** Seconds before the newest in which rows may still come: what was missing a moment ago proves nothing there. */
const unsettled = 3600;

/** Seconds UTC; nothing for times without a zone. */
const secondOf = (cell: string): number | undefined => {
  const form = timeFormOf(cell);
  if (form === 'seconds') return Number(cell);
  if (form === 'milliseconds') return Math.floor(Number(cell) / 1000);
  return form === 'rfc3339' ? Math.floor(Date.parse(cell.replace(' ', 'T')) / 1000) : undefined;
};

/**
 * Whether the end of a range is inclusive, where the rows show it: a row of the last second asked for, or one of the first
 * second of a window that the export of the window before, asked for up to there, did not hold.
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
