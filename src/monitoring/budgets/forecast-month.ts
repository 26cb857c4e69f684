import {
  addDays,
  addMoney,
  compareMoney,
  dateAt,
  localDays,
  money,
  multiplyMoney,
  startOfDay,
  sum,
  unixSeconds,
  withDecimals,
  type Money,
} from '../../core/index.ts';
import { accuracyAt, type KeptForecast } from '../forecast/kept-forecast.ts';
import { intervalFactors, spreadOf } from '../forecast/month-forecast.ts';
import { expectedSpend } from '../forecast/spend-model.ts';
import { forecastAtPace, type Forecast, type ForecastInput, type Forecaster } from './forecast.ts';

/** Days after which a model is too old: it is fitted again each day. */
const oldestModel = 8;

/** Decimals of what a model adds to money: far below what is shown. */
const decimals = 6;

/** A double as money. Beyond the doubles that are written with all digits there is no forecast. */
const ofDouble = (value: number): Money | undefined =>
  Number.isFinite(value) && Math.abs(value) < 1e15 ? money(value.toFixed(decimals)) : undefined;

/** What the rest of the period is expected to cost, a day in part by its seconds. Undefined where the model is missing, too old or of later days. */
const restByModel = (
  { first, spend, model }: KeptForecast,
  { period, through }: Pick<ForecastInput, 'period' | 'through'>,
  zone: string,
): Money | undefined => {
  if (model === undefined) return undefined;
  const next = addDays(first, spend.length);
  if (startOfDay(next, zone) > through || startOfDay(addDays(next, oldestModel), zone) <= through)
    return undefined;
  const days = localDays(next, dateAt(unixSeconds(period.end - 1), zone), zone);
  return ofDouble(
    sum(
      days.map(({ start, end }, at) => {
        const share = Math.max(0, end - Math.max(start, through)) / (end - start);
        return share === 0 ? 0 : expectedSpend(model, at + 1) * share;
      }),
    ),
  );
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
    const amount = rest === undefined ? pace.amount : addMoney(spend, rest);
    const method: Forecast['method'] = rest === undefined ? 'pace' : 'model';
    const basis = { amount, method, paceFrom: pace.paceFrom };
    // A record is of one method; the range of the paces contains the pace, not always the model.
    const own = record?.method === method ? record : undefined;
    const left = (period.end - through) / (period.end - period.start);
    const spread = own === undefined ? undefined : spreadOf(own.past);
    if (spread === undefined)
      return { ...basis, range: 'paces', low: least(pace.low, amount), high: most(pace.high, amount) };
    const factors = intervalFactors(spread, left);
    const end = (factor: number): Money =>
      withDecimals(multiplyMoney(amount, ofDouble(factor) ?? money('1')), decimals);
    const daysOver = localDays(dateAt(period.start, zone), dateAt(through, zone), zone).length - 1;
    const accuracy = accuracyAt(own, daysOver);
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
              mean: ofDouble(accuracy.mean) ?? money('1'),
              most: ofDouble(accuracy.most) ?? money('1'),
              months: accuracy.count,
            },
          }),
    };
  };
