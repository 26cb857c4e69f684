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
    .slice(0, count)
    .map(({ index }) => index);
  return rounded.map((amount, index) => (lost.includes(index) ? addMoney(amount, digit) : amount));
};
