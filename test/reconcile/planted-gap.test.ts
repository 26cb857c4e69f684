import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  absoluteMoney,
  addMoney,
  compareMoney,
  interval,
  money,
  subtractMoney,
  sumMoney,
  unixMillis,
  unixSeconds,
  zero,
  type Money,
} from '../../src/core/index.ts';
import { compareUsage, gapOf, type Finding, type ReconcileContext } from '../../src/reconcile/index.ts';
import { runs } from '../support/storm.ts';

type By = 'model' | 'key';
type Convention = 'taken off' | 'not taken off';
type Cell = {
  readonly bucket: number;
  readonly entry: string;
  readonly calls: Money;
  readonly refund: Money;
};

const start = Date.parse('2026-11-10T00:00:00Z') / 1000;
const days = 6;
const day = 86_400;
const range = interval(unixSeconds(start), unixSeconds(start + days * day));

const valueOf = ({ calls, refund }: Cell, convention: Convention): Money =>
  convention === 'taken off' ? subtractMoney(calls, refund) : calls;

/** A warehouse with these calls, and with a usage export that differs from them in the first cell by what was planted. */
const contextOf = (
  cells: readonly Cell[],
  convention: Convention,
  planted: Money,
  learned: Convention | undefined,
): ReconcileContext => {
  const unit = { source: '', unit: 'USD', perCurrency: money('1'), refunds: learned, places: 6, figures: 9 };
  const warehouse = {
    usage: {
      watermarks: async () =>
        Promise.resolve(new Map([['day', interval(unixMillis(0), unixMillis(range.end * 1000))]])),
      values: async () =>
        Promise.resolve(
          cells.map((cell, at) => ({
            bucket: unixMillis((start + cell.bucket * day) * 1000),
            entry: cell.entry,
            value: addMoney(valueOf(cell, convention), at === 0 ? planted : zero),
          })),
        ),
    },
    comparisons: {
      entries: async () =>
        Promise.resolve(
          cells.map(({ bucket, entry, calls, refund }) => ({
            bucket,
            entry,
            consumption: calls,
            refunds: refund,
            net: subtractMoney(calls, refund),
            topUps: zero,
            rows: 2,
          })),
        ),
      units: async () =>
        Promise.resolve(
          learned === undefined ? [] : ['model', 'key'].map((by) => ({ ...unit, source: `usage by ${by}` })),
        ),
      landings: async () => Promise.resolve([]),
      usageLandings: async () => Promise.resolve([]),
      list: async () => Promise.resolve([]),
      learn: async () => Promise.resolve(),
    },
    logs: { amounts: async () => Promise.resolve({ form: 'currency' }) },
  };
  const profile = { usageZone: 'UTC', unitsPerCurrency: 500_000 };
  const account = { name: 'main', currency: 'USD', profile };
  return {
    account,
    warehouse,
    zone: 'UTC',
    clock: { now: () => unixMillis(0) },
  } as unknown as ReconcileContext;
};

const find = async (by: By, ...given: Parameters<typeof contextOf>): Promise<readonly Finding[]> =>
  compareUsage(range, by, { context: contextOf(...given), others: undefined, thorough: false });

const cents = (count: number): Money => money(`${count}e-4`);

const oneCell = fc.record({
  bucket: fc.integer({ min: 0, max: days - 1 }),
  entry: fc.constantFrom('one', 'two', 'three'),
  calls: fc.integer({ min: 20_000, max: 90_000 }).map(cents),
  refund: fc.oneof(fc.constant(zero), fc.integer({ min: 100, max: 20_000 }).map(cents)),
});
const someCells = fc.uniqueArray(oneCell, {
  minLength: 1,
  maxLength: 12,
  selector: ({ bucket, entry }) => `${bucket} ${entry}`,
});
const convention = fc.constantFrom<Convention>('taken off', 'not taken off');

describe('the gap of a usage export', () => {
  it('is that of the source for an export that leaves out refunds and lacks 0.25 of one key', async () => {
    const cell = (bucket: number, entry: string, calls: string, refund: string): Cell => ({
      bucket,
      entry,
      calls: money(calls),
      refund: money(refund),
    });
    const cells = [
      cell(0, 'web', '3.5', '0.063844'),
      cell(1, 'web', '2.5', '0.04'),
      cell(0, 'batch', '4.25', '0'),
      cell(2, 'batch', '1.75', '0.03'),
    ];
    for (const learned of ['not taken off', undefined] as const) {
      const found = await find('key', cells, 'not taken off', money('-0.25'), learned);
      expect(found.map(({ entry, match }) => [entry, gapOf(match)])).toEqual([
        [undefined, '-0.25'],
        ['batch', '0'],
        ['web', '-0.25'],
      ]);
    }
  });

  it('is unknown while nothing shows whether the source subtracts refunds', async () => {
    const cells = [{ bucket: 0, entry: 'web', calls: money('3.5'), refund: money('0.063844') }];
    const found = await find('key', cells, 'not taken off', money('-0.25'), undefined);
    expect(found.map(({ match }) => gapOf(match))).toEqual(['unknown', 'unknown']);
  });

  it('equals the planted gap or is unknown, in total and by entry, for each treatment of refunds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<By>('model', 'key'),
        someCells,
        convention,
        fc.option(fc.integer({ min: -9000, max: 9000 }).map(cents), { nil: zero }),
        fc.boolean(),
        async (by, cells, refunds, planted, isLearned) => {
          const refunded = (entry?: string): Money =>
            sumMoney(cells.flatMap((one) => (one.entry === (entry ?? one.entry) ? [one.refund] : [])));
          const first = cells[0]?.entry ?? '';
          // What was planted may happen to be what was refunded, or lie within the rounding.
          const size = absoluteMoney(planted);
          const isDistinct = [refunded(), refunded(first), cells[0]?.refund ?? zero].every(
            (sum) =>
              sum === zero || compareMoney(absoluteMoney(subtractMoney(size, sum)), money('0.005')) > 0,
          );
          fc.pre(planted === zero || (compareMoney(size, money('0.005')) > 0 && isDistinct));
          const found = await find(by, cells, refunds, planted, isLearned ? refunds : undefined);
          for (const { entry, match } of found) {
            const expected = entry === undefined || entry === first ? planted : zero;
            const gap = gapOf(match);
            expect(isLearned ? [expected] : [expected, 'unknown']).toContain(gap);
            if (planted === zero) expect(match.fit).toBe('exact');
          }
        },
      ),
      { numRuns: runs(400) },
    );
  });
});
