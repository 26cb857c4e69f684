import { Big } from 'big.js';

declare const decimal: unique symbol;

/**
 * An exact decimal in plain notation: no exponent, no `+`, no trailing zeros, no `-0`. Represents amounts of any
 * currency.
 */
export type Money = string & { readonly [decimal]: 'money' };

const ROUND_HALF_EVEN = 2;

const plain = (value: Big): Money => (value.eq(0) ? '0' : value.toFixed()) as Money;

const pattern = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/;

/** Parses a decimal as written; exponents are allowed. @throws RangeError when the text is no number. */
export const money = (text: string): Money => {
  const trimmed = text.trim();
  if (!pattern.test(trimmed))
    throw new RangeError(`not a decimal number: ${JSON.stringify(text.slice(0, 40))}`);
  return plain(new Big(trimmed));
};

export const zero = '0' as Money;

export const addMoney = (left: Money, right: Money): Money => plain(new Big(left).plus(right));
export const subtractMoney = (left: Money, right: Money): Money => plain(new Big(left).minus(right));
export const multiplyMoney = (left: Money, right: Money): Money => plain(new Big(left).times(right));
export const sumMoney = (amounts: Iterable<Money>): Money => {
  let total = new Big(0);
  for (const amount of amounts) total = total.plus(amount);
  return plain(total);
};

/** Quotient rounded half to even at `decimals` places; undefined when the divisor is zero (unknown is not zero). */
export const divideMoney = (dividend: Money, divisor: Money, decimals: number): Money | undefined => {
  const by = new Big(divisor);
  if (by.eq(0)) return undefined;
  // Extra places, then one explicit rounding: big.js divides at its constructor's DP.
  const Wide = Big();
  Wide.DP = decimals + 30;
  Wide.RM = ROUND_HALF_EVEN;
  return plain(new Big(new Wide(dividend).div(new Wide(divisor)).round(decimals, ROUND_HALF_EVEN).toFixed()));
};

/** Rounded half to even, always with exactly `decimals` places: `1.5` at 2 is `1.50`. For display, not for sums. */
export const roundMoney = (amount: Money, decimals: number): string => {
  const text = new Big(amount).toFixed(decimals, ROUND_HALF_EVEN);
  return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text;
};

/** Negative, zero or positive, as for sorting. */
export const compareMoney = (left: Money, right: Money): number => new Big(left).cmp(right);

export const absoluteMoney = (amount: Money): Money => plain(new Big(amount).abs());

/** Only for lengths of bars and heights of charts: pixels, never figures. */
export const moneyAsShare = (part: Money, whole: Money): number => {
  const share = divideMoney(part, whole, 9);
  return share === undefined ? 0 : Number(share);
};
