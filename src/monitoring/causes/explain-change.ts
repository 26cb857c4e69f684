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
  pricedCell,
  unitsToMoney,
  weightsOfPrices,
  type CauseFactor,
  type ChangedCell,
  type ClassPrices,
  type ClassWeights,
  type Factors,
  type PricedCell,
  type Usage,
} from './cell-factors.ts';
import {
  candidatesOf,
  nameContributor,
  sumPriced,
  type Contributor,
  type Explained,
} from './name-contributor.ts';

export type CausePart = {
  readonly factor: CauseFactor;
  readonly amount: Money;
  /** Missing where no model and no key accounts for enough of it. */
  readonly contributor?: Contributor | undefined;
};

/** A change of spend as the sum of its causes. */
export type Waterfall = {
  readonly before: Money;
  readonly after: Money;
  readonly change: Money;
  /** One for each factor, in their order; the amounts add up to `change` exactly. */
  readonly parts: readonly CausePart[];
};

/** In units. */
const spendOf = (cells: readonly PricedCell[], period: 'before' | 'after'): bigint => {
  let spend = 0n;
  for (const { [period]: amounts } of cells) spend += amounts.charge - amounts.refunds;
  return spend;
};

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
  const priced = cells.map(pricedCell);
  const all = {
    old: sumPriced(priced.map(({ old }) => old)),
    now: sumPriced(priced.map(({ now }) => now)),
    days,
  };
  const allCalls = { before: all.old.calls, after: all.now.calls };
  const weights = new Map<string, ClassWeights>();
  const weightsOf = (model: string): ClassWeights => {
    const known = weights.get(model) ?? weightsOfPrices(pricesOf(model));
    weights.set(model, known);
    return known;
  };
  const explained = priced.map((one): Explained => {
    const units = factorsOf(one, weightsOf, allCalls);
    return { ...one, units: days === 1n ? units : ofOneDay(units, days) };
  });
  const candidates = candidatesOf(explained);
  const before = unitsToMoney(roundedQuotient(spendOf(priced, 'before'), days));
  const after = unitsToMoney(roundedQuotient(spendOf(priced, 'after'), days));
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
        contributor: amount === zero ? undefined : nameContributor(candidates, factor, amount, all),
      };
    }),
  };
};
