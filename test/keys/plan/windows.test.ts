import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unixMillis } from '../../../src/core/index.ts';
import { isOpen, minutesOf, nextOpening, type MaintenanceWindow } from '../../../src/keys/plan/windows.ts';
import { runs } from '../../support/storm.ts';

const at = (text: string) => unixMillis(Date.parse(text));

/** Minutes of real time that are open between two moments, of windows that begin and end at full quarter hours. */
const openMinutes = (windows: readonly MaintenanceWindow[], zone: string, from: string, to: string) => {
  let open = 0;
  for (let moment = Date.parse(from); moment < Date.parse(to); moment += 900_000)
    if (isOpen(windows, unixMillis(moment), zone)) open += 15;
  return open;
};

describe('a maintenance window', () => {
  const night = [{ days: ['mon', 'tue'], from: '02:00', to: '05:00' }] as const;

  it.each([
    ['2026-11-23T01:00:00Z', true],
    ['2026-11-23T00:59:59Z', false],
    ['2026-11-23T03:59:59Z', true],
    ['2026-11-23T04:00:00Z', false],
    ['2026-11-25T02:00:00Z', false],
  ])(
    'from 02:00 to 05:00 on Monday and Tuesday in Berlin is evaluated correctly: at %s %s',
    (moment, open) => {
      expect(isOpen(night, at(moment), 'Europe/Berlin')).toBe(open);
    },
  );

  it('is always open if none is declared, and lasts all day if both times are equal', () => {
    expect(isOpen([], at('2026-11-25T02:00:00Z'), 'UTC')).toBe(true);
    const day = [{ days: ['wed'], from: '06:00', to: '06:00' }] as const;
    expect(openMinutes(day, 'UTC', '2026-11-24T00:00:00Z', '2026-11-27T00:00:00Z')).toBe(1440);
    expect(isOpen(day, at('2026-11-26T05:59:00Z'), 'UTC')).toBe(true);
  });

  it('past midnight belongs to the day on which it starts', () => {
    const late = [{ days: ['fri'], from: '22:00', to: '02:00' }] as const;
    expect(
      ['2026-11-20T21:59:00Z', '2026-11-20T22:00:00Z', '2026-11-21T01:59:00Z', '2026-11-21T02:00:00Z'].map(
        (moment) => isOpen(late, at(moment), 'UTC'),
      ),
    ).toEqual([false, true, true, false]);
    expect(isOpen(late, at('2026-11-20T01:00:00Z'), 'UTC')).toBe(false);
  });

  it.each([
    ['a day of 23 hours', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', 120],
    ['a day of 24 hours', '2026-03-27T23:00:00Z', '2026-03-28T23:00:00Z', 180],
    ['a day of 25 hours', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', 240],
  ])('follows the local time: %s', (_, from, to, minutes) => {
    expect(openMinutes([{ from: '01:00', to: '04:00' }], 'Europe/Berlin', from, to)).toBe(minutes);
  });

  it('starts when the clocks show its first minute or have jumped over it', () => {
    const opening = (moment: string, window: MaintenanceWindow, zone: string) => {
      const next = nextOpening([window], at(moment), zone);
      return next === undefined ? undefined : new Date(next).toISOString();
    };
    const gap = { from: '02:30', to: '05:00' };
    expect(opening('2026-03-29T00:00:00Z', gap, 'Europe/Berlin')).toBe('2026-03-29T01:00:00.000Z');
    expect(opening('2026-11-21T08:00:30Z', { days: ['mon'], from: '02:00', to: '05:00' }, 'UTC')).toBe(
      '2026-11-23T02:00:00.000Z',
    );
    expect(opening('2026-11-21T08:00:30Z', { days: [], from: '02:00', to: '05:00' }, 'UTC')).toBeUndefined();
    expect(opening('2026-11-21T08:00:30Z', { from: '08:00', to: '09:00' }, 'UTC')).toBe(
      '2026-11-21T08:00:30.000Z',
    );
  });

  it('opens next at an open moment, with no earlier open moment', () => {
    const time = fc.integer({ min: 0, max: 1439 }).map((minutes) => {
      const two = (value: number) => String(value).padStart(2, '0');
      return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
    });
    fc.assert(
      fc.property(
        time,
        time,
        fc.subarray(['mon', 'wed', 'sun'] as const, { minLength: 1 }),
        fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2027-01-01') }),
        fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC'),
        (from, to, days, moment, zone) => {
          const windows = [{ days, from, to }];
          const next = nextOpening(windows, unixMillis(moment), zone);
          expect(next).toBeDefined();
          if (next === undefined) return;
          expect(isOpen(windows, next, zone)).toBe(true);
          expect(next === moment || !isOpen(windows, unixMillis(next - 60_000), zone)).toBe(true);
        },
      ),
      { numRuns: runs(8) },
    );
  });

  it.each([
    ['00:00', 0],
    ['24:00', 1440],
    ['24:01', undefined],
    ['7:00', undefined],
    ['12:60', undefined],
    ['25:00', undefined],
  ])('time %s is %s minutes', (text, minutes) => {
    expect(minutesOf(text)).toBe(minutes);
  });
});
