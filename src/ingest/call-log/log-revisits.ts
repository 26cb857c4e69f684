import { addDays, dateAt, interval, localDays, startOfDay, unixSeconds } from '../../core/index.ts';
import type { LocalDay, UnixSeconds } from '../../core/index.ts';
import type { LogWindow } from './log-windows.ts';

/** When closed days are pulled again: late rows and refunds come after a day's end (docs/gateway.md G16.2). */
export type RevisitRule = {
  /** Counted in seconds from the day's beginning on its calendar: a day of 86,400 is the next date, however long the day was. */
  readonly after: readonly number[];
  /** IANA zone that the days are cut in. */
  readonly zone: string;
};

/** A window that was landed, all that is older than `settled` having come by then. */
export type PastLanding = { readonly window: LogWindow; readonly settled: UnixSeconds };

export type RevisitRequest = RevisitRule & {
  readonly landings: readonly PastLanding[];
  /** From where on the landings are given; days before it are left as they are. */
  readonly from: UnixSeconds;
  /** What is held without a gap: no day is revisited that is not. */
  readonly covered: LogWindow;
  readonly since: UnixSeconds;
  /** Now less the lag. */
  readonly until: UnixSeconds;
};

const day = 86_400;

/** Days older than this before the end of what is held are left as they are: a rule that is new does not pull all history again. */
const reachBack = 31 * day;

/** From where on days are looked at, by what was held before the pull: also those before a long outage are made up for. */
export const revisitsFrom = (covered: LogWindow, after: readonly number[]): UnixSeconds =>
  unixSeconds(Math.max(covered.start, covered.end - Math.max(0, ...after) - reachBack));

/** From when on a landing of the day counts as this revisit: the date has come, and the day is over. */
const dueAt = ({ date, end }: LocalDay, after: number, zone: string): number =>
  Math.max(end, startOfDay(addDays(date, Math.floor(after / day)), zone) + (after % day));

/** From the first to the last second of the span that no landing holds; nothing when all of it is held. */
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
 * The spans of closed days that are due to be pulled again, the oldest first: a day is due when it was not landed since its
 * last revisit became due. So each is made once, late where no run came in time, and never of a day that was first pulled
 * after it. Pure.
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
