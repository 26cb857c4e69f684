import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { money, multiplyMoney } from '../../../src/core/index.ts';
import { formBySource } from '../../../src/reconcile/form-by-source.ts';
import { provenRate } from '../../../src/reconcile/proven-rate.ts';
import { judgeCharges, type ModelCharges } from '../../../src/warehouse/logs/amount-change.ts';
import {
  isProven,
  judgeAmounts,
  storedCurrency,
  type AccountAmounts,
} from '../../../src/warehouse/logs/amounts.ts';
import { judgeUsage } from '../../../src/warehouse/usage/usage-change.ts';

const factor = 500_000;

const charges = (model: string, perCall: number, tokens?: number): ModelCharges => ({
  model,
  perCall,
  perToken: tokens === undefined ? undefined : perCall / tokens,
  largest: perCall,
});

/** A price of a call in a currency, and how it differs between two times: by a hundred times at most. */
const price = fc.double({ min: 1e-5, max: 10, noNaN: true });
const drift = fc.double({ min: 0.01, max: 100, noNaN: true });

describe('charges compared with earlier charges of the same models', () => {
  it('are classified as the same unit, units or a currency for any price and drift', () => {
    fc.assert(
      fc.property(price, drift, fc.option(fc.integer({ min: 1, max: 100_000 })), (past, by, tokens) => {
        const of = (times: number) => [charges('m', past * by * times, tokens ?? undefined)];
        const before = [charges('m', past, tokens ?? undefined)];
        expect(judgeCharges(of(1), before, factor)).toBe('same');
        expect(judgeCharges(of(factor), before, factor)).toBe('times');
        expect(judgeCharges(of(1 / factor), before, factor)).toBe('parts');
      }),
    );
  });

  it('are unclear when models disagree, or when none is known and the charge occurred before', () => {
    const past = [charges('a', 0.01), charges('b', 0.02)];
    expect(judgeCharges([charges('a', 0.01), charges('b', 10_000)], past, factor)).toBe('unclear');
    expect(judgeCharges([charges('new', 0.02)], past, factor)).toBe('unclear');
    expect(judgeCharges([charges('new', 9000)], past, factor)).toBe('times');
    expect(judgeCharges([charges('new', 9000)], [], factor)).toBe('unclear');
  });
});

describe('the form of amounts', () => {
  const seen = { fractions: false, decimalsWritten: false, wholeCount: 7, largestWhole: money('4000') };

  it('is undecided for a few whole amounts, and proven by decimals or by many amounts too large for a call', () => {
    expect(judgeAmounts(seen)).toBeUndefined();
    expect(judgeAmounts({ ...seen, wholeCount: 20 })).toBe('units');
    expect(judgeAmounts({ ...seen, wholeCount: 20, largestWhole: money('99') })).toBeUndefined();
    expect(judgeAmounts({ ...seen, decimalsWritten: true })).toBe('currency');
    expect(judgeAmounts({ ...seen, fractions: true })).toBe('currency');
  });

  it('is proven by another source whose ratio equals the units per currency', () => {
    const sums = { net: money('10232'), consumption: money('10300') };
    expect(formBySource(money('0.020464'), sums, factor)).toBe('units');
    expect(formBySource(money('0.0206'), sums, factor)).toBe('units');
    expect(formBySource(money('10232'), sums, factor)).toBeUndefined();
    expect(formBySource(money('0.03'), sums, factor)).toBeUndefined();
    expect(formBySource(multiplyMoney(sums.net, money('500000')), sums, factor)).toBe('currency');
    expect(formBySource(money('0'), sums, factor)).toBeUndefined();
  });

  it('decides the currency: units are US dollars unless units_per_currency is set', () => {
    const amounts: AccountAmounts = {
      currency: 'CNY',
      form: 'units',
      decidedBy: 'data',
      served: 'units',
      unitsPerCurrency: factor,
      unitsStated: false,
      hasFractions: false,
      wholeCount: 30,
      largestWhole: money('4000'),
    };
    expect(storedCurrency(amounts)).toBe('USD');
    expect(storedCurrency({ ...amounts, unitsStated: true })).toBe('CNY');
    expect(storedCurrency({ ...amounts, form: 'currency' })).toBe('CNY');
    expect(isProven(amounts)).toBe(true);
    // A database from before that was kept.
    expect(isProven({ ...amounts, unitsStated: undefined })).toBe(false);
    expect(isProven({ ...amounts, form: undefined })).toBe(false);
    expect(isProven({ ...amounts, form: undefined, wholeCount: 0 })).toBe(true);
  });
});

describe('a rate between the log and a source in another currency', () => {
  const part = (ours: string, theirs: string) => ({
    ours: money(ours),
    theirs: money(theirs),
    slack: money('0.0001'),
  });

  it('is proven by parts that agree on one, in as few digits as possible', () => {
    const parts = [part('12.5', '91.25'), part('30.1', '219.73'), part('4.03', '29.419')];
    expect(provenRate(parts, 'USD')).toBe('7.3');
    expect(
      provenRate([part('91.25', '12.5'), part('219.73', '30.1'), part('294.19', '40.3')], 'CNY'),
    ).toMatch(/^0[.]1369/);
  });

  it('is not proven by too few parts, parts that disagree, or a factor that is no rate', () => {
    expect(provenRate([part('12.5', '91.25'), part('30.1', '219.73')], 'USD')).toBeUndefined();
    expect(
      provenRate([part('12.5', '91.25'), part('30.1', '219.73'), part('4.03', '25')], 'USD'),
    ).toBeUndefined();
    expect(provenRate([part('12', '12'), part('30', '30'), part('4', '4')], 'USD')).toBeUndefined();
    const units = ['12', '30', '4'].map((ours) => part(ours, `${ours}000000`));
    expect(provenRate(units, 'USD')).toBeUndefined();
  });
});

it('the ratio of usage figures to stored figures determines their unit, with or without late figures', () => {
  expect(judgeUsage([], factor)).toBe('same');
  expect(judgeUsage([1, 1, 1.7], factor)).toBe('same');
  expect(judgeUsage([500_000, 510_000, 1], factor)).toBe('units');
  expect(judgeUsage([0.000002, 0.0000021], factor)).toBe('currency');
  expect(judgeUsage([71_428, 71_428], factor)).toBe('other');
  expect(judgeUsage([7, 7, 7], factor)).toBe('other');
  expect(judgeUsage([7, 9, 3], factor)).toBe('same');
});
