import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  absoluteMoney,
  addMoney,
  compareMoney,
  divideMoney,
  money,
  multiplyMoney,
  subtractMoney,
  sumMoney,
  zero,
  type Money,
} from '../../src/core/index.ts';
import { formatDifference, localeOf } from '../../src/messages/index.ts';
import { createExplainer, type ChangedCell, type Usage } from '../../src/monitoring/index.ts';
import { describeCause } from '../../src/reports/index.ts';
import { once } from '../support/storm.ts';

const english = localeOf('en');

const of = (value: number | bigint): Money => money(String(value));

const tokenCounts = fc.record({
  input_uncached_tokens: fc.bigInt({ min: 0n, max: 60n }),
  input_cache_read_tokens: fc.bigInt({ min: 0n, max: 60n }),
  output_plain_tokens: fc.bigInt({ min: 1n, max: 60n }),
});

const none: Usage = { calls: 0, tokens: {}, charge: zero, refunds: zero };

const usages: fc.Arbitrary<Usage> = fc.oneof(
  { arbitrary: fc.constant(none), weight: 1 },
  {
    arbitrary: fc.record({
      calls: fc.integer({ min: 1, max: 30 }),
      tokens: fc.oneof({ arbitrary: tokenCounts, weight: 5 }, { arbitrary: fc.constant({}), weight: 1 }),
      charge: fc.integer({ min: 1, max: 900 }).map(of),
      refunds: fc.oneof(
        { arbitrary: fc.constant(zero), weight: 5 },
        fc.integer({ min: 1, max: 400 }).map(of),
      ),
    }),
    weight: 6,
  },
);

const accounts: fc.Arbitrary<readonly ChangedCell[]> = fc.uniqueArray(
  fc.record({
    model: fc.constantFrom('m0', 'm1', 'm2', 'm3'),
    key: fc.constantFrom('k0', 'k1', 'k2', 'k3'),
    before: usages,
    after: usages,
  }),
  { selector: ({ model, key }) => `${model} ${key}`, minLength: 1, maxLength: 12 },
);

const tokensOf = ({ tokens }: Usage): bigint => Object.values(tokens).reduce((sum, count) => sum + count, 0n);

type Side = 'before' | 'after';

/** The sums of several cells in both periods, of what is charged by the token and of the rest. */
const summed = (cells: readonly ChangedCell[]) => {
  const sum = (side: Side, isByToken: boolean, figure: (usage: Usage) => Money): Money =>
    sumMoney(cells.flatMap((cell) => (tokensOf(cell[side]) > 0n === isByToken ? [figure(cell[side])] : [])));
  const ofSide = (side: Side) => ({
    calls: sum(side, true, ({ calls }) => of(calls)),
    charge: sum(side, true, ({ charge }) => charge),
    fixed: sum(side, false, ({ charge }) => charge),
    refunds: sumMoney(cells.map((cell) => cell[side].refunds)),
  });
  return { before: ofSide('before'), after: ofSide('after') };
};

type Sums = ReturnType<typeof summed>;

/** Amounts here and in the report are rounded to twelve decimals: an exact quarter is one only within that. */
const rounding = money('1e-11');

const quotient = (over: Money, under: Money): Money => divideMoney(over, under, 12) ?? zero;

const own = {
  calls: ({ before, after }: Sums): Money =>
    before.calls === zero || after.calls === zero
      ? subtractMoney(after.charge, before.charge)
      : quotient(multiplyMoney(before.charge, subtractMoney(after.calls, before.calls)), before.calls),
  mix: ({ before, after }: Sums, all: Sums): Money => {
    const { calls, charge } = before.calls === zero ? after : before;
    const beyond = subtractMoney(
      multiplyMoney(after.calls, all.before.calls),
      multiplyMoney(before.calls, all.after.calls),
    );
    const costlier = subtractMoney(
      multiplyMoney(charge, all.before.calls),
      multiplyMoney(all.before.charge, calls),
    );
    const under = multiplyMoney(multiplyMoney(all.before.calls, all.before.calls), calls);
    return quotient(multiplyMoney(beyond, costlier), under);
  },
  fixed: ({ before, after }: Sums): Money => subtractMoney(after.fixed, before.fixed),
  refunds: ({ before, after }: Sums): Money => subtractMoney(before.refunds, after.refunds),
};

const sentence =
  /^(?<cause>[^,]+), .*; largest contributor: (?:(?<model>m\d)(?: on key (?<key>k\d))?|key (?<alone>k\d))(?: \((?<state>[a-z ]+)\))?, (?<amount>\S+)\.$/;

const factorOf = (label: string): { readonly factor: string; readonly isUp: boolean } => {
  for (const [factor, { up, down }] of Object.entries(english.messages.changes.factors))
    if (label === up || label === down) return { factor, isUp: label === up };
  throw new Error(`no cause is called ${label}`);
};

/** Whether the figure of one cell moved the way that is said: the sign of after × before's divisor less the reverse. */
const moved = (
  { before, after }: ChangedCell,
  [over, under]: readonly [(usage: Usage) => bigint, (usage: Usage) => bigint],
): bigint => over(after) * under(before) - over(before) * under(after);

const callsOf = ({ calls }: Usage): bigint => BigInt(calls);
const chargeOf = ({ charge }: Usage): bigint => BigInt(charge);
const inputOf = ({ tokens }: Usage): bigint =>
  (tokens.input_uncached_tokens ?? 0n) + (tokens.input_cache_read_tokens ?? 0n);
const readOf = ({ tokens }: Usage): bigint => tokens.input_cache_read_tokens ?? 0n;

describe('the sentence of a cause', () => {
  it('is true of the model and key that it names, in three languages', () => {
    let named = 0;
    fc.assert(
      fc.property(accounts, (cells) => {
        const waterfall = createExplainer(() => undefined)(cells);
        const text = describeCause(waterfall, 'USD', english)?.text;
        if (text === undefined) return;
        const found = sentence.exec(text)?.groups;
        const label = text.slice(0, text.indexOf(','));
        const { factor, isUp } = factorOf(label);
        const part = waterfall.parts.find((one) => one.factor === factor);
        const total = part?.amount ?? zero;
        const all = summed(cells);
        const isThatWay = (amount: Money): boolean => compareMoney(amount, zero) * (isUp ? 1 : -1) > 0;
        /** By how much four times an amount exceeds the whole, in the direction of the cause. */
        const beyondQuarter = (amount: Money): Money =>
          subtractMoney(multiplyMoney(absoluteMoney(amount), money('4')), absoluteMoney(total));
        const ownOf: Record<string, (sums: Sums) => Money> = {
          volume: own.calls,
          mix: (sums) => own.mix(sums, all),
          'fixed-price': own.fixed,
          refunds: own.refunds,
        };
        const figure = ownOf[factor];
        if (found === undefined) {
          expect(text).not.toContain('largest contributor');
          // No model and key qualifies.
          if (figure === undefined || factor === 'mix') return;
          for (const cell of cells) {
            const sums = summed([cell]);
            const isSo = factor !== 'volume' || isThatWay(subtractMoney(sums.after.calls, sums.before.calls));
            const amount = figure(sums);
            const isQuarter = compareMoney(beyondQuarter(amount), rounding) > 0;
            expect(isSo && isThatWay(amount) && isQuarter).toBe(false);
          }
          return;
        }
        named += 1;
        const { model, key = found['alone'] } = found;
        const its = cells.filter(
          (cell) => (model ?? cell.model) === cell.model && (key ?? cell.key) === cell.key,
        );
        expect(its.length).toBeGreaterThan(0);
        for (const language of ['de', 'zh'] as const) {
          const other = describeCause(waterfall, 'USD', localeOf(language))?.text ?? '';
          expect([...other.matchAll(/[mk]\d/g)].flat()).toEqual(
            [model, key].filter((name) => name !== undefined),
          );
        }
        const sums = summed(its);
        if (figure !== undefined) {
          const amount = figure(sums);
          expect(isThatWay(amount)).toBe(true);
          expect(compareMoney(addMoney(beyondQuarter(amount), rounding), zero)).toBeGreaterThanOrEqual(0);
          expect(found['amount']).toBe(formatDifference(amount, 'USD', english));
        }
        if (factor === 'volume')
          expect(isThatWay(subtractMoney(sums.after.calls, sums.before.calls))).toBe(true);
        const ratios: Record<string, Parameters<typeof moved>[1]> = {
          length: [tokensOf, callsOf],
          price: [chargeOf, tokensOf],
          cache: [(usage) => -readOf(usage), inputOf],
        };
        const ratio = ratios[factor];
        if (ratio === undefined) return;
        for (const cell of its) {
          // A cell that is new, gone or at a fixed price has no such figure.
          if (tokensOf(cell.before) === 0n || tokensOf(cell.after) === 0n) continue;
          expect(moved(cell, ratio) * (isUp ? 1n : -1n) >= 0n).toBe(true);
        }
        expect(its.some((cell) => moved(cell, ratio) * (isUp ? 1n : -1n) > 0n)).toBe(true);
      }),
      { numRuns: once(2000) },
    );
    expect(named).toBeGreaterThan(once(2000) / 4);
  });
});
