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
  effectsOf,
  unitsToMoney,
  weightsOfPrices,
  type CauseFactor,
  type CellEffects,
  type ChangedCell,
  type ClassWeights,
  type PricedCell,
  type Usage,
} from './cell-factors.ts';
import type { ClassPrices } from '../../warehouse/index.ts';
import {
  candidatesOf,
  nameContributor,
  sumPriced,
  type AllPriced,
  type Contributor,
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

type Units = CellEffects['units'];

/** Of the sum over so many days. */
const ofOneDay = (units: Units, days: bigint): Units =>
  Object.fromEntries(
    Object.entries(units).map(([factor, amount]) => [factor, roundedQuotient(amount, days)]),
  ) as Units;

/** What all cells contribute to a factor, in units. */
const totalOf = (
  cells: readonly CellEffects[],
  factor: CauseFactor,
  { old, now, days }: AllPriced,
): bigint => {
  if (factor !== 'volume' && factor !== 'mix')
    return cells.reduce((total, { units }) => total + units[factor], 0n);
  // Without any calls before, all of the later ones are volume.
  if (old.calls === 0n) return factor === 'mix' ? 0n : roundedQuotient(now.charge - old.charge, days);
  const grown = roundedQuotient(old.charge * now.calls, old.calls);
  const later = cells.reduce((total, { atOldCost }) => total + atOldCost, 0n);
  return roundedQuotient(factor === 'mix' ? later - grown : grown - old.charge, days);
};

const explainCells = (cells: readonly CellEffects[], days: bigint): Waterfall => {
  const all = { ...sumPriced(cells), days };
  const candidates = candidatesOf(cells);
  const before = unitsToMoney(roundedQuotient(spendOf(cells, 'before'), days));
  const after = unitsToMoney(roundedQuotient(spendOf(cells, 'after'), days));
  const change = subtractMoney(after, before);
  const amounts = new Map(causeFactors.map((factor) => [factor, unitsToMoney(totalOf(cells, factor, all))]));
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

/**
 * The change of spend between two periods as a waterfall over models and keys: volume (calls), mix (shares of models and
 * keys in the calls), length (tokens a call by class), cache (share of cached input), price of a token, what
 * cannot be divided among these three because tokens are not stated, fixed-price calls, refunds. Computed with 40 decimals; each part is rounded once, and the rounding goes to the largest,
 * so that the parts add up to the change exactly. Without prices of all classes of a model, an effect of caching is part of its
 * price. With `averagedDays`, the earlier usage is the sum of so many days and the later one is of a single day: the
 * change is that against the average day. Cells that several changes have in common are computed once.
 */
export const createExplainer = (
  pricesOf: (model: string) => ClassPrices | undefined,
  averagedDays = 1,
): ((cells: readonly ChangedCell[]) => Waterfall) => {
  const days = BigInt(averagedDays);
  const weights = new Map<string, ClassWeights>();
  const weightsOf = (model: string): ClassWeights => {
    const known = weights.get(model) ?? weightsOfPrices(pricesOf(model));
    weights.set(model, known);
    return known;
  };
  const known = new Map<ChangedCell, CellEffects>();
  const explainCell = (given: ChangedCell): CellEffects => {
    const found = known.get(given);
    if (found !== undefined) return found;
    const cell = days === 1n ? given : { ...given, after: times(given.after, days) };
    const effects = effectsOf(cell, weightsOf);
    const explained = days === 1n ? effects : { ...effects, units: ofOneDay(effects.units, days) };
    known.set(given, explained);
    return explained;
  };
  return (cells) => explainCells(cells.map(explainCell), days);
};
