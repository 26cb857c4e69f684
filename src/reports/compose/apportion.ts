import {
  compareMoney,
  decimalPlaces,
  divideMoney,
  money,
  moneyOfUnits,
  roundMoney,
  sumMoney,
  unitsOfMoney,
  zero,
  type Money,
} from '../../core/index.ts';

/**
 * Rounds amounts so that they add up to their rounded sum: each is floored, and the largest remainders get what that
 * leaves, a last digit each. None changes its sign.
 */
export const apportion = (amounts: readonly Money[], decimals: number): readonly Money[] => {
  const places = amounts.reduce((most, amount) => Math.max(most, decimalPlaces(amount)), decimals);
  const digit = 10n ** BigInt(places - decimals);
  const floored = amounts.map((amount, index) => {
    const units = unitsOfMoney(amount, places);
    const remainder = ((units % digit) + digit) % digit;
    return { index, floor: (units - remainder) / digit, remainder };
  });
  const total = unitsOfMoney(money(roundMoney(sumMoney(amounts), decimals)), decimals);
  const left = floored.reduce((rest, { floor }) => rest - floor, total);
  const byRemainder = floored.toSorted(
    (one, other) => Number(one.remainder < other.remainder) - Number(one.remainder > other.remainder),
  );
  const raised = new Set(byRemainder.slice(0, Number(left)).map(({ index }) => index));
  return floored.map(({ index, floor }) => moneyOfUnits(raised.has(index) ? floor + 1n : floor, decimals));
};

/**
 * Each part's share of the sum, as a ratio in tenths of a percent that add up to exactly 1. Undefined when the sum is
 * not positive.
 */
export const sharesOf = (parts: readonly Money[]): readonly Money[] | undefined => {
  const whole = sumMoney(parts);
  if (compareMoney(whole, zero) <= 0) return undefined;
  return apportion(
    parts.map((part) => divideMoney(part, whole, 21) ?? zero),
    3,
  );
};
