import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitPrices, type FitSums } from '../../../src/warehouse/report-views/fit-prices.ts';
import { runs } from '../../support/storm.ts';

type Observation = { readonly counts: readonly number[]; readonly charge: number };

const sumsOf = (all: readonly Observation[], width: number): FitSums => {
  const sum = (pick: (one: Observation) => number): number =>
    all.reduce((total, one) => total + pick(one), 0);
  const indexes = Array.from({ length: width }, (_, index) => index);
  return {
    observations: all.length,
    charge: sum(({ charge }) => charge),
    squaredCharge: sum(({ charge }) => charge ** 2),
    byCharge: indexes.map((index) => sum(({ counts, charge }) => (counts[index] ?? 0) * charge)),
    products: indexes.map((row) =>
      indexes.map((column) => sum(({ counts }) => (counts[row] ?? 0) * (counts[column] ?? 0))),
    ),
  };
};

/** Numbers that look random, and are the same for one seed. */
const randomOf = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 13), 0x297a2d39) >>> 0;
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
};

const everyOf = (width: number): readonly number[] => Array.from({ length: width }, (_, index) => index);

const chargeOf = (counts: readonly number[], prices: readonly number[]): number =>
  counts.reduce((sum, count, index) => sum + count * (prices[index] ?? 0), 0);

/** Prices of any size beside each other, tokens by the dozen and by the million, some classes never used. */
const market = fc.record({
  seed: fc.nat(),
  rows: fc.integer({ min: 40, max: 300 }),
  classes: fc.array(
    fc.record({
      price: fc.constantFrom(2e-8, 3e-7, 2.5e-6, 1.5e-5, 8e-5, 0),
      size: fc.constantFrom(1e3, 2e4, 1e6),
      used: fc.constantFrom(1, 1, 0.5),
    }),
    { minLength: 1, maxLength: 8 },
  ),
});

describe('fitted prices', () => {
  it('equal the charged prices, also with rounded charges', () => {
    fc.assert(
      fc.property(market, ({ seed, rows, classes }) => {
        const random = randomOf(seed);
        const prices = classes.map(({ price }) => price);
        const observations = Array.from({ length: rows }, (): Observation => {
          const counts = classes.map(({ size, used }) =>
            random() < used ? Math.floor(size * (0.05 + random())) : 0,
          );
          return { counts, charge: Math.round(chargeOf(counts, prices) * 1e9) / 1e9 };
        });
        const width = classes.length;
        const fit = fitPrices(sumsOf(observations, width), everyOf(width));
        if (prices.every((price) => price === 0)) {
          expect(fit).toBeUndefined();
          return;
        }
        expect(fit?.rSquared).toBeGreaterThan(0.999);
        const dearest = Math.max(...prices);
        // What is said is right: to 5 %, or to half a percent of the dearest. Nothing is left open without need.
        for (const [index, price] of prices.entries()) {
          const found = fit?.prices[index];
          if (found !== undefined)
            expect(Math.abs(found - price)).toBeLessThanOrEqual(0.05 * price + 0.005 * dearest);
        }
        const main = classes.findIndex(
          ({ price, size }) => price * size === Math.max(...classes.map((one) => one.price * one.size)),
        );
        expect(fit?.prices[main]).toBeCloseTo(prices[main] ?? 0, 7);
      }),
      { numRuns: runs(60) },
    );
  });

  it('are omitted for charges unrelated to the tokens', () => {
    fc.assert(
      fc.property(market, ({ seed, rows, classes }) => {
        const random = randomOf(seed);
        const observations = Array.from({ length: rows }, () => ({
          counts: classes.map(({ size }) => Math.floor(size * random())),
          charge: random(),
        }));
        expect(fitPrices(sumsOf(observations, classes.length), everyOf(classes.length))).toBeUndefined();
      }),
      { numRuns: runs(40) },
    );
  });

  it('are omitted when a tenth of the charge is noise or the price changes midway', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const random = randomOf(seed);
        const rows = Array.from({ length: 200 }, () => [
          Math.floor(1e6 * random()),
          Math.floor(1e5 * random()),
        ]);
        const noisy = rows.map((counts) => ({
          counts,
          charge: chargeOf(counts, [1e-6, 5e-6]) * (0.85 + 0.3 * random()),
        }));
        const changed = rows.map((counts, index) => ({
          counts,
          charge: chargeOf(counts, index < 100 ? [1e-6, 5e-6] : [2e-6, 5e-6]),
        }));
        expect(fitPrices(sumsOf(noisy, 2), [0, 1])).toBeUndefined();
        expect(fitPrices(sumsOf(changed, 2), [0, 1])).toBeUndefined();
      }),
      { numRuns: runs(20) },
    );
  });

  it('are omitted for classes that rise and fall together', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 2, max: 50 }), (seed, times) => {
        const random = randomOf(seed);
        const observations = Array.from({ length: 100 }, () => {
          const count = Math.floor(1e6 * random());
          const counts = [count, count * times, Math.floor(1e5 * random())];
          return { counts, charge: chargeOf(counts, [1e-6, 2e-6, 3e-6]) };
        });
        expect(fitPrices(sumsOf(observations, 3), [0, 1, 2])).toBeUndefined();
        // A part of it that is always four fifths, rounded, is no better.
        const rounded = observations.map(({ counts: [first = 0, , last = 0] }) => {
          const counts = [first - Math.floor(first * 0.8), Math.floor(first * 0.8), last];
          return { counts, charge: chargeOf(counts, [1e-6, 2e-6, 3e-6]) };
        });
        expect(fitPrices(sumsOf(rounded, 3), [0, 1, 2])).toBeUndefined();
      }),
      { numRuns: runs(20) },
    );
  });

  it('are omitted for too few observations, none, or constant charges', () => {
    const random = randomOf(7);
    const rows = (count: number): Observation[] =>
      Array.from({ length: count }, () => {
        const counts = [Math.floor(1e6 * random()), Math.floor(1e5 * random())];
        return { counts, charge: chargeOf(counts, [1e-6, 5e-6]) };
      });
    expect(fitPrices(sumsOf(rows(21), 2), [0, 1])).toBeUndefined();
    expect(fitPrices(sumsOf(rows(22), 2), [0, 1])?.prices[1]).toBeCloseTo(5e-6, 10);
    expect(fitPrices(sumsOf([], 2), [0, 1])).toBeUndefined();
    const constant = Array.from({ length: 90 }, () => ({ counts: [100, 0], charge: 1 }));
    expect(fitPrices(sumsOf(constant, 2), [0, 1])).toBeUndefined();
  });

  it('are never negative', () => {
    const random = randomOf(11);
    const rows = Array.from({ length: 120 }, () => {
      const counts = [1e5 + Math.floor(1e6 * random()), Math.floor(1e3 * random())];
      return { counts, charge: chargeOf(counts, [1e-6, -5e-6]) };
    });
    const fit = fitPrices(sumsOf(rows, 2), [0, 1]);
    expect(fit?.prices[0]).toBeCloseTo(1e-6, 8);
    expect(fit?.prices[1] ?? 0).toBe(0);
  });
});
