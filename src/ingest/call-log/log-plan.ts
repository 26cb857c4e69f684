import { interval, unixSeconds } from '../../core/index.ts';
import { planRevisits, revisitsFrom, type PastLanding, type RevisitRule } from './log-revisits.ts';
import { planLogPull, type LogPlanRequest, type LogWindow } from './log-windows.ts';

export type LogWorkRequest = LogPlanRequest & {
  /** When omitted, no day is pulled again automatically. */
  readonly revisit?: RevisitRule | undefined;
  /** Past landings, as far back as days are revisited. */
  readonly landings?: readonly PastLanding[] | undefined;
};

/**
 * A window to pull, and why: `new` follows the covered range, `earlier` precedes it, `requested` and `revisit` are pulled
 * again.
 */
export type PlannedWindow = {
  readonly window: LogWindow;
  readonly why: 'new' | 'earlier' | 'requested' | 'revisit';
};

/** The covered range after the windows have landed: they touch it. */
const withWindows = (covered: LogWindow, windows: readonly LogWindow[]): LogWindow =>
  interval(
    unixSeconds(Math.min(covered.start, ...windows.map(({ start }) => start))),
    unixSeconds(Math.max(covered.end, ...windows.map(({ end }) => end))),
  );

/**
 * All windows of one pull in landing order: the requested range, or new time and then the closed days that are due for
 * a revisit. Pure: a dry run prints it, a run executes it.
 */
export const planLogWork = (request: LogWorkRequest): readonly PlannedWindow[] => {
  const { from, to, origin, cursor, until, revisit } = request;
  const windows = planLogPull(request);
  if (from !== undefined || to !== undefined) return windows.map((window) => ({ window, why: 'requested' }));
  const planned = windows.map((window): PlannedWindow => {
    const earlier = origin !== undefined && window.end <= origin;
    return { window, why: earlier ? 'earlier' : 'new' };
  });
  // While nothing is covered, the first pull is as fresh as any revisit.
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
