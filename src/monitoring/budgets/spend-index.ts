import {
  nearest,
  subtractMoney,
  sumMoney,
  zero,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../../core/index.ts';
import type { SegmentSums, SumsRequest } from '../../warehouse/index.ts';
import type { BudgetScope } from './budget.ts';
import { inScope, type ScopeRules } from './scope.ts';

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

/** Sums by key, or by model: no scope restricts both, and there are far fewer of these than of pairs. */
type Group = {
  readonly names: Pick<SegmentSums, 'model' | 'key' | 'service'>;
  readonly bySegment: Map<number, Money[]>;
};

const groupBy = (cells: readonly SegmentSums[], nameOf: (cell: SegmentSums) => string): readonly Group[] => {
  const groups = new Map<string, Group>();
  for (const cell of cells) {
    const name = nameOf(cell);
    const { model, key, service, segment, charge, refunds } = cell;
    const group = groups.get(name) ?? {
      names: { model, key, service },
      bySegment: new Map<number, Money[]>(),
    };
    groups.set(name, group);
    const sums = group.bySegment.get(segment) ?? [];
    sums.push(subtractMoney(charge, refunds));
    group.bySegment.set(segment, sums);
  }
  for (const { bySegment } of groups.values())
    for (const [segment, sums] of bySegment) bySegment.set(segment, [sumMoney(sums)]);
  return [...groups.values()];
};

export const createSpendIndex = (
  cells: readonly SegmentSums[],
  bounds: readonly UnixSeconds[],
  rules: ScopeRules,
): SpendIndex => {
  const byKey = groupBy(cells, ({ key }) => key);
  const byModel = groupBy(cells, ({ model }) => model);
  const groupsOf = (scope: BudgetScope): readonly Group[] =>
    (scope.kind === 'model' ? byModel : byKey).filter(({ names }) => inScope(scope, names, rules));
  const known = new Map<BudgetScope, ReadonlyMap<number, Money>>();
  const bySegment = (scope: BudgetScope): ReadonlyMap<number, Money> => {
    const found = known.get(scope);
    if (found !== undefined) return found;
    const sums = new Map<number, Money[]>();
    for (const group of groupsOf(scope))
      for (const [segment, amounts] of group.bySegment) {
        const sum = sums.get(segment);
        if (sum === undefined) sums.set(segment, [...amounts]);
        else sum.push(...amounts);
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
          ? byModel.map(({ names: { model } }) => model)
          : byKey.flatMap(({ names: { key, service } }) =>
              scope.kind === 'service' ? [service] : [service, key],
            );
      return nearest(scope.name, [...new Set(names)]);
    },
  };
};
