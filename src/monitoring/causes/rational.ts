import { decimalPlaces, moneyOfUnits, roundedQuotient, unitsOfMoney, type Money } from '../../core/index.ts';

/** An exact fraction. Not reduced: the few operations on a cell cost less than the greatest common divisors. */
export type Rational = { readonly over: bigint; readonly under: bigint };

export const none: Rational = { over: 0n, under: 1n };

const fraction = (over: bigint, under: bigint): Rational => {
  if (over === 0n) return none;
  return under < 0n ? { over: -over, under: -under } : { over, under };
};

export const whole = (value: bigint | number): Rational => ({ over: BigInt(value), under: 1n });

export const ratio = (over: bigint, under: bigint): Rational => (under === 0n ? none : fraction(over, under));

export const ofMoney = (amount: Money): Rational => {
  const places = decimalPlaces(amount);
  return fraction(unitsOfMoney(amount, places), 10n ** BigInt(places));
};

/** The amounts as whole numbers in the ratio of the amounts. */
export const inProportion = (amounts: readonly Money[]): readonly bigint[] => {
  const places = Math.max(0, ...amounts.map(decimalPlaces));
  return amounts.map((amount) => unitsOfMoney(amount, places));
};

export const subtract = (left: Rational, right: Rational): Rational =>
  left.under === right.under
    ? fraction(left.over - right.over, left.under)
    : fraction(left.over * right.under - right.over * left.under, left.under * right.under);

export const multiply = (left: Rational, right: Rational): Rational =>
  fraction(left.over * right.over, left.under * right.under);

/** Zero if the divisor is zero; callers exclude that where it would be wrong. */
export const divide = (left: Rational, right: Rational): Rational =>
  right.over === 0n ? none : fraction(left.over * right.under, left.under * right.over);

/** Decimals of amounts in the warehouse. */
const places = 12;

/** Further decimals in sums over cells, so that their rounding reaches no decimal of the result. */
const guard = 28n;

const one = 10n ** (BigInt(places) + guard);

/** A fraction in units of the last guard decimal: sums of these have no denominators that grow. */
export const toUnits = ({ over, under }: Rational): bigint => roundedQuotient(over * one, under);

/** Rounded half to even at 12 decimals. */
export const unitsToMoney = (units: bigint): Money =>
  moneyOfUnits(roundedQuotient(units, 10n ** guard), places);
