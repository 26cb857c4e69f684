import { mean, sum, type LocalDate } from '../../core/index.ts';
import { expectedSpend, fitSpend, longestFit } from './spend-model.ts';

/** A month as days of a series: the first one, and the one after the last. */
export type SeriesMonth = { readonly name: string; readonly start: number; readonly end: number };

/** Spend of consecutive days in doubles, ascending. */
export type Series = readonly number[];

export type DayOfSpend = { readonly date: LocalDate; readonly spend: number };

/** The whole months of consecutive days, each named by its first day; they begin on this day of the month. */
export const monthsIn = (
  days: readonly Pick<DayOfSpend, 'date'>[],
  anchorDay: number,
): readonly SeriesMonth[] => {
  const ending = `-${String(anchorDay).padStart(2, '0')}`;
  const firsts = days.flatMap(({ date }, at) => (date.endsWith(ending) ? [{ name: date, start: at }] : []));
  return firsts.flatMap((one, at) => {
    const end = firsts[at + 1]?.start;
    return end === undefined ? [] : [{ ...one, end }];
  });
};

/** What days to come are expected to cost: a method of forecasting. Undefined when the days do not suffice. */
export type ForecastMethod = (past: Series, days: number) => number | undefined;

/** The model of weekdays, level, trend and unusual days. */
export const byModel: ForecastMethod = (past, days) => {
  const model = fitSpend(past.slice(-longestFit));
  if (model === undefined) return undefined;
  return sum(Array.from({ length: days }, (_, at) => expectedSpend(model, at + 1)));
};

/** The days that the pace is taken from. */
const paceDays = 14;
const leastPaceDays = 7;

/** The average of the last 14 days. */
export const byPace: ForecastMethod = (past, days) => {
  const recent = past.slice(-paceDays);
  return recent.length < leastPaceDays ? undefined : mean(recent) * days;
};

/** Each day as the same weekday of the last week. */
export const byLastWeek: ForecastMethod = (past, days) => {
  const week = past.slice(-7);
  return week.length < 7 ? undefined : sum(Array.from({ length: days }, (_, at) => week[at % 7] ?? 0));
};

/** The end of a month as it was forecast from the end of one of its days, and as it came. */
export type PastForecast = {
  readonly month: string;
  /** The days of the month that were over. */
  readonly day: number;
  readonly forecast: number;
  readonly actual: number;
  /** The share of the days of the month that was left. */
  readonly left: number;
};

/** Days of a month after which its end is forecast for the record. */
export const originDays = [5, 10, 15, 20] as const;

/** What a method would have forecast for months that are over, each from what was known then. */
export const replay = (
  series: Series,
  months: readonly SeriesMonth[],
  method: ForecastMethod,
  origins: readonly number[] = originDays,
): readonly PastForecast[] =>
  months.flatMap(({ name, start, end }) =>
    origins.flatMap((day): readonly PastForecast[] => {
      const origin = start + day;
      const rest = origin >= end ? undefined : method(series.slice(0, origin), end - origin);
      if (rest === undefined) return [];
      return [
        {
          month: name,
          day,
          forecast: sum(series.slice(start, origin)) + rest,
          actual: sum(series.slice(start, end)),
          left: (end - origin) / (end - start),
        },
      ];
    }),
  );

/** Past forecasts, and months that they are of, that make an interval. */
const least = { errors: 9, months: 3 } as const;

/** A part of an error grows with each day to come, a part with the root of their number. */
const growth = 0.7;

/** How the error of a forecast depends on the share of the month that is left. */
export const errorScale = (left: number): number => left ** growth;

/** The share of months whose end is to lie in the interval. */
export const coverage = 0.8;

/** Between two values of a sorted list where the share lies between them. */
const quantileOf = (sorted: readonly number[], share: number): number => {
  const at = Math.min(sorted.length - 1, Math.max(0, share * (sorted.length + 1) - 1));
  const [low, high] = [sorted[Math.floor(at)] ?? 0, sorted[Math.ceil(at)] ?? 0];
  return low + (high - low) * (at - Math.floor(at));
};

/** Past months that a record is of. */
export const recordMonths = 12;

export type Spread = {
  /** Errors by the forecast and by `errorScale`, at the ends of the interval. */
  readonly low: number;
  readonly high: number;
  /** Past forecasts that it is made from. */
  readonly errors: number;
};

/** Both ends of the interval of a forecast, as factors of it; `left` is the share of the month that is left. */
export const intervalFactors = (
  { low, high }: Spread,
  left: number,
): { readonly low: number; readonly high: number } => ({
  low: Math.max(0, 1 + low * errorScale(left)),
  high: Math.max(0, 1 + high * errorScale(left)),
});

/** How far forecasts were off, pooled over their days: an error shrinks with the share of the month that is left. Undefined for fewer than nine. */
export const spreadOf = (past: readonly PastForecast[]): Spread | undefined => {
  const known = past.filter(({ forecast, left }) => forecast > 0 && left > 0);
  const errors = known
    .map(({ forecast, actual, left }) => (actual - forecast) / forecast / errorScale(left))
    .toSorted((one, other) => one - other);
  const months = new Set(known.map(({ month }) => month)).size;
  if (errors.length < least.errors || months < least.months) return undefined;
  const tail = (1 - coverage) / 2;
  // Errors of one month go together: what is known of few months is widened.
  const wider = 1 + 1 / months;
  return {
    low: quantileOf(errors, tail) * wider,
    high: quantileOf(errors, 1 - tail) * wider,
    errors: errors.length,
  };
};

/** How far forecasts were off, by what came: absolute errors as shares. */
export type Accuracy = { readonly mean: number; readonly most: number; readonly count: number };

/** Undefined without past forecasts of something. */
export const accuracyOf = (
  past: readonly Pick<PastForecast, 'forecast' | 'actual'>[],
): Accuracy | undefined => {
  const errors = past
    .filter(({ actual }) => actual > 0)
    .map(({ forecast, actual }) => Math.abs(forecast - actual) / actual);
  return errors.length === 0
    ? undefined
    : { mean: mean(errors), most: Math.max(...errors), count: errors.length };
};
