import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dateAt, hasCode, isDate, unixMillis, unixSeconds } from '../../src/core/index.ts';
import { periodNames, resolvePeriod } from '../../src/reports/index.ts';
import { few, chaosFactor } from '../support/storm.ts';

const at = (text: string) => unixMillis(Date.parse(text));
const shown = (request: string, now: string, zone = 'Europe/Berlin'): string => {
  const { first, last, comparison } = resolvePeriod(request, at(now), zone);
  return `${first}..${last} after ${comparison.first}..${comparison.last}`;
};

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Shanghai',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'Asia/Beirut',
];

const moments = fc.integer({ min: Date.UTC(2012, 3, 1), max: Date.UTC(2035, 0, 1) }).map(unixMillis);

test('an error about a period lists every valid form', () => {
  const call = (): unknown => resolvePeriod('last_month', at('2026-11-20T07:00:00Z'), 'UTC');
  expect(call).toThrow(
    expect.objectContaining({
      message: 'no such period: last_month',
      advice:
        'use yesterday, last-7-days, last-week, last-month, last-quarter, month-to-date, this-month, a month as YYYY-MM, or FROM..TO as dates (TO is the first day that no longer belongs to it)',
    }) as Error,
  );
});

test.each([
  ['en', 'Oct 1 – 31, 2026', 'Jul 1 – Sep 30, 2026'],
  ['de', '01.–31.10.2026', '01.07. – 30.09.2026'],
  ['zh', '2026年10月1日 – 31日', '2026年7月1日 – 9月30日'],
] as const)('a month and a quarter have a label in %s', (locale, month, quarter) => {
  const now = at('2026-11-20T07:00:00Z');
  expect(resolvePeriod('2026-10', now, 'Europe/Berlin', locale).label).toBe(month);
  expect(resolvePeriod('last-quarter', now, 'Europe/Berlin', locale).label).toBe(quarter);
});

test('a named month is that month compared with the previous one, at any time and in any zone', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2013, max: 2034 }),
      fc.integer({ min: 1, max: 12 }),
      moments,
      fc.constantFrom(...zones),
      (year, month, now, zone) => {
        const text = `${year}-${String(month).padStart(2, '0')}`;
        const period = resolvePeriod(text, now, zone);
        expect(period.days).toHaveLength(new Date(Date.UTC(year, month, 0)).getUTCDate());
        expect([period.first.slice(0, 7), period.last.slice(0, 7)]).toEqual([text, text]);
        expect(period.comparison.interval.end).toBe(period.interval.start);
        expect(period.comparison.first.slice(8)).toBe('01');
      },
    ),
    { numRuns: few(40, 20 * chaosFactor) },
  );
});

describe('the days of a period', () => {
  test.each([
    ['yesterday', '2026-11-20T07:00:00Z', '2026-11-19..2026-11-19 after 2026-11-12..2026-11-12'],
    ['yesterday', '2026-11-19T23:30:00Z', '2026-11-19..2026-11-19 after 2026-11-12..2026-11-12'],
    ['yesterday', '2026-01-01T12:00:00Z', '2025-12-31..2025-12-31 after 2025-12-24..2025-12-24'],
    ['last-week', '2026-11-20T07:00:00Z', '2026-11-09..2026-11-15 after 2026-11-02..2026-11-08'],
    ['last-week', '2026-11-16T00:00:00Z', '2026-11-09..2026-11-15 after 2026-11-02..2026-11-08'],
    ['last-week', '2026-11-15T12:00:00Z', '2026-11-02..2026-11-08 after 2026-10-26..2026-11-01'],
    ['last-month', '2026-11-20T07:00:00Z', '2026-10-01..2026-10-31 after 2026-09-01..2026-09-30'],
    ['last-month', '2026-03-31T07:00:00Z', '2026-02-01..2026-02-28 after 2026-01-01..2026-01-31'],
    ['month-to-date', '2026-11-20T07:00:00Z', '2026-11-01..2026-11-19 after 2026-10-01..2026-10-19'],
    ['month-to-date', '2026-11-02T07:00:00Z', '2026-11-01..2026-11-01 after 2026-10-01..2026-10-01'],
    ['month-to-date', '2026-11-01T07:00:00Z', '2026-10-01..2026-10-31 after 2026-09-01..2026-09-30'],
    ['month-to-date', '2026-03-31T07:00:00Z', '2026-03-01..2026-03-30 after 2026-02-01..2026-02-28'],
    ['last-7-days', '2026-11-20T07:00:00Z', '2026-11-13..2026-11-19 after 2026-11-06..2026-11-12'],
    ['last-7-days', '2026-03-02T22:59:00Z', '2026-02-23..2026-03-01 after 2026-02-16..2026-02-22'],
    ['last-7-days', '2026-03-02T23:00:00Z', '2026-02-24..2026-03-02 after 2026-02-17..2026-02-23'],
    ['last-quarter', '2026-11-20T07:00:00Z', '2026-07-01..2026-09-30 after 2026-04-01..2026-06-30'],
    ['last-quarter', '2026-02-28T07:00:00Z', '2025-10-01..2025-12-31 after 2025-07-01..2025-09-30'],
    ['last-quarter', '2026-03-31T22:00:00Z', '2026-01-01..2026-03-31 after 2025-10-01..2025-12-31'],
    ['last-quarter', '2026-03-31T21:59:59Z', '2025-10-01..2025-12-31 after 2025-07-01..2025-09-30'],
    ['this-month', '2026-11-20T07:00:00Z', '2026-11-01..2026-11-19 after 2026-10-01..2026-10-19'],
    ['this-month', '2026-11-01T07:00:00Z', '2026-10-01..2026-10-31 after 2026-09-01..2026-09-30'],
    ['2026-03-01..2026-03-02', '2026-11-20T07:00:00Z', '2026-03-01..2026-03-01 after 2026-02-22..2026-02-22'],
  ])('%s at %s', (request, now, expected) => {
    expect(shown(request, now)).toBe(expected);
  });

  test('an object has the same meaning as a text', () => {
    const now = at('2026-11-20T07:00:00Z');
    expect(resolvePeriod({ from: '2026-01-01', to: '2026-02-01' }, now, 'UTC')).toEqual(
      resolvePeriod('2026-01-01..2026-02-01', now, 'UTC'),
    );
  });

  test.each([
    'today',
    'last-quarters',
    '2026-13',
    '2026-00',
    '2026-1',
    '2026-10-',
    '2026',
    '',
    '..',
    '2026-01-01',
    '2026-01-01..',
    '2026-02-30..2026-03-01',
    '2026-01-02..2026-01-01',
    '2026-01-01..2026-01-01',
    '1900-01-01..2026-01-01',
    '2026-01-01..2026-01-02..2026-01-03',
  ])('the period %j is rejected', (request) => {
    const call = (): unknown => resolvePeriod(request, at('2026-11-20T07:00:00Z'), 'UTC');
    expect(call).toThrow();
    try {
      call();
    } catch (error) {
      expect(hasCode(error, 'period-invalid')).toBe(true);
    }
  });

  test.each([
    ['America/Havana', '2026-03-08', 23],
    ['Asia/Beirut', '2026-03-29', 23],
    ['Europe/Berlin', '2026-10-25', 25],
    ['Australia/Lord_Howe', '2026-04-05', 24.5],
  ])('in %s the day %s begins at its first midnight and has %d hours', (zone, date, hours) => {
    const [day] = resolvePeriod({ from: date, to: '2026-12-01' }, at('2026-12-02T00:00:00Z'), zone).days;
    expect(day?.date).toBe(date);
    expect(dateAt(unixSeconds((day?.start ?? 0) - 1), zone) < date).toBe(true);
    expect(((day?.end ?? 0) - (day?.start ?? 0)) / 3600).toBe(hours);
  });

  test('a skipped calendar day is not yesterday', () => {
    expect(resolvePeriod('yesterday', at('2011-12-31T00:00:00+14:00'), 'Pacific/Apia').first).toBe(
      '2011-12-29',
    );
    const week = resolvePeriod('2011-12-28..2012-01-01', at('2012-01-02T00:00:00Z'), 'Pacific/Apia');
    expect(week.days.map(({ date }) => date)).toEqual(['2011-12-28', '2011-12-29', '2011-12-31']);
    expect(week.days[2]?.start).toBe(week.days[1]?.end);
  });
});

test.each([
  ['previous', '2026-11-18..2026-11-18'],
  ['same-weekday', '2026-11-12..2026-11-12'],
  ['7-day-average', '2026-11-12..2026-11-18'],
  ['same-days-last-month', '2026-10-19..2026-10-19'],
] as const)('one day is compared by %s with %s', (comparison, expected) => {
  const period = resolvePeriod('yesterday', at('2026-11-20T07:00:00Z'), 'UTC', 'en', comparison);
  expect(`${period.comparison.first}..${period.comparison.last}`).toBe(expected);
  expect(period.comparison.isAverage).toBe(comparison === '7-day-average' ? true : undefined);
});

test.each(['same-weekday', '7-day-average'] as const)(
  'a period of several days has no comparison by %s',
  (comparison) => {
    const call = (): unknown =>
      resolvePeriod('last-week', at('2026-11-20T07:00:00Z'), 'UTC', 'en', comparison);
    expect(call).toThrow(
      `the comparison ${comparison} requires a period of one day, and last-week is longer`,
    );
  },
);

test('days tile their interval in every zone, each with its local date', () => {
  fc.assert(
    fc.property(fc.constantFrom(...periodNames), moments, fc.constantFrom(...zones), (name, now, zone) => {
      const period = resolvePeriod(name, now, zone);
      for (const { days, interval, first, last } of [period, period.comparison]) {
        expect(days[0]?.start).toBe(interval.start);
        expect(days.at(-1)?.end).toBe(interval.end);
        expect([days[0]?.date, days.at(-1)?.date]).toEqual([first, last]);
        for (const [index, day] of days.entries()) {
          if (index > 0) expect(day.start).toBe(days[index - 1]?.end);
          expect(isDate(day.date)).toBe(true);
          expect((day.end - day.start) / 1800).toBeGreaterThanOrEqual(45);
          expect((day.end - day.start) / 1800).toBeLessThanOrEqual(51);
          expect(dateAt(day.start, zone)).toBe(day.date);
          expect(dateAt(unixSeconds(day.start - 1), zone) < day.date).toBe(true);
          expect(dateAt(unixSeconds(day.end - 1), zone)).toBe(day.date);
        }
      }
      // Complete days alone, and the comparison never reaches into the period.
      expect(period.interval.end).toBeLessThanOrEqual(Math.floor(now / 1000));
      expect(period.comparison.interval.end).toBeLessThanOrEqual(period.interval.start);
    }),
    { numRuns: few(80, 40 * chaosFactor) },
  );
});

test('several days as FROM..TO are half-open and compared with the same number of days before them', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 8000 }),
      fc.integer({ min: 2, max: 400 }),
      fc.constantFrom(...zones),
      (offset, length, zone) => {
        const date = (day: number): string =>
          new Date(Date.UTC(2014, 0, 1) + day * 86_400_000).toISOString().slice(0, 10);
        const period = resolvePeriod(
          `${date(offset)}..${date(offset + length)}`,
          at('2026-11-20T07:00:00Z'),
          zone,
        );
        expect(period.days).toHaveLength(length);
        expect(period.last).toBe(date(offset + length - 1));
        expect(period.comparison.days).toHaveLength(length);
        expect(period.comparison.interval.end).toBe(period.interval.start);
      },
    ),
    { numRuns: few(20, 8 * chaosFactor) },
  );
});
