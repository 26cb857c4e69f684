import { interval, unixSeconds } from '../../core/index.ts';
import { planRevisits, revisitsFrom } from './log-revisits.ts';
import type { PastLanding, RevisitRule } from './log-revisits.ts';
import { planLogPull } from './log-windows.ts';
import type { LogPlanRequest, LogWindow } from './log-windows.ts';

export type LogWorkRequest = LogPlanRequest & {
  /** Missing: no day is pulled again by itself. */
  readonly revisit?: RevisitRule | undefined;
  /** What was landed so far, as far back as days are revisited. */
  readonly landings?: readonly PastLanding[] | undefined;
};

/** A window to pull, and why: `new` carries on, `earlier` lies before what is held, `ordered` and `revisit` are pulled again. */
export type PlannedWindow = {
  readonly window: LogWindow;
  readonly why: 'new' | 'earlier' | 'ordered' | 'revisit';
};

/** What is held without a gap once the windows are landed too: they touch what is held. */
const withWindows = (covered: LogWindow, windows: readonly LogWindow[]): LogWindow =>
  interval(
    unixSeconds(Math.min(covered.start, ...windows.map(({ start }) => start))),
    unixSeconds(Math.max(covered.end, ...windows.map(({ end }) => end))),
  );

/**
 * All windows of one pull in the order they are to be landed: what was ordered, or what is new and then the closed days
 * that are due to be pulled again. Pure: what a dry run prints and a run carries out.
 */
export const planLogWork = (request: LogWorkRequest): readonly PlannedWindow[] => {
  const { from, to, origin, cursor, until, revisit } = request;
  const windows = planLogPull(request);
  if (from !== undefined || to !== undefined) return windows.map((window) => ({ window, why: 'ordered' }));
  const planned = windows.map((window): PlannedWindow => {
    const earlier = origin !== undefined && window.end <= origin;
    return { window, why: earlier ? 'earlier' : 'new' };
  });
  // Where nothing is held yet, what is pulled first is as fresh as any revisit.
  if (revisit === undefined || origin === undefined || cursor === undefined) return planned;
  const covered = interval(origin, cursor);
  const again = planRevisits({
    ...request,
    ...revisit,
    from: revisitsFrom(covered, revisit.after),
    covered: withWindows(covered, windows),
    landings: [...(request.landings ?? []), ...windows.map((window) => ({ window, settled: until }))],
  }).flatMap((range) => planLogPull({ ...request, from: range.start, to: range.end }));
  return [...planned, ...again.map((window): PlannedWindow => ({ window, why: 'revisit' }))];
};
