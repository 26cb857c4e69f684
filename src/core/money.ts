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

/** As `Money` is written, which most amounts are already. */
const canonical = /^(?:0|-?[1-9]\d*|-?(?:0|[1-9]\d*)\.\d*[1-9])$/;

/** Parses a decimal as written; exponents are allowed. @throws RangeError when the text is no number. */
export const money = (text: string): Money => {
  if (canonical.test(text)) return text as Money;
  const trimmed = text.trim();
  if (!pattern.test(trimmed))
    throw new RangeError(`not a decimal number: ${JSON.stringify(text.slice(0, 40))}`);
  return plain(new Big(trimmed));
};

export const zero = '0' as Money;

export const addMoney = (left: Money, right: Money): Money => plain(new Big(left).plus(right));
export const subtractMoney = (left: Money, right: Money): Money => plain(new Big(left).minus(right));
export const multiplyMoney = (left: Money, right: Money): Money => plain(new Big(left).times(right));
/** A whole quotient, rounded half to even; `under` is positive. */
export const roundedQuotient = (over: bigint, under: bigint): bigint => {
  const size = over < 0n ? -over : over;
  const [quotient, rest] = [size / under, size % under];
  const up = rest * 2n > under || (rest * 2n === under && quotient % 2n === 1n);
  const rounded = up ? quotient + 1n : quotient;
  return over < 0n ? -rounded : rounded;
};

/** An amount given in units of its last decimal. */
export const moneyOfUnits = (units: bigint, decimals: number): Money => {
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const at = digits.length - decimals;
  return money(
    `${units < 0n ? '-' : ''}${digits.slice(0, at)}${decimals === 0 ? '' : `.${digits.slice(at)}`}`,
  );
};

/** Decimals as written. */
export const decimalPlaces = (amount: Money): number => amount.split('.')[1]?.length ?? 0;

/** The amount in units of its `places`-th decimal; `places` is at least the number of its decimals. */
export const unitsOfMoney = (amount: Money, places: number): bigint => {
  const [digits = '0', decimals = ''] = amount.split('.');
  return BigInt(`${digits}${decimals.padEnd(places, '0')}`);
};

/** Computed in whole units: a table can have thousands of rows. */
export const sumMoney = (amounts: Iterable<Money>): Money => {
  const all = [...amounts];
  const places = all.reduce((most, amount) => Math.max(most, decimalPlaces(amount)), 0);
  return moneyOfUnits(
    all.reduce((total, amount) => total + unitsOfMoney(amount, places), 0n),
    places,
  );
};

/** Quotient rounded half to even at `decimals` places; undefined when the divisor is zero (unknown is not zero). */
export const divideMoney = (dividend: Money, divisor: Money, decimals: number): Money | undefined => {
  const places = Math.max(decimalPlaces(dividend), decimalPlaces(divisor));
  const by = unitsOfMoney(divisor, places);
  if (by === 0n) return undefined;
  const over = unitsOfMoney(dividend, places) * 10n ** BigInt(decimals);
  return moneyOfUnits(by < 0n ? roundedQuotient(-over, -by) : roundedQuotient(over, by), decimals);
};

/** Rounded half to even, always with exactly `decimals` places: `1.5` at 2 is `1.50`. For display, not for sums. */
export const roundMoney = (amount: Money, decimals: number): string => {
  const text = new Big(amount).toFixed(decimals, ROUND_HALF_EVEN);
  return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text;
};

/** The amount with at most so many decimals, rounded half to even; the same amount if it has no more. */
export const withDecimals = (amount: Money, decimals: number): Money =>
  decimalPlaces(amount) <= decimals ? amount : money(roundMoney(amount, decimals));

/** Negative, zero or positive, as for sorting. */
export const compareMoney = (left: Money, right: Money): number => new Big(left).cmp(right);

export const absoluteMoney = (amount: Money): Money => plain(new Big(amount).abs());

/** Only for lengths of bars and heights of charts: pixels, never figures. */
export const moneyAsShare = (part: Money, whole: Money): number => {
  const share = divideMoney(part, whole, 9);
  return share === undefined ? 0 : Number(share);
};
