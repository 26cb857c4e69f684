import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { money, unixMillis } from '../../../src/core/index.ts';
import { runwayConditions, runwayOf } from '../../../src/jobs/alert/rules/runway/runway.ts';

const day = 86_400_000;
const readings = (lefts: readonly number[]) =>
  lefts.map((left, at) => ({ at: unixMillis(at * day), left: money(String(left)) }));

describe('the runway of a balance', () => {
  it('is the balance over the use per day, with an interval that contains it', () => {
    expect(runwayOf(readings([100, 90, 80, 70]))).toEqual({
      state: 'known',
      left: '70',
      perDay: '10',
      days: 7,
      low: expect.closeTo(7, 6),
      high: expect.closeTo(7, 6),
      emptyAt: 10 * day,
    });
    const uneven = runwayOf(readings([100, 99, 80, 70]));
    expect(uneven).toMatchObject({ state: 'known', days: 7 });
    expect(uneven.state === 'known' && uneven.low < 7 && uneven.high > 7).toBe(true);
  });

  it('does not count a top-up as use', () => {
    expect(runwayOf(readings([30, 20, 110, 100]))).toMatchObject({ perDay: '6.666666666667', days: 15 });
  });

  it('is unknown with less than a day of readings, and unlimited without use', () => {
    expect(runwayOf([])).toEqual({ state: 'unknown', reason: 'few-readings' });
    expect(runwayOf(readings([5]))).toEqual({ state: 'unknown', reason: 'few-readings' });
    expect(runwayOf(readings([5, 5, 5]))).toEqual({ state: 'unused', left: '5' });
  });

  it('has an interval around it, whatever the readings are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 2, maxLength: 20 }),
        (lefts) => {
          const runway = runwayOf(readings(lefts));
          if (runway.state !== 'known') return;
          expect(runway.low).toBeLessThanOrEqual(runway.days);
          expect(runway.high).toBeGreaterThanOrEqual(runway.days);
        },
      ),
    );
  });

  it('alerts at its levels, and ends the alert only with a margin', () => {
    const statesAt = (lefts: readonly number[]) =>
      runwayConditions('runway', runwayOf(readings(lefts)), [14, 7]).map(({ state }) => state);
    expect(statesAt([100, 90, 80, 70])).toEqual(['firing', 'firing']);
    expect(statesAt([110, 100, 90, 80])).toEqual(['firing', 'unchanged']);
    expect(statesAt([200, 190, 180, 170])).toEqual(['clear', 'clear']);
    expect(statesAt([5, 5])).toEqual(['clear', 'clear']);
    expect(statesAt([5])).toEqual(['unchanged', 'unchanged']);
  });
});
