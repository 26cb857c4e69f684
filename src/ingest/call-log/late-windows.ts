import {
  dateAt,
  interval,
  localDays,
  startOfMonth,
  unixSeconds,
  type Interval,
  type Money,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import { maxLateTries, type LaggingWindow, type LogCheck } from '../../warehouse/index.ts';
import { lateness } from '../reconcile-settled.ts';

type Range = Interval<UnixSeconds>;

/** Requests of one try: the export, and the gateway's sum in both readings of its end. */
const requestsOfTry = 3;

/** The closed days of a range, each cut to it, in the zone of the job. Pure. */
export const daysToCheck = (range: Range, zone: string): readonly Range[] => {
  if (range.end <= range.start) return [];
  const days = localDays(dateAt(range.start, zone), dateAt(unixSeconds(range.end - 1), zone), zone);
  return days.flatMap(({ start, end }) => {
    const first = unixSeconds(Math.max(start, range.start));
    return end <= range.end && end > first ? [interval(first, end)] : [];
  });
};

export type CheckRequest = {
  /** The range covered without a gap. */
  readonly covered: Range;
  readonly checks: readonly LogCheck[];
  /** Start of the current day; a month is checked once a day. */
  readonly today: UnixMillis;
  readonly zone: string;
};

/**
 * Months, each as far as its days are covered and closed, whose sum is to be compared with the gateway's now; the latest
 * first. Pure.
 */
export const monthsToCheck = ({ covered, checks, today, zone }: CheckRequest): readonly Range[] => {
  const settled = unixSeconds(covered.end - lateness);
  const months = new Map<string, Range>();
  for (const day of daysToCheck({ start: covered.start, end: settled }, zone)) {
    const month = startOfMonth(dateAt(day.start, zone));
    months.set(month, interval(months.get(month)?.start ?? day.start, day.end));
  }
  const isChecked = ({ start, end }: Range): boolean =>
    checks.some(({ range, checkedAt }) => checkedAt >= today && range.start <= start && range.end >= end);
  return [...months.values()].filter((month) => !isChecked(month)).toReversed();
};

const isResting = ({ tries }: LaggingWindow): boolean => tries >= maxLateTries;

/** Whether every window of a month that lags is known, so that its days need no new comparison. Pure. */
export const isLocated = (
  sum: Money,
  range: Range,
  check: LogCheck | undefined,
  windows: readonly LaggingWindow[],
): boolean =>
  check !== undefined &&
  check.gatewaySum === sum &&
  check.range.start === range.start &&
  check.range.end === range.end &&
  windows.some((one) => one.range.start >= range.start && one.range.end <= range.end);

/** The window after a comparison found it to lag. A new sum at the gateway begins new tries, the next of them on another day. Pure. */
export const afterFinding = (known: LaggingWindow | undefined, range: Range, sum: Money): LaggingWindow =>
  known?.gatewaySum === sum ? known : { range, gatewaySum: sum, tries: 0, triedAt: known?.triedAt };

/** The window after it was pulled again and still lags. Pure. */
export const afterTry = (window: LaggingWindow, sum: Money, now: UnixMillis): LaggingWindow => {
  const same = afterFinding(window, window.range, sum);
  return { ...same, tries: same.tries + 1, triedAt: now };
};

export type LateRequest = {
  /** Start of the current day; a window is pulled once a day. */
  readonly today: UnixMillis;
  /** How many more requests the run may make. */
  readonly requests: number;
};

/** The lagging windows to pull again now, the latest first, within the requests that are left. Pure. */
export const planLatePulls = (
  windows: readonly LaggingWindow[],
  { today, requests }: LateRequest,
): readonly LaggingWindow[] =>
  windows
    .filter((one) => !isResting(one) && (one.triedAt === undefined || one.triedAt < today))
    .toSorted((left, right) => right.range.start - left.range.start)
    .slice(0, Math.max(0, Math.floor(requests / requestsOfTry)));
