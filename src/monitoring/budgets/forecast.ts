import {
  daySeconds,
  addMoney,
  compareMoney,
  divideMoney,
  money,
  multiplyMoney,
  subtractMoney,
  unixSeconds,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../../core/index.ts';
import type { UsedMethod } from '../forecast/kept-forecast.ts';

/** The range that ends with the data and from which the pace is taken, cut to the call log. */
export type RecentSpend = {
  readonly range: Interval<UnixSeconds>;
  readonly spend: Money;
  /** The part of it before the middle of the range. */
  readonly firstHalf: Money;
};

export type ForecastInput = {
  readonly period: Interval<UnixSeconds>;
  /** End of the data. */
  readonly through: UnixSeconds;
  /** From the start of the period to `through`. */
  readonly spend: Money;
  readonly recent: RecentSpend;
};

/** How far the latest forecasts at the same point of a month were off. */
export type ForecastAccuracy = {
  /** Errors by what the month came to: 0.031 is 3.1 %. */
  readonly mean: Money;
  readonly most: Money;
  readonly months: number;
};

/** Expected spend of the whole period. */
export type Forecast = {
  readonly amount: Money;
  readonly low: Money;
  readonly high: Money;
  /** What `low` and `high` are: the interval that 80 % of months end in, by the errors of past forecasts, or the paces of both halves of the range. */
  readonly range: 'interval' | 'paces';
  readonly method: UsedMethod;
  /** Start of the range from which the pace is taken. */
  readonly paceFrom: UnixSeconds;
  readonly accuracy?: ForecastAccuracy | undefined;
};

/** Undefined when the data does not suffice. */
export type Forecaster = (input: ForecastInput) => Forecast | undefined;

/** Seconds before the end of the data from which the pace is taken: whole weeks, so that each weekday counts equally. */
export const paceSeconds = 14 * daySeconds;

/** Seconds of the call log, with and without calls, below which there is no forecast. */
export const leastHistory = 7 * daySeconds;

export const middleOf = ({ start, end }: Interval<UnixSeconds>): UnixSeconds =>
  unixSeconds(Math.floor((start + end) / 2));

/** The spend so far, and the rest of the period at the pace of the recent range. */
export const forecastAtPace: Forecaster = ({ period, through, spend, recent }) => {
  const { range, firstHalf } = recent;
  const left = Math.max(0, period.end - through);
  const pace = { method: 'pace', range: 'paces' } as const;
  if (left === 0) return { ...pace, amount: spend, low: spend, high: spend, paceFrom: through };
  if (range.end - range.start < leastHistory) return undefined;
  const atPace = (amount: Money, seconds: number): Money => {
    const rest = divideMoney(multiplyMoney(amount, money(String(left))), money(String(seconds)), 12);
    return addMoney(spend, rest ?? money('0'));
  };
  const middle = middleOf(range);
  const halves = [
    atPace(firstHalf, middle - range.start),
    atPace(subtractMoney(recent.spend, firstHalf), range.end - middle),
  ].toSorted(compareMoney);
  const amount = atPace(recent.spend, range.end - range.start);
  const [low = amount, high = amount] = halves;
  return { ...pace, amount, low, high, paceFrom: range.start };
};
