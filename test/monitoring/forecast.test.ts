import { describe, expect, it } from 'vitest';
import {
  accuracyOf,
  backtest,
  byLastWeek,
  byModel,
  byPace,
  expectedSpend,
  fitSpend,
  replay,
  spreadOf,
  type PastForecast,
} from '../../src/monitoring/index.ts';
import { daysOfMonth, spendSeries } from '../bench/forecast-series.ts';

const monthsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: String(at),
    start: at * daysOfMonth,
    end: (at + 1) * daysOfMonth,
  }));

/** Days whose weekends have less. */
const weeks = (count: number, dayAt: (at: number) => number = () => 100): readonly number[] =>
  Array.from({ length: count * 7 }, (_, at) => dayAt(at) * (at % 7 >= 5 ? 0.4 : 1));

const daysAhead = (spend: readonly number[], days: number): readonly number[] => {
  const model = fitSpend(spend);
  if (model === undefined) throw new Error('the days make no model');
  return Array.from({ length: days }, (_, at) => expectedSpend(model, at + 1));
};

describe('a model of spend', () => {
  it('has the weekdays of a series that does not vary, from any day on', () => {
    for (const cut of [0, 3])
      expect(daysAhead(weeks(10).slice(0, 70 - cut), 7).map(Math.round)).toEqual(
        [100, 100, 100, 100, 100, 40, 40].map((_, at) => ((70 - cut + at) % 7 >= 5 ? 40 : 100)),
      );
  });

  it('goes on with a trend that fades', () => {
    const spend = weeks(12, (at) => 100 * 1.3 ** (at / 30));
    const [next = 0, , , , , , , later = 0] = daysAhead(spend, 8);
    const now = 100 * 1.3 ** (84 / 30);
    expect(next / now).toBeCloseTo(1, 1);
    expect(later / next).toBeGreaterThan(1.04);
    expect(later / next).toBeLessThan(1.3 ** (7 / 30));
  });

  it('keeps its level after a day of fifty times its spend, which is part of the reserve', () => {
    const spend = weeks(10, (at) => (at === 64 ? 5000 : 100));
    const [next = 0] = daysAhead(spend, 1);
    // The excess of 49 days, spread over the 70 days.
    expect(next).toBeGreaterThan(100 * (1 + 49 / 70) * 0.95);
    expect(next).toBeLessThan(100 * (1 + 49 / 70) * 1.25);
  });

  it('keeps its level through a vacation of a week', () => {
    const spend = weeks(10, (at) => (at >= 56 && at < 63 ? 5 : 100));
    const week = daysAhead(spend, 7).reduce((sum, value) => sum + value, 0);
    expect(week / 580).toBeGreaterThan(0.75);
    expect(week / 580).toBeLessThan(1.05);
  });

  it.each([
    ['three days', [100, 100, 100]],
    ['a month of zeros', Array.from({ length: 60 }, () => 0)],
    ['a key that is used once a month', Array.from({ length: 120 }, (_, at) => (at % 30 === 0 ? 500 : 0))],
  ])('is not made of %s', (_, spend) => {
    expect(fitSpend(spend)).toBeUndefined();
  });

  it('is never below zero, and of the same days is the same', () => {
    const series = spendSeries(3, 6);
    const ahead = daysAhead(series, 60);
    expect(Math.min(...ahead)).toBeGreaterThan(0);
    expect(daysAhead(series, 60)).toEqual(ahead);
  });
});

describe('forecasts of the past', () => {
  it('know only the days before them', () => {
    const series = spendSeries(1, 8);
    const months = monthsOf(8).slice(6, 7);
    const later = series.map((value, at) => (at >= 7 * daysOfMonth ? value * 100 : value));
    expect(replay(later, months, byModel)).toEqual(replay(series, months, byModel));
  });

  it('are nearer by the model than by the pace or the last week', () => {
    const past = (method: typeof byModel) =>
      Array.from({ length: 12 }, (_, at) =>
        replay(spendSeries(at + 1, 14), monthsOf(14).slice(6), method),
      ).flat();
    const errorOf = (method: typeof byModel): number => accuracyOf(past(method))?.mean ?? Number.NaN;
    const model = errorOf(byModel);
    expect(model).toBeLessThan(0.8 * errorOf(byPace));
    expect(model).toBeLessThan(0.75 * errorOf(byLastWeek));
  });

  it('are left out where the days before them do not suffice', () => {
    const series = spendSeries(1, 3);
    const days = (method: typeof byModel) => replay(series, monthsOf(1), method).map(({ day }) => day);
    expect(days(byModel)).toEqual([]);
    expect(days(byPace)).toEqual([10, 15, 20]);
  });
});

describe('the interval of a forecast', () => {
  const past = (months: number, errors: readonly number[]): readonly PastForecast[] =>
    Array.from({ length: months }, (_, at) =>
      errors.map((error) => ({
        month: String(at),
        day: 10,
        forecast: 100,
        actual: 100 * (1 + error),
        left: 1,
      })),
    ).flat();

  it('needs nine errors of three months', () => {
    expect(spreadOf(past(2, [0.1, 0.2, 0.3, 0.4, 0.5]))).toBeUndefined();
    expect(spreadOf(past(4, [0.1, 0.2]))).toBeUndefined();
    expect(spreadOf(past(3, [0.1, 0.2, 0.3]))).toMatchObject({ errors: 9 });
  });

  it('has the errors of the past, and is wider for fewer months', () => {
    const errors = [-0.1, -0.05, 0, 0.05, 0.1];
    const [few, many] = [spreadOf(past(3, errors)), spreadOf(past(12, errors))];
    expect(few?.low).toBeLessThan(many?.low ?? 0);
    expect(few?.high).toBeGreaterThan(many?.high ?? 0);
    expect(many?.high).toBeGreaterThan(0.05);
  });

  it('has no forecast of nothing', () => {
    expect(spreadOf(past(4, [0, 0, 0]).map((one) => ({ ...one, forecast: 0 })))).toBeUndefined();
    expect(accuracyOf([])).toBeUndefined();
  });
});

describe('a backtest', () => {
  const from = (first: string, spend: readonly number[]) =>
    spend.map((value, at) => ({
      date: new Date(Date.parse(first) + at * 86_400_000).toISOString().slice(0, 10),
      spend: value,
    }));

  it('has the months that are whole, with the methods that had the days for it', () => {
    const { origins, accuracy } = backtest(from('2026-01-20', spendSeries(2, 5)));
    expect([...new Set(origins.map(({ month }) => month))]).toEqual([
      '2026-02',
      '2026-03',
      '2026-04',
      '2026-05',
    ]);
    const february = origins.filter(({ month }) => month === '2026-02');
    expect(february.map(({ day, forecasts }) => [day, 'model' in forecasts, 'pace' in forecasts])).toEqual([
      [5, false, true],
      [10, false, true],
      [15, false, true],
      [20, true, true],
    ]);
    expect(accuracy.map(({ day, methods }) => [day, methods.model?.count, methods.pace?.count])).toEqual([
      [5, 3, 4],
      [10, 3, 4],
      [15, 3, 4],
      [20, 4, 4],
    ]);
  });

  it('is exact for a series that does not vary, and has an interval of it', () => {
    const { skill, accuracy, interval } = backtest(from('2026-01-05', weeks(40)));
    expect(accuracy.every(({ methods }) => (methods.model?.most ?? 1) < 1e-9)).toBe(true);
    expect(interval?.coverage).toBeGreaterThanOrEqual(0);
    expect(skill.pace).toBeGreaterThan(0.99);
  });

  it('of fewer days than a month has no forecast', () => {
    expect(backtest(from('2026-01-20', weeks(4)))).toMatchObject({
      origins: [],
      skill: {},
      interval: undefined,
    });
  });
});
