import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { offsetPeriodAt, offsetPeriodsIn, type OffsetPeriod } from '../../src/scheduler/slot-zone.ts';
import { once } from '../support/storm.ts';

const day = 86_400;
const hour = 3600;

/** Clocks that go back or forward by so much at day 10, and the other way round at day 20. */
const clocks = (change: number) => (instant: number) =>
  instant >= 10 * day && instant < 20 * day ? hour + change : hour;

/** What the planner goes by at an instant: the offset, and the first reading of its stretch that is new. */
const at = (offsetPeriods: readonly OffsetPeriod[], instant: number) => {
  const offsetPeriod = offsetPeriods.find(({ start, end }) => instant >= start && instant < end);
  return offsetPeriod && [offsetPeriod.offset, Math.max(instant + offsetPeriod.offset, offsetPeriod.fresh)];
};

describe('offset periods of a zone', () => {
  it('start at clock changes, to the second', () => {
    const found = offsetPeriodsIn(clocks(-hour), 0, 40 * day);
    expect(found).toEqual([
      { start: 0, end: 10 * day, offset: hour, fresh: hour },
      { start: 10 * day, end: 20 * day, offset: 0, fresh: 10 * day + hour },
      { start: 20 * day, end: 40 * day, offset: hour, fresh: 20 * day },
    ]);
  });

  it('are the same for any block boundaries', () => {
    const cuts = fc.oneof(
      fc.integer({ min: 6 * day, max: 24 * day }),
      fc
        .constantFrom(10, 20)
        .chain((changed) => fc.integer({ min: -26, max: 26 }).map((by) => changed * day + by * hour)),
      fc
        .constantFrom(10, 20)
        .chain((changed) => fc.integer({ min: -120, max: 120 }).map((by) => changed * day + by)),
    );
    const changes = fc.constantFrom(-day, -hour, -hour / 2, hour / 2, hour, day);
    fc.assert(
      fc.property(changes, cuts, fc.nat(100 * hour), (change, cut, later) => {
        const whole = offsetPeriodsIn(clocks(change), 0, 40 * day);
        const parts = [
          ...offsetPeriodsIn(clocks(change), 0, cut),
          ...offsetPeriodsIn(clocks(change), cut, 40 * day),
        ];
        for (const instant of [cut - 1, cut, cut + 1, cut + later])
          expect(at(parts, instant)).toEqual(at(whole, instant));
        expect(parts.every(({ start }, index) => start === (parts[index - 1]?.end ?? 0))).toBe(true);
      }),
      { numRuns: once(500) },
    );
  });

  it('support offsets with seconds', () => {
    expect(offsetPeriodAt('Africa/Monrovia', 0).offset).toBe(-(44 * 60 + 30));
    expect(offsetPeriodAt('Asia/Kolkata', 0).offset).toBe(5.5 * hour);
    expect(offsetPeriodAt('UTC', 0).offset).toBe(0);
  });
});
