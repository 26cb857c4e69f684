import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  maxKeysPerRun,
  readMaxPerRun,
  defaultMaxPerRun,
  withinLimits,
} from '../../../src/keys/plan/limits.ts';
import { runs } from '../../support/storm.ts';

describe('the limit of a run', () => {
  it.each([
    [5, { count: 5 }],
    ['5', { count: 5 }],
    ['10%', { hundredths: 1000 }],
    ['2.5%', { hundredths: 250 }],
    ['100%', { hundredths: 10_000 }],
    ['101%', undefined],
    ['0%', undefined],
    [0, undefined],
    [-1, undefined],
    [1.5, undefined],
    ['all', undefined],
  ])('%j is parsed as %j', (written, limit) => {
    expect(readMaxPerRun(written)).toEqual(limit);
  });

  it('is a tenth of the keys by default, and at least one', () => {
    expect([0, 1, 9, 10, 19, 20, 2000].map((selected) => maxKeysPerRun(defaultMaxPerRun, selected))).toEqual([
      1, 1, 1, 1, 1, 2, 200,
    ]);
    expect(maxKeysPerRun({ count: 5 }, 2)).toBe(5);
  });

  it('takes due keys in order and leaves at least the minimum', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { maxLength: 30 }),
        fc.integer({ min: 1, max: 12 }),
        fc.nat(20),
        fc.nat(10),
        (due, count, minRemaining, others) => {
          const items = due.map((works, index) => ({ works, index }));
          const remaining = others + items.filter(({ works }) => works).length;
          const limits = { maxPerRun: { count }, minRemaining };
          const { taken, skipped } = withinLimits(items, limits, {
            selected: due.length + others,
            remaining,
            reduces: ({ works }) => works,
          });
          expect(taken.length).toBeLessThanOrEqual(count);
          const ended = taken.filter(({ works }) => works).length;
          expect(ended === 0 || remaining - ended >= minRemaining).toBe(true);
          expect(new Set([...taken, ...skipped.map(({ item }) => item)])).toEqual(new Set(items));
          expect(taken.length + skipped.length).toBe(items.length);
          expect(taken.map(({ index }) => index)).toEqual(
            taken.map(({ index }) => index).sort((left, right) => left - right),
          );
          // Nothing is skipped that could have been taken.
          expect(
            skipped.every(
              ({ item }) => taken.length === count || (item.works && remaining - ended - 1 < minRemaining),
            ),
          ).toBe(true);
        },
      ),
      { numRuns: runs(100) },
    );
  });

  it('reports which limit applied and by how much', () => {
    const skipped = (keys: readonly string[], selected: number, minRemaining: number) =>
      withinLimits(
        keys,
        { maxPerRun: { count: 1 }, minRemaining },
        { selected, remaining: selected, reduces: () => true },
      ).skipped.map(({ message }) => message);
    const exceeded: unknown = expect.stringMatching(/limits\.max_per_run \(1 of 3 keys: 1 .*\) by 2;/);
    expect(skipped(['a', 'b', 'c'], 3, 0)).toEqual([exceeded, exceeded]);
    expect(skipped(['a'], 2, 2)).toEqual([expect.stringMatching(/ 1 .*limits\.min_remaining is 2$/)]);
  });
});
