import {
  daySeconds,
  addMoney,
  divideMoney,
  money,
  multiplyMoney,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../../core/index.ts';

export type ForecastInput = {
  readonly period: Interval<UnixSeconds>;
  /** End of the data. */
  readonly through: UnixSeconds;
  /** From the start of the period to `through`. */
  readonly spend: Money;
  /** Spend in the range that ends with `through` and from which the pace is taken. */
  readonly recent: { readonly range: Interval<UnixSeconds>; readonly spend: Money };
};

/** Expected spend of the whole period; undefined when the data does not suffice. */
export type Forecast = (input: ForecastInput) => Money | undefined;

/** Seconds before the end of the data from which the pace is taken: whole weeks, so that each weekday counts equally. */
export const paceSeconds = 14 * daySeconds;

/** The spend so far, and the rest of the period at the pace of the recent range. Undefined with less than a day of data. */
export const forecastAtPace: Forecast = ({ period, through, spend, recent }) => {
  const left = Math.max(0, period.end - through);
  if (left === 0) return spend;
  const known = recent.range.end - recent.range.start;
  if (known < daySeconds) return undefined;
  const rest = divideMoney(multiplyMoney(recent.spend, money(String(left))), money(String(known)), 12);
  return rest === undefined ? undefined : addMoney(spend, rest);
};
