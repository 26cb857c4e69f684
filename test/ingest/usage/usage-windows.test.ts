import fc from 'fast-check';
import { expect, it } from 'vitest';
import { unixMillis, unknownGateway } from '../../../src/core/index.ts';
import { planUsagePull } from '../../../src/ingest/index.ts';
import { askForUsage, bucketsOf } from '../../../src/ingest/usage/usage-windows.ts';
import { once } from '../../support/storm.ts';
import { usageTime } from '../../../src/ingest/usage/usage-time.ts';

const day = 86_400_000;
const zones = ['UTC', 'Asia/Shanghai', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata'];

it('a usage plan tiles the interval with windows aligned to buckets, in requests of at most 180 days (G7.3, G7.3.time_range)', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1_600_000_000_000, max: 1_700_000_000_000 }),
      fc.integer({ min: 0, max: 900 * day }),
      fc.constantFrom('hour' as const, 'day' as const, 'week' as const),
      fc.constantFrom(...zones),
      (since, length, granularity, usageZone) => {
        const plan = planUsagePull({
          since: unixMillis(since),
          until: unixMillis(since + length),
          granularity,
          profile: { ...unknownGateway, usageZone },
        });
        const buckets = bucketsOf(granularity, usageZone);
        const start = buckets.at(unixMillis(since));
        const end = buckets.at(unixMillis(since + length));
        expect(plan[0]?.start ?? start).toBe(start);
        expect(plan.at(-1)?.end ?? start).toBe(end);
        for (const [index, window] of plan.entries()) {
          expect(window.start).toBe(plan[index - 1]?.end ?? start);
          expect(buckets.at(window.start)).toBe(window.start);
          const ask = askForUsage(window, granularity, usageZone);
          expect(ask.start).toBeLessThan(window.start);
          expect(ask.end).toBeGreaterThan(window.end);
          expect(ask.end - ask.start).toBeLessThanOrEqual(180 * day);
        }
      },
    ),
    { numRuns: once(60) },
  );
});

it.each(['hour', 'day', 'week'] as const)(
  'a usage plan takes 14 months by the %s in three windows (G7.5)',
  (granularity) => {
    const plan = planUsagePull({
      since: unixMillis(Date.UTC(2025, 0, 1)),
      until: unixMillis(Date.UTC(2026, 2, 1)),
      granularity,
      profile: unknownGateway,
    });
    expect(plan).toHaveLength(3);
  },
);

it('a usage plan pulls the last days before the cursor again, and everything when since is moved back', () => {
  const request = {
    since: unixMillis(10 * day),
    until: unixMillis(40 * day),
    granularity: 'day' as const,
    cursor: unixMillis(30 * day),
    profile: unknownGateway,
  };
  const windows = planUsagePull({ ...request, origin: unixMillis(10 * day) });
  expect(windows).toEqual([{ start: 28 * day, end: 40 * day }]);
  expect(planUsagePull({ ...request, origin: unixMillis(12 * day) })[0]?.start).toBe(10 * day);
  // A clock that ran ahead has left the cursor in the future.
  const ahead = { ...request, cursor: unixMillis(400 * day), origin: unixMillis(10 * day) };
  expect(planUsagePull(ahead)).toEqual([{ start: 38 * day, end: 40 * day }]);
});

it('a usage plan pulls exactly the stored and ended buckets that an interval touches again', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1_600_000_000_000, max: 1_700_000_000_000 }),
      fc.integer({ min: -5 * day, max: 60 * day }),
      fc.integer({ min: -20 * day, max: 80 * day }),
      fc.oneof(fc.integer({ min: 0, max: 30 * day }), fc.constant(0)),
      fc.constantFrom('hour' as const, 'day' as const, 'week' as const),
      fc.constantFrom(...zones),
      (since, covered, offset, length, granularity, usageZone) => {
        const [from, until] = [unixMillis(since + offset), unixMillis(since + covered)];
        const to = unixMillis(from + length);
        const profile = { ...unknownGateway, usageZone };
        const plan = planUsagePull({ since: unixMillis(since), until, from, to, granularity, profile });
        const buckets = bucketsOf(granularity, usageZone);
        const touched: number[] = [];
        for (let at = buckets.at(unixMillis(since)); buckets.after(at) <= until; at = buckets.after(at))
          if (at < to && buckets.after(at) > from && length > 0) touched.push(at);
        const planned = plan.flatMap((window) => {
          const starts: number[] = [];
          for (let at = window.start; at < window.end; at = buckets.after(at)) starts.push(at);
          return starts;
        });
        expect(planned).toEqual(touched);
      },
    ),
    { numRuns: once(150) },
  );
});

it.each([
  ['1793440800000', '2026-10-31T10:00:00Z'],
  ['1793440800', '2026-10-31T10:00:00Z'],
  ['1793440800000999', '2026-10-31T10:00:00Z'],
  ['1793440800000999999', '2026-10-31T10:00:00Z'],
  ['179344080000099', 'no time'],
  ["'1793440800", '2026-10-31T10:00:00Z'],
  ['999999999', '2001-09-09T01:46:39Z'],
  ['2026-11-20', '2026-11-19T23:00:00Z'],
  ['2026/11/20', '2026-11-19T23:00:00Z'],
  ['2026-02-30', 'no time'],
  ['2026-W47', '2026-11-15T23:00:00Z'],
  ['2026-W53', '2026-12-27T23:00:00Z'],
  ['2026-W60', 'no time'],
  ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z'],
  ['2026-11-20 10:00+0530', '2026-11-20T04:30:00Z'],
  ['2026/11/20 10:00:00+08', '2026-11-20T02:00:00Z'],
  ['2026-11-20 10:00', '2026-11-20T09:00:00Z'],
  ['20 Nov 2026', 'no time'],
])('the bucket %s of a usage export in Berlin is %s', (cell, expected) => {
  const moment = usageTime(cell, 'Europe/Berlin');
  const shown = moment === undefined ? 'no time' : new Date(moment).toISOString().replace('.000Z', 'Z');
  expect(shown).toBe(expected);
});
