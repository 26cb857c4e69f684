import { interval, unixSeconds } from '../base/index.ts';
import { planRevisits } from './log-revisits.ts';
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

/** What will be held once the windows are landed; they touch what is held. */
const heldAfter = (request: LogWorkRequest, windows: readonly LogWindow[]): LogWindow | undefined => {
  const { origin, cursor } = request;
  const held = origin === undefined || cursor === undefined ? [] : [interval(origin, cursor)];
  const all = [...held, ...windows];
  if (all.length === 0) return undefined;
  return interval(
    unixSeconds(Math.min(...all.map(({ start }) => start))),
    unixSeconds(Math.max(...all.map(({ end }) => end))),
  );
};

/**
 * All windows of one pull in the order they are to be landed: what was ordered, or what is new and then the closed days
 * that are due to be pulled again. Pure: what a dry run prints and a run carries out.
 */
export const planLogWork = (request: LogWorkRequest): readonly PlannedWindow[] => {
  const { from, to, origin, until, revisit } = request;
  const windows = planLogPull(request);
  if (from !== undefined || to !== undefined) return windows.map((window) => ({ window, why: 'ordered' }));
  const planned = windows.map((window): PlannedWindow => {
    const earlier = origin !== undefined && window.end <= origin;
    return { window, why: earlier ? 'earlier' : 'new' };
  });
  const covered = heldAfter(request, windows);
  if (revisit === undefined || covered === undefined) return planned;
  // What this pull lands first is as fresh as a revisit would be.
  const landings = [...(request.landings ?? []), ...windows.map((window) => ({ window, settled: until }))];
  const again = planRevisits({ ...request, ...revisit, landings, covered }).flatMap((span) =>
    planLogPull({ ...request, from: span.start, to: span.end }),
  );
  return [...planned, ...again.map((window): PlannedWindow => ({ window, why: 'revisit' }))];
};
