import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dateAt, startOfDay, unixSeconds } from '../../src/core/index.ts';
import { comparedWith, periodAt, periodBefore } from '../../src/monitoring/index.ts';
import { once } from '../support/storm.ts';

const seconds = (text: string) => unixSeconds(Date.parse(text) / 1000);

const rules = fc.record({
  period: fc.constantFrom('day', 'week', 'month', 'quarter'),
  anchorDay: fc.integer({ min: 1, max: 28 }),
  zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/Nuuk', 'Asia/Kolkata', 'Pacific/Apia'),
});

const moments = fc
  .integer({ min: Date.parse('2015-01-01T00:00:00Z') / 1000, max: Date.parse('2035-01-01T00:00:00Z') / 1000 })
  .map(unixSeconds);

describe('a period of a budget', () => {
  it.each([
    ['month', 1, '2026-11-24T10:00:00Z', '2026-11-01', '2026-12-01'],
    ['month', 15, '2026-11-24T10:00:00Z', '2026-11-15', '2026-12-15'],
    ['month', 28, '2026-03-01T10:00:00Z', '2026-02-28', '2026-03-28'],
    ['week', 1, '2026-11-24T10:00:00Z', '2026-11-23', '2026-11-30'],
    ['quarter', 1, '2026-11-24T10:00:00Z', '2026-10-01', '2027-01-01'],
    ['day', 1, '2026-10-24T22:30:00Z', '2026-10-25', '2026-10-26'],
  ] as const)('%s with anchor day %i contains %s from %s to %s', (period, anchorDay, at, first, end) => {
    const zone = 'Europe/Berlin';
    expect(periodAt({ period, anchorDay, zone }, seconds(at))).toEqual({
      start: startOfDay(first, zone),
      end: startOfDay(end, zone),
    });
  });

  it('contains its moment, begins with a day of its zone, and follows the period before without a gap', () => {
    fc.assert(
      fc.property(rules, moments, (given, moment) => {
        // Only a month-long period has an anchor day.
        const rule = given.period === 'month' ? given : { ...given, anchorDay: 1 };
        const period = periodAt(rule, moment);
        expect(moment).toBeGreaterThanOrEqual(period.start);
        expect(moment).toBeLessThan(period.end);
        expect(startOfDay(dateAt(period.start, rule.zone), rule.zone)).toBe(period.start);
        const before = periodBefore(rule, period);
        expect(before.end).toBe(period.start);
        const compared = comparedWith(rule, period, moment);
        expect(compared.start).toBe(before.start);
        expect(compared.end).toBeLessThanOrEqual(before.end);
        expect(compared.end - compared.start).toBeLessThanOrEqual(moment - period.start);
      }),
      { numRuns: once(100) },
    );
  });
});
