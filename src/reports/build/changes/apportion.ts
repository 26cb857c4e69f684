import {
  addMoney,
  compareMoney,
  money,
  multiplyMoney,
  roundMoney,
  subtractMoney,
  sumMoney,
  zero,
  type Money,
} from '../../../core/index.ts';

/**
 * Rounds amounts so that they add up to a total that is itself rounded: what is missing goes, a last digit each, to those
 * that rounding changed most.
 */
export const apportion = (amounts: readonly Money[], total: Money, decimals: number): readonly Money[] => {
  const rounded = amounts.map((amount) => money(roundMoney(amount, decimals)));
  const missing = subtractMoney(total, sumMoney(rounded));
  const direction = Math.sign(compareMoney(missing, zero));
  const digit = money(`${direction}e-${decimals}`);
  const count = direction === 0 ? 0 : Number(multiplyMoney(missing, money(`${direction}e${decimals}`)));
  const lost = amounts
    .map((amount, index) => ({ index, by: subtractMoney(amount, rounded[index] ?? zero) }))
    .sort((left, right) => direction * compareMoney(right.by, left.by) || left.index - right.index)
    .map(({ index }) => index);
  // One digit each is not enough where the total also holds what is left out of the amounts.
  const digits = (index: number): number =>
    Math.floor(count / amounts.length) + (lost.indexOf(index) < count % amounts.length ? 1 : 0);
  return rounded.map((amount, index) => addMoney(amount, multiplyMoney(digit, money(String(digits(index))))));
};
