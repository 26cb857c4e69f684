import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addMoney,
  compareMoney,
  money,
  multiplyMoney,
  roundMoney,
  subtractMoney,
  zero,
  type Money,
} from '../../src/core/index.ts';
import {
  figureFor,
  figuresOf,
  matchFigures,
  describeComparison,
  type LogSums,
} from '../../src/reconcile/index.ts';

const sumsOf = (consumption: Money, refunds: Money = zero, rows = 1000): LogSums => ({
  consumption,
  refunds,
  net: subtractMoney(consumption, refunds),
  topUps: zero,
  rows,
});

const withoutRate = { currency: 'USD', unitsPerCurrency: 500_000, isCurrency: true, others: [] };
const withRate = { ...withoutRate, others: [{ name: 'CNY', perCurrency: money('7.13') }] };

/** A charge between 0.01 and 100,000, with up to eight decimals. */
const truth = fc.integer({ min: 1_000_000, max: 2 ** 43 }).map((grains) => money(`${grains}e-8`));

/** The part of the charge that landed, evenly over its orders of magnitude. */
const shareFrom = (least: number) =>
  fc
    .double({ min: Math.log(least), max: Math.log(0.99), noNaN: true })
    .map((power) => money(Math.exp(power).toFixed(12)));

const part = (whole: Money, share: Money): Money => money(roundMoney(multiplyMoney(whole, share), 8));

describe('a log with missing calls', () => {
  it('labels the figure of a source in the currency with the currency, however many are missing', () => {
    fc.assert(
      fc.property(truth, shareFrom(1e-9), (whole, share) => {
        const value = whole.includes('.') ? whole : addMoney(whole, money('0.5'));
        const { figure, gap, ours } = matchFigures(
          [{ value }],
          figuresOf(sumsOf(part(value, share)), withoutRate),
        );
        expect(figure.unit).toBe('USD');
        expect(addMoney(ours, gap)).toBe(value);
        expect(compareMoney(gap, zero)).toBe(1);
      }),
      { examples: [[money('64.64063'), money('0.204447')]] },
    );
  });

  it('labels a complete figure with the currency when a twenty-thousandth of it landed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), shareFrom(2.1e-5), (count, share) => {
        const value = money(String(count));
        fc.pre(part(value, share) !== zero);
        const { figure } = matchFigures([{ value }], figuresOf(sumsOf(part(value, share)), withoutRate));
        expect(figure.unit).toBe('USD');
      }),
    );
  });

  it('labels the figure of a source in units with units', () => {
    fc.assert(
      fc.property(truth, shareFrom(1e-9), (whole, share) => {
        const value = money(roundMoney(multiplyMoney(whole, money('500000')), 0));
        fc.pre(part(whole, share) !== zero);
        const landed = sumsOf(part(whole, share));
        const { figure, gap } = matchFigures([{ value }], figuresOf(landed, withRate));
        expect(figure.unit).toBe('units');
        expect(compareMoney(gap, zero)).toBe(1);
      }),
    );
  });

  it('labels no figure with an unproven currency, and marks a figure that may be in it', () => {
    fc.assert(
      fc.property(truth, shareFrom(1e-4), fc.boolean(), (whole, share, inYuan) => {
        fc.pre(whole.includes('.'));
        const landed = part(whole, share);
        const value = inYuan ? multiplyMoney(whole, money('7.13')) : whole;
        fc.pre(value.includes('.'));
        const match = matchFigures([{ value }], figuresOf(sumsOf(landed), withRate));
        if (match.fit !== undefined) return;
        expect(match.figure.unit).toBe('USD');
        if (inYuan) expect(match.unproven).toEqual(['CNY']);
        const text = describeComparison({ source: 'statistics', verdict: 'truncated', match });
        expect(text.includes('USD or CNY')).toBe(match.unproven !== undefined);
      }),
    );
  });

  it('labels the figure with a unit proven earlier', () => {
    fc.assert(
      fc.property(truth, shareFrom(1e-6), fc.constantFrom('USD', 'CNY', 'units'), (whole, share, unit) => {
        const known = { unit, refunds: 'taken off' as const };
        const match = matchFigures(
          [{ value: whole }],
          figuresOf(sumsOf(part(whole, share)), withRate),
          known,
        );
        if (match.fit === undefined) expect(match.figure.unit).toBe(unit);
        expect(match.unproven).toBeUndefined();
      }),
    );
  });
});

describe('a log with more than its source', () => {
  it('labels the figure with its own unit, even if it is twice as large', () => {
    const surplus = fc.integer({ min: 1010, max: 2000 }).map((mille) => money(`${mille}e-3`));
    fc.assert(
      fc.property(truth, surplus, fc.constantFrom('USD', 'units'), (whole, factor, unit) => {
        const value = unit === 'USD' ? whole : money(roundMoney(multiplyMoney(whole, money('500000')), 0));
        const match = matchFigures([{ value }], figuresOf(sumsOf(multiplyMoney(whole, factor)), withRate));
        if (match.fit === undefined) expect(match.figure.unit).toBe(unit);
      }),
    );
  });
});

describe('the figure for a part of what was compared', () => {
  const currencies = fc.constantFrom(['USD', 'CNY', '7.13'], ['CNY', 'USD', '0.140252454418']);
  it('uses the unit of the whole, so that the parts add up', () => {
    fc.assert(
      fc.property(
        currencies,
        truth,
        shareFrom(1e-3),
        fc.boolean(),
        ([currency = '', name = '', rate = ''], whole, share, isCurrency) => {
          const deps = {
            currency,
            unitsPerCurrency: 500_000,
            isCurrency,
            others: [{ name, perCurrency: money(rate) }],
          };
          const [first, rest] = [part(whole, share), subtractMoney(whole, part(whole, share))];
          for (const figure of figuresOf(sumsOf(whole), deps)) {
            const [one, other] = [figureFor(figure, sumsOf(first)), figureFor(figure, sumsOf(rest))];
            expect([one.unit, one.kind]).toEqual([figure.unit, figure.kind]);
            expect(addMoney(one.net, other.net)).toBe(figure.net);
          }
        },
      ),
    );
  });
});
