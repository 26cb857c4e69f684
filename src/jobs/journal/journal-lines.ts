import { absoluteMoney, compareMoney, groupBy, sumMoney, zero, type Money } from '../../core/index.ts';
import { apportion } from '../../reports/index.ts';
import type { JournalLine } from '../../warehouse/index.ts';

/** How the spend of an account is posted. Numbers of accounts are texts. */
export type JournalSettings = {
  /** Credited with the total. */
  readonly credit: string;
  /** By what lines are debited. */
  readonly by: 'cost_center' | 'team';
  /** The account of a cost center or team. */
  readonly accounts: Readonly<Record<string, string>>;
  /** The account of all others, and of spend without one. */
  readonly other: string;
};

/** Spend of a month, by whom it is charged to. */
export type JournalAmount = {
  /** Null where it has no cost center or team. */
  readonly name: string | null;
  /** `2026-10`: an earlier one than that of the journal for a correction. */
  readonly month: string;
  readonly amount: Money;
};

/** Decimals of a posted amount. */
const cents = 2;

/** A positive amount is on one side, a negative one on the other. */
const sides = (posted: Money, isDebit: boolean): Pick<JournalLine, 'debit' | 'credit'> => {
  const size = absoluteMoney(posted);
  return isDebit === compareMoney(posted, zero) >= 0
    ? { debit: size, credit: null }
    : { debit: null, credit: size };
};

const compareNames = (left: string | null, right: string | null): number => {
  if (left === right) return 0;
  if (left === null || right === null) return left === null ? 1 : -1;
  return left < right ? -1 : 1;
};

/**
 * The journal of a month: a line for each cost center or team, one for each in each earlier month that is corrected, and the line that
 * balances them. Posted amounts have two decimals and add up: the largest remainders are rounded up. Amounts of zero have no line. Pure.
 */
export const journalOf = (
  amounts: readonly JournalAmount[],
  month: string,
  { credit, accounts, other }: JournalSettings,
): readonly JournalLine[] => {
  const summed = [...groupBy(amounts, (one) => JSON.stringify([one.month, one.name])).values()]
    .map((same) => ({ ...same[0], amount: sumMoney(same.map(({ amount }) => amount)) }))
    .filter(({ amount }) => amount !== zero)
    .sort((left, right) =>
      left.month === right.month
        ? compareNames(left.name, right.name)
        : Number(left.month !== month) - Number(right.month !== month) || (left.month < right.month ? -1 : 1),
    );
  const posted = apportion(
    summed.map(({ amount }) => amount),
    cents,
  );
  const lines = summed.map((one, at): JournalLine => ({
    kind: one.month === month ? 'spend' : 'correction',
    account: one.name === null || !Object.hasOwn(accounts, one.name) ? other : (accounts[one.name] ?? other),
    name: one.name,
    month: one.month,
    ...sides(posted[at] ?? zero, true),
    exact: one.amount,
  }));
  return lines.length === 0
    ? []
    : [
        ...lines,
        {
          kind: 'balance',
          account: credit,
          name: null,
          month,
          ...sides(sumMoney(posted), false),
          exact: sumMoney(summed.map(({ amount }) => amount)),
        },
      ];
};
