import {
  compareMoney,
  divideMoney,
  money,
  multiplyMoney,
  roundMoney,
  subtractMoney,
  sumMoney,
  zero,
  type Money,
} from '../../core/index.ts';

const one = money('1');

const floor = (value: Money): Money => {
  const rounded = money(roundMoney(value, 0));
  return compareMoney(rounded, value) > 0 ? subtractMoney(rounded, one) : rounded;
};

/**
 * Each part's share of the sum, as a ratio in tenths of a percent that add up to exactly 1: the largest remainders get
 * what flooring leaves. Undefined when the sum is not positive.
 */
export const sharesOf = (parts: readonly Money[]): readonly Money[] | undefined => {
  const whole = sumMoney(parts);
  if (compareMoney(whole, zero) <= 0) return undefined;
  const exact = parts.map((part) => divideMoney(multiplyMoney(part, money('1000')), whole, 18) ?? zero);
  const floors = exact.map(floor);
  const left = Number(subtractMoney(money('1000'), sumMoney(floors)));
  const byRemainder = exact
    .map((share, index) => ({ index, remainder: subtractMoney(share, floors[index] ?? zero) }))
    .sort((a, b) => compareMoney(b.remainder, a.remainder) || a.index - b.index);
  const raised = new Set(byRemainder.slice(0, left).map(({ index }) => index));
  return floors.map((tenths, index) =>
    multiplyMoney(raised.has(index) ? money(String(BigInt(tenths) + 1n)) : tenths, money('0.001')),
  );
};
