import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interval, money, unixSeconds } from '../../src/core/index.ts';
import { budgetOf, threshold } from '../support/budget.ts';
import { assess, forecastAtPace, type DataState, type PeriodSums } from '../../src/monitoring/index.ts';

const at = (text: string) => unixSeconds(Date.parse(text) / 1000);
const budget = budgetOf({ forecastThresholds: [threshold('100%', '1000')] });
const period = interval(at('2026-11-01T00:00:00Z'), at('2026-12-01T00:00:00Z'));
const through = at('2026-11-16T00:00:00Z');
const data: DataState = {
  covered: interval(at('2026-09-01T00:00:00Z'), through),
  needed: through,
  isProven: true,
};
const sums = (spend: string, change: Partial<PeriodSums> = {}): PeriodSums => ({
  spend: money(spend),
  hasCalls: true,
  recent: {
    range: interval(at('2026-11-02T00:00:00Z'), through),
    spend: money('280'),
    firstHalf: money('70'),
  },
  unreadableRows: 0,
  ...change,
});
const statesOf = (spend: string, change: Partial<PeriodSums> = {}, given: DataState = data) => {
  const { state, reason, levels, forecast } = assess(budget, period, given, sums(spend, change));
  return {
    state,
    reason: reason?.kind,
    levels: levels.map((level) => level.state),
    forecast: forecast?.amount,
  };
};

describe('the assessment of a budget', () => {
  it('compares spend and forecast with each threshold', () => {
    expect(statesOf('300')).toEqual({
      state: 'ok',
      reason: undefined,
      levels: ['below', 'below', 'below'],
      // 300 and 15 days of 280 in 14 days.
      forecast: '600',
    });
    expect(statesOf('800').levels).toEqual(['exceeded', 'below', 'exceeded']);
    expect(statesOf('799.999999999999').levels).toEqual(['close', 'below', 'exceeded']);
    expect(statesOf('1000')).toMatchObject({ state: 'exceeded' });
  });

  it('is exceeded by the first charge if the amount is zero, and not by nothing', () => {
    const none = {
      ...budget,
      amount: money('0'),
      thresholds: [threshold('100%', '0')],
      forecastThresholds: [],
    };
    expect(assess(none, period, data, sums('0')).state).toBe('ok');
    expect(assess(none, period, data, sums('0.000000000001')).state).toBe('exceeded');
  });

  it.each([
    ['no call log', { ...data, covered: undefined }, {}, 'no-data'],
    ['stale data', { ...data, needed: unixSeconds(through + 1) }, {}, 'stale'],
    [
      'data that ends before the period',
      { ...data, covered: interval(at('2026-09-01T00:00:00Z'), period.start) },
      {},
      'stale',
    ],
    ['an unproven unit', { ...data, isProven: false }, {}, 'unit'],
    ['no calls', data, { hasCalls: false }, 'no-calls'],
    [
      'a log that starts late',
      { ...data, covered: interval(at('2026-11-05T00:00:00Z'), through) },
      {},
      'starts-late',
    ],
    ['unreadable rows', data, { unreadableRows: 2 }, 'unreadable-rows'],
    ['missing rows', data, { missingRows: 'a gap' }, 'missing-rows'],
  ] as const)('is unknown with %s', (_, given, change, reason) => {
    expect(statesOf('300', change, given)).toEqual({
      state: 'unknown',
      reason,
      levels: ['unknown', 'unknown', 'unknown'],
      forecast: undefined,
    });
  });

  it('stays unknown with stale data whatever the spend was, and keeps the last known spend', () => {
    const assessed = assess(budget, period, { ...data, needed: unixSeconds(through + 1) }, sums('5000'));
    expect(assessed).toMatchObject({ state: 'unknown', spend: '5000', through });
  });

  it('is exceeded with incomplete data once the lower bound of the spend exceeds a threshold', () => {
    expect(statesOf('900', { unreadableRows: 1 })).toEqual({
      state: 'exceeded',
      reason: 'unreadable-rows',
      levels: ['exceeded', 'unknown', 'unknown'],
      forecast: undefined,
    });
  });
});

describe('the forecast at the current pace', () => {
  const week = 7 * 86_400;
  const after = (seconds: number, spend: string, firstHalf: string) =>
    forecastAtPace({
      period,
      through,
      spend: money('3'),
      recent: {
        range: interval(unixSeconds(through - seconds), through),
        spend: money(spend),
        firstHalf: money(firstHalf),
      },
    });

  it('is the spend once the period has ended, and too early with less than seven days of the call log', () => {
    expect(after(week - 1, '7', '1')).toBeUndefined();
    const recent = { range: interval(through, through), spend: money('0'), firstHalf: money('0') };
    expect(forecastAtPace({ period, through: period.end, spend: money('3'), recent })?.amount).toBe('3');
    const assessed = assess(budget, period, data, {
      ...sums('900'),
      recent: {
        range: interval(unixSeconds(through - 86_400), through),
        spend: money('900'),
        firstHalf: money('0'),
      },
    });
    expect(assessed).toMatchObject({ state: 'exceeded', reason: undefined, isTooEarly: true });
    expect(assessed.levels.at(-1)?.state).toBe('unknown');
  });

  it('lies between the paces of the two halves of its range', () => {
    // 15 days are left; a day of the first half cost 1, a day of the second 3.
    expect(after(2 * week, '28', '7')).toMatchObject({
      amount: '33',
      low: '18',
      high: '48',
      paceFrom: through - 2 * week,
    });
    fc.assert(
      fc.property(
        fc.nat(1e6),
        fc.nat(1e6),
        fc.integer({ min: week, max: 2 * week }),
        (first, second, seconds) => {
          const forecast = after(seconds, String(first + second), String(first));
          expect(forecast).toBeDefined();
          const [low, amount, high] = [forecast?.low, forecast?.amount, forecast?.high].map(Number);
          expect(low).toBeLessThanOrEqual((amount ?? 0) + 1e-6);
          expect(amount).toBeLessThanOrEqual((high ?? 0) + 1e-6);
        },
      ),
    );
  });

  it('alone makes the state forecast, in place of ok', () => {
    expect(statesOf('700').state).toBe('forecast');
    expect(statesOf('300').state).toBe('ok');
  });
});
