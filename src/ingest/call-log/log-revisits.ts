import {
  daySeconds,
  addDays,
  dateAt,
  interval,
  localDays,
  startOfDay,
  unixSeconds,
  type LocalDay,
  type UnixSeconds,
} from '../../core/index.ts';
import type { LogWindow } from './log-windows.ts';

/** When closed days are pulled again: late rows and refunds arrive after the end of a day (docs/gateway.md G16.2). */
export type RevisitRule = {
  /** Seconds from the start of the day on its calendar: a day of 86,400 is the next date, however long the day was. */
  readonly after: readonly number[];
  /** IANA zone that defines the days. */
  readonly zone: string;
};

/** A landed window; everything older than `settled` had arrived by then. */
export type PastLanding = { readonly window: LogWindow; readonly settled: UnixSeconds };

export type RevisitRequest = RevisitRule & {
  readonly landings: readonly PastLanding[];
  /** Start of the given landings; earlier days are not revisited. */
  readonly from: UnixSeconds;
  /** The range covered without a gap: only days in it are revisited. */
  readonly covered: LogWindow;
  readonly since: UnixSeconds;
  /** Now minus the lag. */
  readonly until: UnixSeconds;
};

/**
 * Days older than this before the end of the covered range are not revisited: a new rule does not pull all history
 * again.
 */
const reachBack = 31 * daySeconds;

/**
 * Start of the days to check, by the range covered before the pull, so that days before a long outage are revisited
 * too.
 */
export const revisitsFrom = (covered: LogWindow, after: readonly number[]): UnixSeconds =>
  unixSeconds(Math.max(covered.start, covered.end - Math.max(0, ...after) - reachBack));

/** When a landing of the day starts to count as this revisit: the date has come, and the day is over. */
const dueAt = ({ date, end }: LocalDay, after: number, zone: string): number =>
  Math.max(end, startOfDay(addDays(date, Math.floor(after / daySeconds)), zone) + (after % daySeconds));

/** From the first to the last second of the range that no landing covers; undefined when all of it is covered. */
const missing = (range: LogWindow, landings: readonly LogWindow[]): LogWindow | undefined => {
  let [first, last, reached]: [number | undefined, number, number] = [undefined, range.start, range.start];
  for (const { start, end } of [...landings, interval(range.end, range.end)]) {
    if (start > reached) {
      first ??= reached;
      last = Math.min(start, range.end);
    }
    reached = Math.max(reached, end);
    if (reached >= range.end) break;
  }
  return first === undefined ? undefined : interval(unixSeconds(first), unixSeconds(last));
};

/**
 * The ranges of closed days that are due for a revisit, oldest first: a day is due when it has not landed since its
 * last revisit became due. Each revisit is made once, late if no run was in time, and never for a day that was first
 * pulled after it. Pure.
 */
export const planRevisits = (request: RevisitRequest): readonly LogWindow[] => {
  const { after, zone, covered, since, until } = request;
  const first = Math.max(request.from, covered.start, since);
  const end = Math.min(covered.end, until);
  if (after.length === 0 || end <= first) return [];
  const landings = request.landings.toSorted((left, right) => left.window.start - right.window.start);
  return localDays(dateAt(unixSeconds(first), zone), dateAt(unixSeconds(end), zone), zone).flatMap((one) => {
    const range = { start: unixSeconds(Math.max(one.start, first)), end: one.end };
    const due = Math.max(0, ...after.map((wait) => dueAt(one, wait, zone)).filter((at) => at <= until));
    if (due === 0 || range.end > end || range.end <= range.start) return [];
    const fresh = landings.filter(({ settled }) => settled >= due).map(({ window }) => window);
    const stale = missing(range, fresh);
    return stale === undefined ? [] : [stale];
  });
};
