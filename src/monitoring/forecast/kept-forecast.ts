import { z } from 'zod';
import { addDays, addMonths, type LocalDate } from '../../core/index.ts';
import { withoutExpected, type ExpectedDays } from './expected-days.ts';
import {
  accuracyOf,
  byModel,
  byPace,
  monthsIn,
  originDays,
  recordMonths,
  replay,
  type Accuracy,
  type DayOfSpend,
  type PastForecast,
} from './month-forecast.ts';
import { fitSpend, longestFit } from './spend-model.ts';

const number = z.number();

const pastForecast = z.object({
  month: z.string(),
  day: z.int(),
  forecast: number,
  actual: number,
  left: number,
});

/** The methods by which the end of a month is forecast. */
export const usedMethods = ['model', 'pace'] as const;

export type UsedMethod = (typeof usedMethods)[number];

/** What is known of a scope to forecast the end of its months, as it is stored. Amounts are doubles in the currency of the account. */
export const keptForecast = z.object({
  /** The first day of `spend`, `2026-10-31`. */
  first: z.string(),
  /** Spend of consecutive whole days. */
  spend: z.array(number),
  /** The days that a person knew to be unusual, which `spend` has as usual ones: `2026-11-27 2026-11-30`. */
  expected: z.array(z.string()).optional(),
  /** Fitted to these days; missing where they do not suffice. */
  model: z
    .object({ level: number, profile: z.array(number), trend: number, reserve: number, days: z.int() })
    .optional(),
  /** How good forecasts of past months were, made once a month. */
  record: z
    .object({
      /** The first day of the month that was under way. */
      month: z.string(),
      /** The method with the smaller error. */
      method: z.enum(usedMethods),
      /** Its forecasts, or those that were issued. */
      past: z.array(pastForecast),
    })
    .optional(),
});

export type KeptForecast = z.output<typeof keptForecast>;

export type ForecastRecord = NonNullable<KeptForecast['record']>;

/** A forecast that was issued after so many days of a month were over. */
export type IssuedForecast = {
  /** The first day of the month. */
  readonly month: LocalDate;
  readonly day: number;
  readonly forecast: number;
};

/** Days that later landings may still change, and that are therefore read again. */
const revisedDays = 7;

/** Seven significant digits: a double of money, as short as it is exact enough. */
const rounded = (spend: number): number => Number(spend.toPrecision(7));

/** The first day that has to be read to go on with what is kept. */
export const firstToRead = ({ first, spend }: KeptForecast): LocalDate =>
  addDays(first, Math.max(0, spend.length - revisedDays));

const namesOf = (expected: readonly ExpectedDays[]): string[] =>
  expected.map(({ first, last }) => `${first} ${last}`).toSorted();

/** Whether what is kept is without the same days. */
export const isWithout = ({ expected = [] }: KeptForecast, now: readonly ExpectedDays[]): boolean =>
  expected.join() === namesOf(now).join();

/**
 * The kept days with those that were read in place of the same ones, and the model of all. Both are consecutive, and overlap or adjoin.
 * Expected days are kept as usual ones.
 */
export const keepDays = (
  kept: KeptForecast | undefined,
  read: readonly DayOfSpend[],
  expected: readonly ExpectedDays[] = [],
): KeptForecast => {
  const from = read[0]?.date;
  const earlier = (kept?.spend ?? []).filter(
    (_, at) => from === undefined || addDays(kept?.first ?? '', at) < from,
  );
  const begun = (earlier.length === 0 ? from : kept?.first) ?? '';
  const before = earlier.map((spend, at) => ({ date: addDays(begun, at), spend }));
  const all = withoutExpected([...before, ...read], expected);
  const spend = all.slice(-longestFit).map((one) => rounded(one.spend));
  const first = begun === '' ? begun : addDays(begun, all.length - spend.length);
  const model = fitSpend(spend);
  return {
    first,
    spend,
    ...(expected.length === 0 ? {} : { expected: namesOf(expected) }),
    ...(model === undefined ? {} : { model: { ...model, profile: [...model.profile] } }),
    ...(kept?.record === undefined ? {} : { record: kept.record }),
  };
};

/** The first day that the record of a month needs: the months before it, and the days that the first forecast of them is made from. */
export const firstOfRecord = (month: LocalDate): LocalDate =>
  addDays(addMonths(month, -recordMonths), -longestFit);

const least = { months: 3 } as const;

/** The method whose forecasts of the same months were nearer; the model where there is too little to compare. */
const betterOf = (past: Readonly<Record<UsedMethod, readonly PastForecast[]>>): UsedMethod => {
  const key = ({ month, day }: PastForecast): string => `${month} ${day}`;
  const both = new Set(past.model.map(key));
  const shared = past.pace.filter((one) => both.has(key(one)));
  if (new Set(shared.map(({ month }) => month)).size < least.months)
    return past.model.length === 0 && past.pace.length > 0 ? 'pace' : 'model';
  const known = new Set(shared.map(key));
  const [model, pace] = [accuracyOf(past.model.filter((one) => known.has(key(one)))), accuracyOf(shared)];
  return model === undefined || pace === undefined || model.mean <= pace.mean ? 'model' : 'pace';
};

/**
 * How good forecasts of the months before this one were: each method is replayed over the days, which are those of the log as it is now,
 * and the better one is taken. A forecast that was issued stands in place of the replayed one.
 */
export const recordOf = (
  days: readonly DayOfSpend[],
  { month, anchorDay }: { readonly month: LocalDate; readonly anchorDay: number },
  issued: readonly IssuedForecast[],
  expected: readonly ExpectedDays[] = [],
): ForecastRecord => {
  const series = withoutExpected(days, expected).map(({ spend }) => spend);
  const months = monthsIn(days, anchorDay)
    .filter(({ name }) => name < month)
    .slice(-recordMonths);
  const past = { model: replay(series, months, byModel), pace: replay(series, months, byPace) };
  const method = betterOf(past);
  return {
    month,
    method,
    past: past[method].map((one) => {
      // What was issued in a month with expected days is of what these cost.
      const said = expected.some(({ first, last }) => last >= one.month && first < addMonths(one.month, 1))
        ? undefined
        : issued.find((other) => other.month === one.month && other.day === one.day);
      return {
        ...one,
        forecast: rounded(said?.forecast ?? one.forecast),
        actual: rounded(one.actual),
      };
    }),
  };
};

/** The latest months that a record is shown of. */
const shownMonths = 6;

/** How far the latest forecasts were off that were made at the same point of a month; undefined before day 5, and for fewer than three. */
export const accuracyAt = (record: ForecastRecord | undefined, daysOver: number): Accuracy | undefined => {
  const origin = originDays.findLast((day) => day <= daysOver);
  const past = (record?.past ?? [])
    .filter(({ day }) => day === origin)
    .toSorted((one, other) => (one.month < other.month ? -1 : 1))
    .slice(-shownMonths);
  return past.length < least.months ? undefined : accuracyOf(past);
};
