import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  absoluteMoney,
  addMoney,
  compareMoney,
  divideMoney,
  money,
  multiplyMoney,
  roundMoney,
  subtractMoney,
  sumMoney,
  zero,
} from '../../src/core/index.ts';

/** Amounts as whole hundred-millionths, so that sums can be checked in integers. */
const ticks = fc.bigInt({ min: -(10n ** 16n), max: 10n ** 16n });
const asText = (amount: bigint): string => {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(9, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -8)}.${digits.slice(-8)}`;
};

describe('a money value', () => {
  it('is read from every form that gateways write', () => {
    expect(money('0.10')).toBe('0.1');
    expect(money(' -12.50 ')).toBe('-12.5');
    expect(money('1.2e-05')).toBe('0.000012');
    expect(money('-0.000')).toBe('0');
    expect(money('.5')).toBe('0.5');
    expect(money('123456789012345678901234567890.123456789')).toBe(
      '123456789012345678901234567890.123456789',
    );
  });

  it.each([
    '',
    '.',
    '+',
    '-.',
    'e5',
    '1e',
    'abc',
    '1,5',
    '0x10',
    'NaN',
    'Infinity',
    '1.2.3',
    '--1',
    '1e9999',
  ])('%j is rejected', (text) => {
    expect(() => money(text)).toThrow(RangeError);
  });

  it('is read, computed, compared and rounded as by another implementation', () => {
    const digits = fc.stringMatching(/^[0-9]{1,30}$/);
    const written = fc
      .tuple(
        fc.constantFrom('', '-', '+'),
        digits,
        fc.option(fc.stringMatching(/^[0-9]{0,20}$/)),
        fc.option(fc.integer({ min: -30, max: 30 })),
      )
      .map(
        ([sign, whole, fraction, exponent]) =>
          `${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
      );
    const plain = (value: Big): string => (value.eq(0) ? '0' : value.toFixed());
    fc.assert(
      fc.property(written, written, fc.integer({ min: 0, max: 40 }), (left, right, decimals) => {
        const [a, b] = [money(left), money(right)];
        const [of, by] = [new Big(left.replace('+', '')), new Big(right.replace('+', ''))];
        expect(a).toBe(plain(of));
        expect(addMoney(a, b)).toBe(plain(of.plus(by)));
        expect(subtractMoney(a, b)).toBe(plain(of.minus(by)));
        expect(multiplyMoney(a, b)).toBe(plain(of.times(by)));
        expect(absoluteMoney(a)).toBe(plain(of.abs()));
        expect(Math.sign(compareMoney(a, b))).toBe(of.cmp(by));
        expect(roundMoney(a, decimals)).toBe(of.toFixed(decimals, 2).replace(/^-(?=[0.]+$)/, ''));
      }),
    );
  });

  it('is added exactly', () => {
    fc.assert(
      fc.property(fc.array(ticks, { maxLength: 60 }), (amounts) => {
        const exact = amounts.reduce((total, amount) => total + amount, 0n);
        expect(sumMoney(amounts.map((amount) => money(asText(amount))))).toBe(money(asText(exact)));
      }),
    );
  });

  it('is subtracted exactly and ordered like integers', () => {
    fc.assert(
      fc.property(ticks, ticks, (left, right) => {
        const [a, b] = [money(asText(left)), money(asText(right))];
        expect(subtractMoney(addMoney(a, b), b)).toBe(a);
        expect(Math.sign(compareMoney(a, b))).toBe(left < right ? -1 : left > right ? 1 : 0);
      }),
    );
  });

  it('is divided with rounding half to even', () => {
    expect(divideMoney(money('1'), money('3'), 4)).toBe('0.3333');
    expect(divideMoney(money('0.125'), money('1'), 2)).toBe('0.12');
    expect(divideMoney(money('0.135'), money('1'), 2)).toBe('0.14');
    expect(divideMoney(money('1'), zero, 2)).toBeUndefined();
    expect(multiplyMoney(money('123457'), money('0.000002'))).toBe('0.246914');
  });

  it('is shown with the requested decimal places, and never as negative zero', () => {
    expect(roundMoney(money('1.005'), 2)).toBe('1.00');
    expect(roundMoney(money('1.015'), 2)).toBe('1.02');
    expect(roundMoney(money('-0.001'), 2)).toBe('0.00');
    expect(roundMoney(money('31807.84'), 0)).toBe('31808');
  });
});
