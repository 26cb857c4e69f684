import {
  interval,
  unixSeconds,
  type GatewayProfile,
  type Interval,
  type UnixSeconds,
} from '../../core/index.ts';
import { dstOverlapsOf, type DstOverlap } from '../format/dst-overlaps.ts';

export type LogWindow = Interval<UnixSeconds>;

export type LogPlanRequest = {
  /** The first second to store. */
  readonly since: UnixSeconds;
  /** Now minus the lag: newer rows may still change. */
  readonly until: UnixSeconds;
  /** A range to pull again, whatever landed before, cut to `since` and `until`; each end is optional. */
  readonly from?: UnixSeconds | undefined;
  readonly to?: UnixSeconds | undefined;
  readonly windowSeconds: number;
  /** The end of the range covered without a gap. */
  readonly cursor?: UnixSeconds | undefined;
  /** Its start; with an earlier `since` the plan also extends backwards. */
  readonly origin?: UnixSeconds | undefined;
  readonly profile: GatewayProfile;
};

/** The DST overlap that contains the moment inside; its own ends are safe. */
const dstOverlapAround = (moment: number, dstOverlaps: readonly DstOverlap[]): DstOverlap | undefined =>
  dstOverlaps.find((dstOverlap) => moment > dstOverlap.start && moment < dstOverlap.end);

const mayBeNaive = ({ timestamps }: GatewayProfile): boolean =>
  timestamps === 'auto' || timestamps === 'naive';

const cut = (
  range: LogWindow,
  windowSeconds: number,
  dstOverlaps: readonly DstOverlap[],
): readonly LogWindow[] => {
  const windows: LogWindow[] = [];
  for (let start = range.start; start < range.end;) {
    let end = unixSeconds(Math.min(start + windowSeconds, range.end));
    const dstOverlap = end < range.end ? dstOverlapAround(end, dstOverlaps) : undefined;
    if (dstOverlap !== undefined)
      end = dstOverlap.start > start ? dstOverlap.start : unixSeconds(Math.min(dstOverlap.end, range.end));
    windows.push(interval(start, end));
    start = end;
  }
  return windows;
};

/**
 * The windows of one pull, in landing order: half-open, tiling the requested range exactly. Pure: a dry run prints it,
 * a run executes it. A window is longer than requested only to include a whole repeated hour.
 */
export const planLogPull = (request: LogPlanRequest): readonly LogWindow[] => {
  const { since, until, from, to, windowSeconds, cursor, origin, profile } = request;
  if (!Number.isSafeInteger(windowSeconds) || windowSeconds < 1)
    throw new RangeError(`a window must be at least one second long, got ${windowSeconds}`);
  const forced = from !== undefined || to !== undefined;
  const first = forced ? unixSeconds(Math.max(from ?? since, since)) : (cursor ?? since);
  const last = unixSeconds(Math.min(to ?? until, until));
  if (forced && last <= first) return [];
  const earliest = Math.min(first, since);
  const dstOverlaps =
    mayBeNaive(profile) && last > earliest
      ? dstOverlapsOf(profile.naiveZone, interval(unixSeconds(earliest), last))
      : [];
  const start = dstOverlapAround(first, dstOverlaps)?.start ?? first;
  const dstOverlap = dstOverlapAround(last, dstOverlaps);
  const end = dstOverlap === undefined ? last : forced ? dstOverlap.end : dstOverlap.start;
  const forward = end > start ? cut(interval(start, end), windowSeconds, dstOverlaps) : [];
  if (forced || origin === undefined || since >= origin) return forward;
  // Backwards from the covered range, so that each landed window extends it.
  const early = dstOverlapAround(since, dstOverlaps)?.start ?? since;
  const back = cut(
    interval(early, dstOverlapAround(origin, dstOverlaps)?.end ?? origin),
    windowSeconds,
    dstOverlaps,
  );
  return [...back.toReversed(), ...forward];
};

/**
 * Cuts the window into pieces of at most so many seconds, sorted by time; an hour that the wall clock shows twice stays
 * whole.
 */
export const cutLogWindow = (
  window: LogWindow,
  seconds: number,
  profile: GatewayProfile,
): readonly LogWindow[] => {
  if (window.end - window.start <= seconds) return [window];
  const dstOverlaps = mayBeNaive(profile) ? dstOverlapsOf(profile.naiveZone, window) : [];
  return cut(window, Math.max(1, Math.floor(seconds)), dstOverlaps);
};

/** Two halves of a window whose export was incomplete; undefined when it can't be cut further. */
export const splitLogWindow = (
  window: LogWindow,
  profile: GatewayProfile,
): readonly [LogWindow, LogWindow] | undefined => {
  const middle = Math.floor((window.start + window.end) / 2);
  const dstOverlap = mayBeNaive(profile)
    ? dstOverlapAround(middle, dstOverlapsOf(profile.naiveZone, window))
    : undefined;
  const at = [middle, ...(dstOverlap === undefined ? [] : [dstOverlap.start, dstOverlap.end])]
    .filter((moment) => dstOverlap === undefined || moment !== middle)
    .find((moment) => moment > window.start && moment < window.end);
  if (at === undefined) return undefined;
  return [interval(window.start, unixSeconds(at)), interval(unixSeconds(at), window.end)];
};

/**
 * The range to request so that every row of the window is served, whether the gateway treats range ends as inclusive or
 * exclusive (docs/gateway.md G6.6); excess rows are removed locally.
 */
export const askForLogs = (window: LogWindow): LogWindow =>
  interval(unixSeconds(window.start - 1), window.end);
