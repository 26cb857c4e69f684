import {
  groupBy,
  nearest,
  subtractMoney,
  sumMoney,
  zero,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../../core/index.ts';
import type { SegmentSums, SumsBy, SumsRequest } from '../../warehouse/index.ts';
import type { BudgetScope } from './budget.ts';
import { inScope, type NamedCalls, type ScopeRules } from './scope.ts';

type Range = Interval<UnixSeconds>;

/** The segments that the ranges consist of, for one scan of the call log. */
export const segmentsOf = (ranges: readonly Range[]): Pick<SumsRequest, 'bounds' | 'segments'> => {
  const filled = ranges.filter(({ start, end }) => end > start);
  const bounds = [...new Set(filled.flatMap(({ start, end }) => [start, end]))].sort(
    (left, right) => left - right,
  );
  const position = new Map(bounds.map((bound, index) => [bound, index]));
  const segments = new Set<number>();
  for (const { start, end } of filled)
    for (let index = position.get(start) ?? 0; index < (position.get(end) ?? 0); index += 1)
      segments.add(index);
  return { bounds, segments };
};

/** The spend of scopes over ranges whose ends are bounds of the segments. */
export type SpendIndex = {
  readonly spend: (scope: BudgetScope, range: Range) => Money;
  /** Whether any calls belong to the scope, in any segment. */
  readonly hasCalls: (scope: BudgetScope) => boolean;
  /** The name of a model or key in the call log that is similar to the scope; undefined if there is none. */
  readonly nearest: (scope: BudgetScope) => string | undefined;
};

/** The sums that the spend of a scope consists of: no scope restricts both models and keys. */
export const sumsFor = ({ kind }: BudgetScope): Exclude<SumsBy, 'pair'> =>
  kind === 'model' ? 'model' : 'key';

/** The sums that an index has, by what they are grouped by. */
export type IndexedSums = Readonly<Record<ReturnType<typeof sumsFor>, readonly SegmentSums[]>>;

/** A model or a key, with its spend in each segment. */
type Named = {
  readonly names: NamedCalls;
  readonly bySegment: ReadonlyMap<number, Money>;
};

const namedOf = (sums: readonly SegmentSums[]): readonly Named[] =>
  [...groupBy(sums, ({ model, key }) => `${model}\n${key}`).values()].map((same) => ({
    names: same[0],
    bySegment: new Map(same.map(({ segment, charge, refunds }) => [segment, subtractMoney(charge, refunds)])),
  }));

export const createSpendIndex = (
  sums: IndexedSums,
  bounds: readonly UnixSeconds[],
  rules: ScopeRules,
): SpendIndex => {
  const named = { model: namedOf(sums.model), key: namedOf(sums.key) };
  const groupsOf = (scope: BudgetScope): readonly Named[] =>
    named[sumsFor(scope)].filter(({ names }) => inScope(scope, names, rules));
  const known = new Map<BudgetScope, ReadonlyMap<number, Money>>();
  const bySegment = (scope: BudgetScope): ReadonlyMap<number, Money> => {
    const found = known.get(scope);
    if (found !== undefined) return found;
    const sums = new Map<number, Money[]>();
    for (const group of groupsOf(scope))
      for (const [segment, amount] of group.bySegment) {
        const amounts = sums.get(segment);
        if (amounts === undefined) sums.set(segment, [amount]);
        else amounts.push(amount);
      }
    const totals = new Map([...sums].map(([segment, amounts]) => [segment, sumMoney(amounts)]));
    known.set(scope, totals);
    return totals;
  };
  return {
    spend: (scope, { start, end }) => {
      const totals = bySegment(scope);
      return sumMoney(
        bounds.flatMap((bound, segment) =>
          bound >= start && bound < end ? [totals.get(segment) ?? zero] : [],
        ),
      );
    },
    hasCalls: (scope) => bySegment(scope).size > 0,
    nearest: (scope) => {
      if (scope.kind === 'account') return undefined;
      const names =
        scope.kind === 'model'
          ? named.model.map(({ names: { model } }) => model)
          : named.key.flatMap(({ names: { key, service } }) =>
              scope.kind === 'service' ? [service] : [service, key],
            );
      return nearest(scope.name, [...new Set(names)]);
    },
  };
};
