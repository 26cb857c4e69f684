import { money, roundMoney, zero, type Money } from '../../../core/index.ts';
import type { CausePart, Waterfall } from '../../../monitoring/index.ts';
import { decimalsOf } from '../../../messages/index.ts';
import { apportion } from '../apportion.ts';

type ShownPart = { readonly part: CausePart; readonly amount: Money };

/** A change and its parts as shown, with the same decimals: the parts add up to it, and none of them is zero. */
export type ShownChange = {
  readonly change: Money;
  readonly decimals: number;
  readonly parts: readonly ShownPart[];
};

export const shownChange = ({ change, parts }: Waterfall): ShownChange => {
  const decimals = decimalsOf(change);
  const amounts = apportion(
    parts.map(({ amount }) => amount),
    decimals,
  );
  return {
    change: money(roundMoney(change, decimals)),
    decimals,
    parts: parts
      .map((part, at): ShownPart => ({ part, amount: amounts[at] ?? zero }))
      .filter(({ amount }) => amount !== zero),
  };
};
