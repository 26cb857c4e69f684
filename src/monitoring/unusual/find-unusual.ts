import {
  hourSeconds,
  median,
  robustDeviation,
  sum,
  unixSeconds,
  type UnixSeconds,
} from '../../core/index.ts';

/** An hour of a part of an account, in doubles: only what is shown of it is money. */
export type SpentHour = { readonly calls: number; readonly spend: number };

/** Hours by their start in seconds UTC; an hour that is missing had no calls. */
export type HourlySpend = ReadonlyMap<number, SpentHour>;

export type UnusualWindow = 'hour' | 'day';

/** Spend of hours, or of the last 24 hours, that is far above what the same hours cost before. */
export type UnusualSpend = {
  /** `hour`: of single hours, whose sums these are. `day`: of the last 24 hours. */
  readonly window: UnusualWindow;
  readonly spend: number;
  readonly usual: number;
  readonly calls: number;
  readonly usualCalls: number;
  /** The start of the first unusual hour. */
  readonly since: UnixSeconds;
};

export type UnusualInput = {
  readonly hours: HourlySpend;
  /** The end of the last whole hour of the call log. */
  readonly end: UnixSeconds;
  /** The start of the call log; hours before it are unknown. */
  readonly known: UnixSeconds;
  /** The least excess that is unusual, in the currency of the account. */
  readonly floor: number;
  /** What is judged: single hours need the hours of the series, the last 24 hours only the sums of such windows. */
  readonly windows?: readonly UnusualWindow[];
  /** Whether a person knows the hour to be unusual: it is neither judged nor compared with. */
  readonly isExpected: (hour: UnixSeconds) => boolean;
};

const hoursADay = 24;

/** Days before whose same hours are compared. */
const comparedDays = 7;

/** Seconds before the end of the log that are read: the last day, and two weeks of which the weekdays are known. */
export const readSeconds = 16 * hoursADay * hourSeconds;

/** Fewer known values say nothing. */
const leastCompared = 5;

/** Usual calls of an hour below which it is not judged by itself. */
const leastUsualCalls = 30;

/** Times the usual spend and deviations above it, from which on a window is unusual. `week` is by the same window of the week before. */
const limits = {
  hour: { times: 2, week: 1.3, deviations: 3, leastDeviation: 0.1, leastCalls: leastUsualCalls },
  day: { times: 2, week: 1.5, deviations: 4, leastDeviation: 0.15, leastCalls: 0 },
} as const satisfies Readonly<Record<UnusualWindow, object>>;

/** How much more than a week before an unusual window costs at least. */
export const leastGrowth = { hour: limits.hour.week, day: limits.day.week } as const;

/** Calls in the same hour of the days before from which on an hour can be judged by itself; `isWhole`: whether all days are known. */
export const leastBusy = (isWhole: boolean): number =>
  leastUsualCalls * Math.ceil((isWhole ? comparedDays : leastCompared) / 2);

type Judged = {
  readonly window: UnusualWindow;
  readonly now: SpentHour;
  /** The share of the usual day that the weekday has, at most 1. */
  readonly share: number;
  /** Of the days before, the latest first; undefined where unknown. */
  readonly before: readonly (SpentHour | undefined)[];
};

/** What is usual, where the window is far above it. */
const usualIf = ({ window, now, share, before }: Judged, floor: number): SpentHour | undefined => {
  const { times, week, deviations, leastDeviation, leastCalls } = limits[window];
  const known = before.filter((one) => one !== undefined);
  if (known.length < leastCompared) return undefined;
  const spends = known.map(({ spend }) => spend * share);
  const usual = median(spends);
  const calls = median(known.map((one) => one.calls)) * share;
  const excess = now.spend - usual;
  if (calls < leastCalls || excess < floor || excess <= 0 || now.spend < times * usual) return undefined;
  // What comes once a week is no surprise in its week.
  if (now.spend < week * (before[comparedDays - 1]?.spend ?? 0)) return undefined;
  const spread = Math.max(leastDeviation * usual, robustDeviation(spends, usual));
  if (excess < deviations * spread) return undefined;
  return { calls, spend: usual };
};

/** The share of the usual day that a weekday has, by the seven days before it, the latest first, and the one of two weeks before. */
const shareOfDay = (
  before: readonly (SpentHour | undefined)[],
  twoWeeksBefore: SpentHour | undefined,
): number => {
  const weeks = [before[comparedDays - 1]?.spend, twoWeeksBefore?.spend];
  const usual = median(before.flatMap((one) => one?.spend ?? []));
  if (usual <= 0 || weeks.includes(undefined)) return 1;
  return Math.min(1, Math.max(...weeks.map((spend) => (spend ?? 0) / usual)));
};

/**
 * Whether spend of the last 24 hours is unusual: in single hours with at least 30 usual calls, each against the same hour of the seven days
 * before, or as a whole, against the seven windows of 24 hours before. Pure.
 */
export const findUnusual = ({
  hours,
  end,
  known,
  floor,
  windows = ['hour', 'day'],
  isExpected,
}: UnusualInput): UnusualSpend | undefined => {
  const at = (hour: number): SpentHour | undefined =>
    hour < known || isExpected(unixSeconds(hour)) ? undefined : (hours.get(hour) ?? { calls: 0, spend: 0 });
  const sumOf = (from: number): SpentHour | undefined => {
    const parts = Array.from({ length: hoursADay }, (_, index) => at(from + index * hourSeconds));
    const whole = parts.filter((part) => part !== undefined);
    return whole.length < hoursADay
      ? undefined
      : { calls: sum(whole.map(({ calls }) => calls)), spend: sum(whole.map(({ spend }) => spend)) };
  };
  const dayLength = hoursADay * hourSeconds;
  const dayStart = end - dayLength;
  const days = new Map<number, SpentHour | undefined>();
  const day = (from: number): SpentHour | undefined => {
    if (!days.has(from)) days.set(from, sumOf(from));
    return days.get(from);
  };
  const daysBefore = (of: (from: number) => SpentHour | undefined, from: number) =>
    Array.from({ length: comparedDays }, (_, index) => of(from - (index + 1) * dayLength));
  const shares = new Map<number, number>();
  /** By the same weekday of two weeks, of which one may have been a holiday. */
  const shareOf = (from: number): number => {
    const share = shares.get(from) ?? shareOfDay(daysBefore(day, from), day(from - 14 * dayLength));
    shares.set(from, share);
    return share;
  };
  const found = Array.from({ length: hoursADay }, (_, index) => dayStart + index * hourSeconds).flatMap(
    (hour) => {
      const now = at(hour);
      if (now === undefined || now.spend < floor || !windows.includes('hour')) return [];
      const midnight = Math.floor(hour / dayLength) * dayLength;
      const judged = { window: 'hour', now, share: shareOf(midnight), before: daysBefore(at, hour) } as const;
      const usual = usualIf(judged, floor);
      return usual === undefined ? [] : [{ hour, now, usual }];
    },
  );
  const [first] = found;
  if (first !== undefined)
    return {
      window: 'hour',
      spend: sum(found.map(({ now }) => now.spend)),
      usual: sum(found.map(({ usual }) => usual.spend)),
      calls: sum(found.map(({ now }) => now.calls)),
      usualCalls: sum(found.map(({ usual }) => usual.calls)),
      since: unixSeconds(first.hour),
    };
  const now = day(dayStart);
  const usual =
    now === undefined || now.spend < floor
      ? undefined
      : usualIf({ window: 'day', now, share: shareOf(dayStart), before: daysBefore(day, dayStart) }, floor);
  if (now === undefined || usual === undefined) return undefined;
  return {
    window: 'day',
    spend: now.spend,
    usual: usual.spend,
    calls: now.calls,
    usualCalls: usual.calls,
    since: unixSeconds(dayStart),
  };
};
