import { describe, expect, it } from 'vitest';
import {
  addDays,
  dateAt,
  interval,
  money,
  startOfDay,
  sum,
  unixSeconds,
  type LocalDate,
} from '../../src/core/index.ts';
import {
  forecastAtPace,
  forecastBy,
  isExpected,
  isWithout,
  keepDays,
  periodAt,
  recordOf,
  type DayOfSpend,
  type IssuedForecast,
  type KeptForecast,
} from '../../src/monitoring/index.ts';
import { spendSeries } from '../bench/forecast-series.ts';

const zone = 'Europe/Berlin';
const daySeconds = 86_400;

/** Consecutive days from a Monday on. */
const daysFrom = (first: LocalDate, spend: readonly number[]): readonly DayOfSpend[] =>
  spend.map((value, at) => ({ date: addDays(first, at), spend: value }));

const weekly = (days: number, dayAt: (at: number) => number = () => 100): readonly number[] =>
  Array.from({ length: days }, (_, at) => dayAt(at) * (at % 7 >= 5 ? 0.4 : 1));

const spendIn = (days: readonly DayOfSpend[], from: LocalDate, to: LocalDate): number =>
  sum(days.flatMap(({ date, spend }) => (date >= from && date < to ? [spend] : [])));

/** What is known on a day of the month that the days before it end in. */
const knownOf = (
  days: readonly DayOfSpend[],
  {
    anchorDay = 1,
    issued = [],
  }: { readonly anchorDay?: number; readonly issued?: readonly IssuedForecast[] } = {},
): KeptForecast => {
  const last = days.at(-1)?.date ?? '';
  const { start } = periodAt({ period: 'month', anchorDay, zone }, startOfDay(last, zone));
  const month = dateAt(start, zone);
  return { ...keepDays(undefined, days), record: recordOf(days, { month, anchorDay }, issued) };
};

/** The forecast after these days, and `seconds` of the next one, in which nothing was spent. */
const forecastAfter = (
  days: readonly DayOfSpend[],
  {
    kept,
    seconds = 0,
    anchorDay = 1,
  }: { readonly kept?: KeptForecast; readonly seconds?: number; readonly anchorDay?: number } = {},
) => {
  const next = addDays(days.at(-1)?.date ?? '', 1);
  const through = unixSeconds(startOfDay(next, zone) + seconds);
  const period = periodAt({ period: 'month', anchorDay, zone }, through);
  const recent = [14, 7].map((count) => spendIn(days, addDays(next, -count), next));
  const [whole = 0, second = 0] = recent;
  const input = {
    period,
    through,
    spend: money(spendIn(days, dateAt(period.start, zone), next).toFixed(6)),
    recent: {
      range: interval(unixSeconds(through - Math.min(14, days.length) * daySeconds), through),
      spend: money(whole.toFixed(6)),
      firstHalf: money((whole - second).toFixed(6)),
    },
  };
  return {
    forecast: forecastBy(kept ?? knownOf(days, { anchorDay }), zone)(input),
    pace: forecastAtPace(input),
  };
};

describe('the forecast of a month with its record', () => {
  const series = daysFrom('2025-06-02', spendSeries(5, 18));
  const upTo = (date: LocalDate): readonly DayOfSpend[] => series.filter((one) => one.date < date);

  it('is of the model, in an interval, and says how far the latest forecasts at this point were off', () => {
    const { forecast } = forecastAfter(upTo('2026-10-13'));
    const actual = spendIn(series, '2026-10-01', '2026-11-01');
    expect(forecast).toMatchObject({ method: 'model', range: 'interval', accuracy: { months: 6 } });
    expect(Math.abs(Number(forecast?.amount) / actual - 1)).toBeLessThan(0.1);
    expect(Number(forecast?.low)).toBeLessThan(Number(forecast?.amount));
    expect(Number(forecast?.high)).toBeGreaterThan(Number(forecast?.amount));
    expect(Number(forecast?.accuracy?.most)).toBeGreaterThanOrEqual(Number(forecast?.accuracy?.mean));
  });

  it('is narrower as the month goes on', () => {
    const widthAfter = (date: LocalDate): number => {
      const { forecast } = forecastAfter(upTo(date));
      return (Number(forecast?.high) - Number(forecast?.low)) / Number(forecast?.amount);
    };
    expect(widthAfter('2026-10-25')).toBeLessThan(0.5 * widthAfter('2026-10-06'));
  });

  it('says nothing about its record before day 5', () => {
    expect(forecastAfter(upTo('2026-10-04')).forecast).toMatchObject({ range: 'interval' });
    expect(forecastAfter(upTo('2026-10-04')).forecast?.accuracy).toBeUndefined();
  });

  it('counts the rest of a day by its seconds, also of a day with 25 hours', () => {
    const days = daysFrom('2026-06-01', weekly(146));
    const known = knownOf(days);
    expect(days.at(-1)?.date).toBe('2026-10-24');
    const restAt = (seconds: number): number => {
      const { forecast } = forecastAfter(days, { kept: known, seconds });
      return Number(forecast?.amount) - spendIn(days, '2026-10-01', '2026-11-01');
    };
    // Sunday, on which the clock is set back, then a week without its Sunday.
    expect(restAt(0)).toBeCloseTo(540 + 40 - 40 + 40, 0);
    expect(restAt(0) - restAt(12.5 * 3600)).toBeCloseTo(20, 1);
  });

  it('begins on the anchor day of its budget', () => {
    const days = daysFrom('2026-03-02', weekly(220));
    const { forecast } = forecastAfter(days, { anchorDay: 15 });
    const { start, end } = periodAt(
      { period: 'month', anchorDay: 15, zone },
      unixSeconds(startOfDay('2026-10-08', zone)),
    );
    expect(dateAt(start, zone)).toBe('2026-09-15');
    const whole = daysFrom('2026-03-02', weekly(300));
    expect(Number(forecast?.amount)).toBeCloseTo(spendIn(whole, dateAt(start, zone), dateAt(end, zone)), 0);
    expect(forecast?.accuracy?.months).toBe(6);
  });

  it('puts forecasts that were issued in place of replayed ones', () => {
    const days = upTo('2026-10-13');
    const issued = ['2026-09-01', '2026-08-01', '2026-07-01'].map((month) => ({
      month,
      day: 10,
      forecast: 1,
    }));
    const { forecast } = forecastAfter(days, { kept: knownOf(days, { issued }) });
    expect(Number(forecast?.accuracy?.most)).toBeGreaterThan(0.99);
  });

  it('goes on with the days that end, and reads a week of them again', () => {
    const [known, next] = [keepDays(undefined, upTo('2026-10-13')), upTo('2026-10-16')];
    expect(keepDays(known, next.slice(-10))).toEqual(keepDays(undefined, next));
    expect(keepDays(known, [])).toEqual(known);
    const restated = next.slice(-10).map((one) => ({ ...one, spend: 2 * one.spend }));
    expect(keepDays(known, restated).spend.slice(-10)).toEqual(keepDays(undefined, restated).spend);
  });
});

describe('days that a person knows to be unusual', () => {
  const sale = { first: '2026-08-10', last: '2026-08-16' };
  const calm = daysFrom('2026-01-05', weekly(280));
  const sold = calm.map((one) => ({
    ...one,
    spend: isExpected(one.date, [sale]) ? 20 * one.spend : one.spend,
  }));

  it('are kept as usual ones, so that neither the model nor the record knows of them', () => {
    const month = { month: '2026-10-01', anchorDay: 1 };
    expect(keepDays(undefined, sold, [sale])).toEqual({
      ...keepDays(undefined, calm),
      expected: ['2026-08-10 2026-08-16'],
    });
    expect(recordOf(sold, month, [], [sale])).toEqual(recordOf(calm, month, []));
    expect(recordOf(sold, month, [])).not.toEqual(recordOf(calm, month, []));
  });

  it('make a forecast that was issued in their month count for nothing', () => {
    const month = { month: '2026-10-01', anchorDay: 1 };
    const issued = ['2026-08-01', '2026-09-01'].map((one) => ({ month: one, day: 10, forecast: 1 }));
    const { past } = recordOf(sold, month, issued, [sale]);
    const of = (name: string) => past.find((one) => one.month === name && one.day === 10)?.forecast;
    expect(of('2026-08-01')).toBeGreaterThan(1);
    expect(of('2026-09-01')).toBe(1);
  });

  it('stay usual when days are added to what is kept', () => {
    const kept = keepDays(undefined, sold.slice(0, 221), [sale]);
    expect(keepDays(kept, sold.slice(214, 240), [sale]).spend).toEqual(
      keepDays(undefined, calm.slice(0, 240)).spend,
    );
  });

  it('say whether what is kept is without them', () => {
    const kept = keepDays(undefined, calm, [sale]);
    expect(isWithout(kept, [sale])).toBe(true);
    expect(isWithout(kept, [])).toBe(false);
    expect(isWithout(keepDays(undefined, calm), [])).toBe(true);
  });
});

describe('the forecast of a month without a record', () => {
  it('is that of the pace before four weeks of the call log', () => {
    const { forecast, pace } = forecastAfter(daysFrom('2026-10-05', weekly(21)));
    expect(forecast).toEqual({ ...pace, low: forecast?.low, high: forecast?.high });
    expect(forecast).toMatchObject({ method: 'pace', range: 'paces' });
    expect(forecastAfter(daysFrom('2026-10-12', weekly(3))).forecast).toBeUndefined();
  });

  it('is that of the model from four weeks on, between the paces of two weeks', () => {
    const { forecast } = forecastAfter(daysFrom('2026-10-05', weekly(30)));
    expect(forecast).toMatchObject({ method: 'model', range: 'paces' });
    // The whole of November: 21 weekdays and 9 days of weekends.
    expect(Number(forecast?.amount)).toBeCloseTo(2100 + 360, 0);
  });

  it('is that of the pace where the model is too old, of later days, or of a month of zeros', () => {
    const days = daysFrom('2026-08-03', weekly(100));
    const old = knownOf(days.slice(0, 85));
    expect(forecastAfter(days, { kept: old }).forecast?.method).toBe('pace');
    const later = knownOf(daysFrom('2026-08-03', weekly(110)));
    expect(forecastAfter(days, { kept: later }).forecast?.method).toBe('pace');
    const { forecast } = forecastAfter(
      daysFrom(
        '2026-08-03',
        weekly(100, () => 0),
      ),
    );
    expect(forecast).toMatchObject({ method: 'pace', range: 'paces', amount: '0' });
  });
});

describe('the forecast of a month that is hard to foresee', () => {
  it('is wider after a day of fifty times its spend, not fifty times as high', () => {
    const calm = forecastAfter(daysFrom('2026-01-05', weekly(280))).forecast;
    const after = forecastAfter(
      daysFrom(
        '2026-01-05',
        weekly(280, (at) => (at === 200 ? 5000 : 100)),
      ),
    ).forecast;
    expect(Number(after?.amount)).toBeLessThan(1.5 * Number(calm?.amount));
    expect(Number(after?.high) - Number(after?.low)).toBeGreaterThan(Number(calm?.high) - Number(calm?.low));
  });

  it('has a wide interval for a key that is used once a month, by the pace', () => {
    const days = daysFrom(
      '2025-12-01',
      Array.from({ length: 320 }, (_, at) => (addDays('2025-12-01', at).endsWith('-12') ? 500 : 0)),
    );
    const { forecast } = forecastAfter(days.filter(({ date }) => date < '2026-10-11'));
    expect(forecast?.method).toBe('pace');
    const { forecast: after } = forecastAfter(days.filter(({ date }) => date < '2026-10-15'));
    expect(Number(after?.high)).toBeGreaterThanOrEqual(500);
    expect(Number(after?.low)).toBeLessThanOrEqual(500);
  });

  it('contains the month that grows by 30 %', () => {
    const growing = daysFrom(
      '2026-01-05',
      weekly(300, (at) => 100 * 1.3 ** (at / 30)),
    );
    const { forecast } = forecastAfter(growing.filter(({ date }) => date < '2026-10-11'));
    const actual = spendIn(growing, '2026-10-01', '2026-11-01');
    expect(Number(forecast?.low)).toBeLessThan(actual);
    expect(Number(forecast?.high)).toBeGreaterThan(0.97 * actual);
  });
});
