import { compareMoney, money, roundMoney, subtractMoney, zero, type Money } from '../../../core/index.ts';
import type { CausePart, Waterfall } from '../../../monitoring/index.ts';
import { decimalsOf } from '../../../messages/index.ts';
import { apportion } from './apportion.ts';

/** An amount, and the decimals to show it with. */
export type ShownAmount = { readonly amount: Money; readonly decimals: number };

/** The difference of two amounts as a reader sees them: of 8.346 and 4.004 it is 4.35, as of 8.35 and 4.00. */
export const shownDifference = (now: Money, before: Money): ShownAmount => {
  const decimals = Math.min(
    decimalsOf(subtractMoney(now, before)),
    Math.max(decimalsOf(now), decimalsOf(before)),
  );
  const [left, right] = [now, before].map((amount) =>
    money(roundMoney(amount, Math.min(decimals, decimalsOf(amount)))),
  );
  return { amount: subtractMoney(left ?? zero, right ?? zero), decimals };
};

export type ShownPart = ShownAmount & { readonly part: CausePart };

/** A change with its parts as shown: they add up to it, but for parts too small for its decimals. */
export type ShownChange = { readonly change: ShownAmount; readonly parts: readonly ShownPart[] };

export const shownChange = ({ before, after, parts }: Waterfall): ShownChange => {
  const change = shownDifference(after, before);
  const { decimals } = change;
  const changed = parts.filter(({ amount }) => compareMoney(amount, zero) !== 0);
  const isSmall = ({ amount }: CausePart): boolean =>
    compareMoney(money(roundMoney(amount, decimals)), zero) === 0;
  const large = changed.filter((part) => !isSmall(part));
  const amounts = apportion(
    large.map(({ amount }) => amount),
    change.amount,
    decimals,
  );
  return {
    change,
    parts: changed.map((part) =>
      isSmall(part)
        ? { part, amount: part.amount, decimals: decimalsOf(part.amount) }
        : { part, amount: amounts[large.indexOf(part)] ?? zero, decimals },
    ),
  };
};
