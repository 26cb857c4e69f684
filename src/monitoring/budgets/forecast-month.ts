import {
  addDays,
  addMoney,
  compareMoney,
  dateAt,
  localDays,
  money,
  moneyOfDouble,
  multiplyMoney,
  startOfDay,
  subtractMoney,
  sum,
  unixSeconds,
  withDecimals,
  type LocalDate,
  type Money,
  type UnixSeconds,
} from '../../core/index.ts';
import { accuracyAt, type KeptForecast } from '../forecast/kept-forecast.ts';
import { intervalFactors, spreadOf } from '../forecast/month-forecast.ts';
import { expectedSpend } from '../forecast/spend-model.ts';
import { forecastAtPace, type Forecast, type ForecastInput, type Forecaster } from './forecast.ts';

/** Days after which a model is too old: it is fitted again each day. */
const oldestModel = 8;

/** Decimals of what a model adds to money: far below what is shown. */
const decimals = 6;

/** The days of a period that are over. */
export const daysOver = (start: UnixSeconds, through: UnixSeconds, zone: string): number =>
  localDays(dateAt(start, zone), dateAt(through, zone), zone).length - 1;

/** What the rest of each day is expected to cost, in doubles. */
type Rest = readonly { readonly date: LocalDate; readonly expected: number }[];

/** By the model, a day in part by its seconds. Undefined where the model is missing, too old or of later days. */
const restByModel = (
  { first, spend, model }: KeptForecast,
  { period, through }: Pick<ForecastInput, 'period' | 'through'>,
  zone: string,
): Rest | undefined => {
  if (model === undefined) return undefined;
  const next = addDays(first, spend.length);
  if (startOfDay(next, zone) > through || startOfDay(addDays(next, oldestModel), zone) <= through)
    return undefined;
  return localDays(next, dateAt(unixSeconds(period.end - 1), zone), zone).flatMap(
    ({ date, start, end }, at) => {
      const share = Math.max(0, end - Math.max(start, through)) / (end - start);
      return share === 0 ? [] : [{ date, expected: expectedSpend(model, at + 1) * share }];
    },
  );
};

/** At the pace, which is the same in each second. */
const restByPace = ({ period, through }: Pick<ForecastInput, 'period' | 'through'>, zone: string): Rest =>
  localDays(dateAt(through, zone), dateAt(unixSeconds(period.end - 1), zone), zone).map(
    ({ date, start, end }) => ({ date, expected: end - Math.max(start, through) }),
  );

/** A forecast up to the end of each day that is left. */
export type ForecastDay = {
  readonly date: LocalDate;
  readonly low: Money;
  readonly amount: Money;
  readonly high: Money;
};

/** How a month is expected to end, and what past days were unusual. */
export type MonthOutlook = {
  readonly forecast: Omit<Forecast, 'paceFrom'>;
  /** Up to the end of each day that is left. */
  readonly path: readonly ForecastDay[];
  /** Whole days of the month that cost far more or less than their weeks; `times` is the factor. */
  readonly unusual: readonly { readonly date: LocalDate; readonly times: number }[];
};

/** How spend is expected to grow up to the forecast of the period, and within its range. */
export const forecastPath = (
  { amount, low, high, method }: MonthOutlook['forecast'],
  kept: KeptForecast | undefined,
  input: Pick<ForecastInput, 'period' | 'through' | 'spend'>,
  zone: string,
): readonly ForecastDay[] => {
  const model = method === 'model' && kept !== undefined ? restByModel(kept, input, zone) : undefined;
  const rest = model ?? restByPace(input, zone);
  const total = sum(rest.map(({ expected }) => expected));
  let reached = 0;
  return rest.map(({ date, expected }, at) => {
    reached += expected;
    const share = at === rest.length - 1 || total <= 0 ? 1 : reached / total;
    const on = (end: Money): Money =>
      addMoney(
        input.spend,
        multiplyMoney(subtractMoney(end, input.spend), moneyOfDouble(share, decimals) ?? money('1')),
      );
    return { date, low: on(low), amount: on(amount), high: on(high) };
  });
};

const least = (one: Money, other: Money): Money => (compareMoney(one, other) <= 0 ? one : other);
const most = (one: Money, other: Money): Money => (compareMoney(one, other) >= 0 ? one : other);

/**
 * The end of a month-long period by what is kept of its scope: by the method with the better record, and with the interval that past
 * errors give. Without it, by the pace and its range.
 */
export const forecastBy =
  (kept: KeptForecast | undefined, zone: string): Forecaster =>
  (input) => {
    const pace = forecastAtPace(input);
    const { period, through, spend } = input;
    if (kept === undefined || pace === undefined || through >= period.end) return pace;
    const record = kept.record;
    const rest = record?.method === 'pace' ? undefined : restByModel(kept, input, zone);
    const expected =
      rest === undefined ? undefined : moneyOfDouble(sum(rest.map((day) => day.expected)), decimals);
    const amount = expected === undefined ? pace.amount : addMoney(spend, expected);
    const method: Forecast['method'] = expected === undefined ? 'pace' : 'model';
    const basis = { amount, method, paceFrom: pace.paceFrom };
    // A record is of one method; the range of the paces contains the pace, not always the model.
    const own = record?.method === method ? record : undefined;
    const left = (period.end - through) / (period.end - period.start);
    const spread = own === undefined ? undefined : spreadOf(own.past);
    if (spread === undefined)
      return { ...basis, range: 'paces', low: least(pace.low, amount), high: most(pace.high, amount) };
    const factors = intervalFactors(spread, left);
    const end = (factor: number): Money =>
      withDecimals(multiplyMoney(amount, moneyOfDouble(factor, decimals) ?? money('1')), decimals);
    const accuracy = accuracyAt(own, daysOver(period.start, through, zone));
    return {
      ...basis,
      range: 'interval',
      // What was spent stays spent, and refunds are rare: the interval begins there.
      low: least(most(end(factors.low), spend), amount),
      high: most(end(factors.high), amount),
      ...(accuracy === undefined
        ? {}
        : {
            accuracy: {
              mean: moneyOfDouble(accuracy.mean, decimals) ?? money('1'),
              most: moneyOfDouble(accuracy.most, decimals) ?? money('1'),
              months: accuracy.count,
            },
          }),
    };
  };
