import { interval, localDays, type LocalDate, type LocalDay } from '../../core/index.ts';
import {
  createSpendIndex,
  segmentsOf,
  sumsFor,
  type BudgetScope,
  type DayOfSpend,
} from '../../monitoring/index.ts';
import { noCostOwners } from '../cost-owners.ts';
import type { JobContext } from '../job-kind.ts';

/** Days that are read at once: thousands of keys are rows of each. */
const daysAtOnce = 31;

type Context = Pick<JobContext, 'account' | 'warehouse' | 'costOwners' | 'signal'>;

const inParts = (days: readonly LocalDay[]): readonly (readonly LocalDay[])[] =>
  Array.from({ length: Math.ceil(days.length / daysAtOnce) }, (_, at) =>
    days.slice(at * daysAtOnce, (at + 1) * daysAtOnce),
  );

/** Spend of whole days of a zone by scope, from the rollup, both days included. Undefined while the unit of the amounts is not proven. */
export const readDays = async (
  scopes: readonly BudgetScope[],
  range: { readonly first: LocalDate; readonly last: LocalDate; readonly zone: string },
  { account, warehouse, costOwners = noCostOwners, signal }: Context,
): Promise<ReadonlyMap<BudgetScope, readonly DayOfSpend[]> | undefined> => {
  const { first, last, zone } = range;
  const rules = { teams: costOwners.teams, tags: costOwners.tags ?? [] };
  const by = [...new Set(scopes.map(sumsFor))];
  const found = new Map(scopes.map((scope): [BudgetScope, DayOfSpend[]] => [scope, []]));
  for (const part of inParts(localDays(first, last, zone))) {
    const { bounds, segments } = segmentsOf(part);
    const request = { account: account.name, zone, bounds, segments, tokens: false, by };
    const { sums, isProven } = await warehouse.sums(request, signal);
    if (!isProven) return undefined;
    const index = createSpendIndex(sums, bounds, rules);
    for (const [scope, days] of found)
      for (const { date, start, end } of part)
        days.push({ date, spend: Number(index.spend(scope, interval(start, end))) });
  }
  return found;
};
