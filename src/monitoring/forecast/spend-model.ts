import { mean, median, robustDeviation, sum } from '../../core/index.ts';

/**
 * Expected spend by day, in doubles: a weekday profile, a robust level, a damped trend, and a reserve for unusual days. What is shown of it
 * is rounded money.
 */
export type SpendModel = {
  /** Spend of an average usual day at the end of the days. */
  readonly level: number;
  /** By weekday, 0 is that of the first day of the series; 1 on average. */
  readonly profile: readonly number[];
  /** Change of the logarithm of the level a day, before it is damped. */
  readonly trend: number;
  /** What unusual days add to an average day, by the level; negative where days without usual spend prevail. */
  readonly reserve: number;
  /** Days that the model is of. */
  readonly days: number;
};

/** The latest days that a model is fitted to. */
export const longestFit = 365;

/** Days below which there is no model: each weekday is known four times. */
export const leastDays = 28;

/** Days from which on a trend is part of it. */
const trendDays = 56;

/** Days by which the profile, the level and the trend are fitted. */
const fitDays = { profile: 84, level: 28, trend: 98 } as const;

/** What is left of the trend a day later. */
const damping = 0.98;

/** Logarithms further from the median than this many robust deviations are of unusual days. */
const unusual = 3.5;
/** The least deviation: a series that hardly varies has no unusual days within 20 %. */
const leastDeviation = 0.06;
/** The mean of a week without its largest and its smallest day. */
const weekLevel = (week: readonly number[]): number =>
  mean(week.toSorted((one, other) => one - other).slice(1, -1));

/** By weekday, the median of the day by its week, 1 on average. */
const profileOf = (spend: readonly number[]): readonly number[] => {
  const ratios = Array.from({ length: 7 }, (): number[] => []);
  for (let at = Math.max(3, spend.length - fitDays.profile); at + 3 < spend.length; at += 1) {
    const level = weekLevel(spend.slice(at - 3, at + 4));
    if (level > 0) ratios[at % 7]?.push((spend[at] ?? 0) / level);
  }
  const medians = ratios.map((own) => (own.length === 0 ? 1 : median(own)));
  const average = mean(medians);
  return average > 0 ? medians.map((one) => one / average) : medians.map(() => 1);
};

type Day = { readonly at: number; readonly log: number };

/** The slope of days, as the median of the slopes between any two of them (Theil–Sen). */
const slopeOf = (days: readonly Day[]): number =>
  median(
    days.flatMap((one, index) =>
      days.slice(index + 7).map((other) => (other.log - one.log) / (other.at - one.at)),
    ),
  );

/** Days that are not unusual by their distance from the line with this slope. */
const usualOf = (days: readonly Day[], slope: number): readonly Day[] => {
  const flat = days.map(({ at, log }) => log - slope * at);
  const middle = median(flat);
  const deviation = Math.max(leastDeviation, robustDeviation(flat, middle));
  return days.filter((_, index) => Math.abs((flat[index] ?? 0) - middle) <= unusual * deviation);
};

/** Fits the model to the spend of consecutive days, the last of which is the latest. Undefined for fewer than four weeks, or without spend. */
export const fitSpend = (spend: readonly number[]): SpendModel | undefined => {
  const { length } = spend;
  if (length < leastDays) return undefined;
  const profile = profileOf(spend);
  const shareOf = (at: number): number => profile[at % 7] ?? 1;
  const days = spend.flatMap((value, at): readonly Day[] => {
    const share = shareOf(at);
    return value > 0 && share > 0 ? [{ at: at - length, log: Math.log(value / share) }] : [];
  });
  const since = (count: number): readonly Day[] => days.filter(({ at }) => at >= -count);
  const recent = since(fitDays.level);
  if (recent.length < fitDays.level / 2) return undefined;
  const trend =
    length < trendDays ? 0 : slopeOf(usualOf(since(fitDays.trend), slopeOf(since(fitDays.trend))));
  const usual = usualOf(recent, trend);
  // Exponentials of the mean of logarithms are a median; the mean of a skewed day is above it.
  const typical = Math.exp(mean(usual.map(({ at, log }) => log - trend * at)));
  const skew = mean(usual.map(({ at, log }) => Math.exp(log - trend * at) / typical));
  const level = typical * skew;
  return { level, profile, trend, reserve: reserveOf(spend, profile), days: length };
};

/** A day far from what its weeks and its weekday cost. */
type UnusualDay = {
  /** Its position in the days. */
  readonly at: number;
  /** What it cost by what it would usually have cost. */
  readonly times: number;
  /** What it cost more, by the level of its weeks; negative for less. */
  readonly excess: number;
};

/** Of days whose weeks have a level, and the unusual ones of them. */
const unusualIn = (
  spend: readonly number[],
  profile: readonly number[],
): { readonly counted: number; readonly found: readonly UnusualDay[] } => {
  let counted = 0;
  const found = spend.flatMap((value, at): readonly UnusualDay[] => {
    const from = Math.max(0, Math.min(at - 10, spend.length - 21));
    const around = spend
      .slice(from, from + 21)
      .map((one, index) => one / Math.max(1e-9, profile[(from + index) % 7] ?? 1));
    const level = median(around);
    if (level <= 0) return [];
    counted += 1;
    const share = profile[at % 7] ?? 1;
    const times = value / (level * share || 1);
    const logs = around.map((one) => Math.log(Math.max(one, level * 1e-3) / level));
    const deviation = Math.max(leastDeviation, robustDeviation(logs, 0));
    return Math.abs(Math.log(Math.max(times, 1e-3))) > unusual * deviation
      ? [{ at, times, excess: value / level - share }]
      : [];
  });
  return { counted, found };
};

/** The mean excess of unusual days by the level of their weeks, over all days. */
const reserveOf = (spend: readonly number[], profile: readonly number[]): number => {
  const { counted, found } = unusualIn(spend, profile);
  return counted === 0 ? 0 : sum(found.map(({ excess }) => excess)) / counted;
};

/** The days that cost far more or less than their weeks and their weekday; none of fewer than four weeks. */
export const unusualDays = (spend: readonly number[]): readonly Pick<UnusualDay, 'at' | 'times'>[] =>
  spend.length < leastDays ? [] : unusualIn(spend, profileOf(spend)).found;

/** Expected spend of a day after the days of the model, 1 for the next one; `share` is the part of the day that counts. */
export const expectedSpend = (
  { level, profile, trend, reserve, days }: SpendModel,
  ahead: number,
): number => {
  // The sum of a geometric series: the trend fades.
  const steps = (damping * (1 - damping ** ahead)) / (1 - damping);
  const share = profile[(days + ahead - 1) % 7] ?? 1;
  return level * Math.exp(trend * steps) * (share + reserve);
};
