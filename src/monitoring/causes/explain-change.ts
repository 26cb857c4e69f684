import {
  absoluteMoney,
  compareMoney,
  money,
  multiplyMoney,
  roundedQuotient,
  subtractMoney,
  sumMoney,
  zero,
  type Money,
} from '../../core/index.ts';
import {
  causeFactors,
  factorsOf,
  hasTokens,
  pricedOf,
  unitsOf,
  unitsToMoney,
  type CauseFactor,
  type ChangedCell,
  type ClassPrices,
  type Factors,
  type Usage,
} from './cell-factors.ts';

/** What one model and key contribute to a part. */
export type Contribution = {
  readonly model: string;
  readonly key: string;
  readonly amount: Money;
  /** Without calls in the earlier period; of refunds, also without refunds in it. */
  readonly isNew: boolean;
  /** Without calls in the later period; of refunds, also without refunds in it. */
  readonly isGone: boolean;
};

export type CausePart = {
  readonly factor: CauseFactor;
  readonly amount: Money;
  /** The largest contributions in the direction of the part, at most 3. */
  readonly top: readonly Contribution[];
};

/** A change of spend as the sum of its causes. */
export type Waterfall = {
  readonly before: Money;
  readonly after: Money;
  readonly change: Money;
  /** One for each factor, in their order; the amounts add up to `change` exactly. */
  readonly parts: readonly CausePart[];
};

const spendOf = (cells: readonly ChangedCell[], period: 'before' | 'after'): Money =>
  subtractMoney(
    sumMoney(cells.map((cell) => cell[period].charge)),
    sumMoney(cells.map((cell) => cell[period].refunds)),
  );

/** The usage of so many days like this one. */
const times = ({ calls, tokens, unstatedCalls = 0, charge, refunds }: Usage, days: bigint): Usage => ({
  calls: calls * Number(days),
  tokens: Object.fromEntries(Object.entries(tokens).map(([name, count]) => [name, count * days])),
  unstatedCalls: unstatedCalls * Number(days),
  charge: multiplyMoney(charge, money(String(days))),
  refunds: multiplyMoney(refunds, money(String(days))),
});

const ofOneDay = (units: Factors, days: bigint): Factors =>
  Object.fromEntries(causeFactors.map((factor) => [factor, roundedQuotient(units[factor], days)])) as Factors;

const mostNamed = 3;

type Explained = { readonly cell: ChangedCell; readonly units: Factors };

/** Names in a fixed order, so that equal amounts are always named alike. */
const byName = (left: ChangedCell, right: ChangedCell): number =>
  [left.model, left.key].join('\n') < [right.model, right.key].join('\n') ? -1 : 1;

/** A refund without calls is of an earlier period's calls: it is no sign that the key is new or gone. */
const isAbsent = ({ calls, refunds }: Usage, factor: CauseFactor): boolean =>
  calls === 0 && (factor !== 'refunds' || compareMoney(refunds, zero) === 0);

const topOf = (cells: readonly Explained[], factor: CauseFactor, amount: Money): readonly Contribution[] => {
  const sign = compareMoney(amount, zero) > 0 ? 1n : -1n;
  return cells
    .filter(({ units }) => units[factor] * sign > 0n)
    .sort((left, right) => {
      const by = (right.units[factor] - left.units[factor]) * sign;
      if (by !== 0n) return by > 0n ? 1 : -1;
      return byName(left.cell, right.cell);
    })
    .slice(0, mostNamed)
    .map(({ cell: { model, key, before, after }, units }) => ({
      model,
      key,
      amount: unitsToMoney(units[factor]),
      isNew: isAbsent(before, factor),
      isGone: isAbsent(after, factor),
    }))
    .filter((one) => compareMoney(one.amount, zero) !== 0);
};

/**
 * The change of spend between two periods as a waterfall over models and keys: volume (calls), mix (shares of models and
 * keys in the calls), length (tokens a call by class), cache (share of cached input), price of a token, what
 * cannot be divided among these three because tokens are not stated, fixed-price calls, refunds. Computed with 40 decimals; each part is rounded once, and the rounding goes to the largest,
 * so that the parts add up to the change exactly. Without prices of all classes of a model, an effect of caching is part of its
 * price. With `averagedDays`, the earlier usage is the sum of so many days and the later one is of a single day: the
 * change is that against the average day.
 */
export const explainChange = (
  given: readonly ChangedCell[],
  pricesOf: (model: string) => ClassPrices | undefined,
  averagedDays = 1,
): Waterfall => {
  const days = BigInt(averagedDays);
  const cells = days === 1n ? given : given.map((cell) => ({ ...cell, after: times(cell.after, days) }));
  const counted = cells.filter(({ before, after }) =>
    [before, after].every((usage) => usage.calls > 0 || !hasTokens(usage)),
  );
  const callsOf = (period: 'before' | 'after'): bigint =>
    counted.reduce((total, cell) => total + pricedOf(cell[period]).calls, 0n);
  const all = { before: callsOf('before'), after: callsOf('after') };
  const explained = cells.map((cell): Explained => {
    const units = factorsOf(cell, pricesOf(cell.model), all);
    return { cell, units: days === 1n ? units : ofOneDay(units, days) };
  });
  const earlier = spendOf(cells, 'before');
  const before = days === 1n ? earlier : unitsToMoney(roundedQuotient(unitsOf(earlier), days));
  const after = spendOf(given, 'after');
  const change = subtractMoney(after, before);
  const amounts = new Map(
    causeFactors.map((factor) => [
      factor,
      unitsToMoney(explained.reduce((total, { units }) => total + units[factor], 0n)),
    ]),
  );
  // The rounding goes to the largest part: elsewhere it could pass for a cause.
  const [largest = 'price'] = causeFactors.toSorted((left, right) =>
    compareMoney(absoluteMoney(amounts.get(right) ?? zero), absoluteMoney(amounts.get(left) ?? zero)),
  );
  const others = sumMoney(
    causeFactors.flatMap((factor) => (factor === largest ? [] : [amounts.get(factor) ?? zero])),
  );
  amounts.set(largest, subtractMoney(change, others));
  return {
    before,
    after,
    change,
    parts: causeFactors.map((factor) => {
      const amount = amounts.get(factor) ?? zero;
      return {
        factor,
        amount,
        top: compareMoney(amount, zero) === 0 ? [] : topOf(explained, factor, amount),
      };
    }),
  };
};
