import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  dateAt,
  fromWallClock,
  isDate,
  isZone,
  localDays,
  parseDuration,
  startOfDay,
  startOfMonth,
  startOfWeek,
} from '../../src/core/index.ts';
import { once } from '../support/storm.ts';

const zones = fc.constantFrom(
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Shanghai',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'America/Havana',
);
const dates = fc.integer({ min: 0, max: 20_000 }).map((days) => addDays('1990-01-01', days));

describe('a time zone', () => {
  it('has days that cover time without gap or overlap', () => {
    fc.assert(
      fc.property(zones, dates, fc.integer({ min: 1, max: 60 }), (zone, first, count) => {
        const days = localDays(first, addDays(first, count - 1), zone);
        expect(days).toHaveLength(count);
        days.forEach((day, index) => {
          expect(dateAt(day.start, zone)).toBe(day.date);
          if (index > 0) expect(day.start).toBe(days[index - 1]?.end);
          expect([23, 23.5, 24, 24.5, 25]).toContain((day.end - day.start) / 3600);
        });
      }),
      { numRuns: once(100) },
    );
  });

  it('has days of 23 and 25 hours', () => {
    const hours = (date: string) =>
      localDays(date, date, 'Europe/Berlin').map((day) => (day.end - day.start) / 3600);
    expect([hours('2026-03-29'), hours('2026-10-25'), hours('2026-11-21')]).toEqual([[23], [25], [24]]);
  });

  it('has weeks that start on Monday, and months that start on their first day', () => {
    expect(startOfWeek('2026-11-22')).toBe('2026-11-16');
    expect(startOfMonth('2026-02-28')).toBe('2026-02-01');
  });

  it('defines the meaning of wall-clock times', () => {
    expect(fromWallClock('2026-01-01 08:00:00', 'Asia/Shanghai')).toBe(
      Date.parse('2026-01-01T00:00:00Z') / 1000,
    );
    expect(fromWallClock('yesterday', 'UTC')).toBeUndefined();
    // 02:30 comes twice on that day: the first pass is still summer time.
    expect(fromWallClock('2026-10-25 02:30:00', 'Europe/Berlin')).toBe(
      Date.parse('2026-10-25T00:30:00Z') / 1000,
    );
    expect(fromWallClock('2026-11-01 01:30:00', 'America/New_York')).toBe(
      Date.parse('2026-11-01T05:30:00Z') / 1000,
    );
  });

  it('is recognized by its name, as are dates and durations by their form', () => {
    expect([
      isZone('Europe/Berlin'),
      isZone('Mars/Olympus'),
      isDate('2026-02-28'),
      isDate('2026-02-30'),
      isDate('26-1-1'),
    ]).toEqual([true, false, true, false, false]);
    expect([
      parseDuration('10m'),
      parseDuration('1h30m'),
      parseDuration('2d'),
      parseDuration('90'),
      parseDuration('-1m'),
    ]).toEqual([600_000, 5_400_000, 172_800_000, undefined, undefined]);
    expect(() => startOfDay('2026-02-30', 'UTC')).toThrow(RangeError);
  });
});

describe('a midnight that occurs twice', () => {
  it('starts the day at its first occurrence', () => {
    // Havana falls back from 01:00 to 00:00 on 2026-11-01.
    const [day] = localDays('2026-11-01', '2026-11-01', 'America/Havana');
    expect([day?.start, day?.end]).toEqual([
      Date.parse('2026-11-01T04:00:00Z') / 1000,
      Date.parse('2026-11-02T05:00:00Z') / 1000,
    ]);
  });
});
