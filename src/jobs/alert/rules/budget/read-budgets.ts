import { interval, unixSeconds, type Interval, type UnixSeconds } from '../../../../core/index.ts';
import {
  assess,
  createSpendIndex,
  forecastBy,
  middleOf,
  openSinceOf,
  planPeriods,
  segmentsOf,
  sumsFor,
  type Assessment,
  type Budget,
  type PlannedPeriod,
  type SpendIndex,
} from '../../../../monitoring/index.ts';
import type { KnownGap, Warehouse } from '../../../../warehouse/index.ts';
import { noCostOwners } from '../../../cost-owners.ts';
import { readKept, subjectOf } from '../../../forecasts/keep-forecasts.ts';
import type { JobContext } from '../../../job-kind.ts';
import type { BudgetStatus } from './stored.ts';

/** The assessments of periods that have ended since the last evaluation, then of the current one. */
export type AssessedBudget = {
  readonly budget: Budget;
  readonly periods: readonly { readonly planned: PlannedPeriod; readonly assessment: Assessment }[];
  /** Start of the oldest period without a final evaluation. */
  readonly openSince: UnixSeconds | undefined;
};

type Request = {
  readonly budgets: readonly Budget[];
  readonly needed: UnixSeconds;
  /** Later data is ignored; all data counts when omitted. */
  readonly until?: UnixSeconds;
  readonly before: ReadonlyMap<string, Pick<BudgetStatus, 'openSince'>>;
};

/** What budgets are assessed from. */
export type BudgetReader = Pick<JobContext, 'costOwners'> & {
  readonly account: { readonly name: string };
  readonly warehouse: Pick<Warehouse, 'logs' | 'sums' | 'comparisons' | 'forecasts'>;
  readonly signal?: AbortSignal | undefined;
};

const overlaps = (left: Interval<UnixSeconds>, right: Interval<UnixSeconds>): boolean =>
  left.start < right.end && right.start < left.end;

const halvesOf = (range: Interval<UnixSeconds>): readonly [Interval<UnixSeconds>, Interval<UnixSeconds>] => {
  const middle = middleOf(range);
  return [interval(range.start, middle), interval(middle, range.end)];
};

const missingIn = (gaps: readonly KnownGap[], period: Interval<UnixSeconds>): string | undefined =>
  gaps.find(
    ({ state, verdict, range }) => state === 'open' && verdict === 'truncated' && overlaps(range, period),
  )?.text;

/** Scopes that name something in the call log, where a misspelt name looks like no spend. */
const namesCalls = new Set<Budget['scope']['kind']>(['service', 'keys', 'model']);

/** The zone of most budgets: its days are read from the rollup. */
export const zoneOfMost = (budgets: readonly Pick<Budget, 'zone'>[]): string => {
  const times = new Map<string, number>();
  for (const { zone } of budgets) times.set(zone, (times.get(zone) ?? 0) + 1);
  const [[most] = ['UTC']] = [...times].sort(([, left], [, right]) => right - left);
  return most;
};

/** The spend over the ranges of what these scopes restrict. `isProven`: whether the unit of the amounts is. */
const readSpend = async (
  budgets: readonly Budget[],
  ranges: readonly Interval<UnixSeconds>[],
  zone: string,
  { account, warehouse, costOwners = noCostOwners, signal }: BudgetReader,
): Promise<{ readonly index: SpendIndex; readonly isProven: boolean }> => {
  const { bounds, segments } = segmentsOf(ranges);
  const by = [...new Set(budgets.map(({ scope }) => sumsFor(scope)))];
  const request = { account: account.name, zone, bounds, segments, tokens: false, by };
  const { sums, isProven } = await warehouse.sums(request, signal);
  const rules = { teams: costOwners.teams, tags: costOwners.tags ?? [] };
  return { index: createSpendIndex(sums, bounds, rules), isProven };
};

/**
 * The budgets whose scope no call belongs to, neither in the index nor in the rest of the call log, with the name in the log that
 * is nearest to theirs.
 */
const withoutCalls = async (
  budgets: readonly Budget[],
  index: SpendIndex,
  covered: Interval<UnixSeconds> | undefined,
  context: BudgetReader,
): Promise<ReadonlyMap<Budget, string | undefined>> => {
  const doubtful = budgets.filter(({ scope }) => namesCalls.has(scope.kind) && !index.hasCalls(scope));
  if (doubtful.length === 0 || covered === undefined) return new Map(doubtful.map((one) => [one, undefined]));
  const { index: whole } = await readSpend(doubtful, [covered], zoneOfMost(budgets), context);
  const missing = doubtful.filter(({ scope }) => !whole.hasCalls(scope));
  return new Map(missing.map((one) => [one, whole.nearest(one.scope)]));
};

/** The range up to the time; empty if it begins later. */
const cutAt = (
  { start, end }: Interval<UnixSeconds>,
  until: UnixSeconds,
): Interval<UnixSeconds> | undefined =>
  start >= until ? undefined : interval(start, unixSeconds(Math.min(end, until)));

/** Assesses all budgets with one scan of the call log. */
export const readBudgets = async (
  { budgets, needed, before, until }: Request,
  context: BudgetReader,
): Promise<readonly AssessedBudget[]> => {
  const { account, warehouse } = context;
  const whole = await warehouse.logs.watermark(account.name);
  const covered = whole === undefined || until === undefined ? whole : cutAt(whole, until);
  const planned = budgets.map((budget) => {
    const stored = before.get(budget.name)?.openSince;
    return planPeriods(budget, stored === undefined ? undefined : unixSeconds(stored), { covered, needed });
  });
  const ranges = planned.flat().flatMap(({ elapsed, recent }) => [elapsed, ...halvesOf(recent)]);
  const { index, isProven } = await readSpend(budgets, ranges, zoneOfMost(budgets), context);
  const gaps = await warehouse.comparisons.gaps(account.name);
  const first = Math.min(...planned.flat().map(({ period }) => period.start));
  const last = Math.max(...planned.flat().map(({ period }) => period.end));
  const unread =
    budgets.length === 0
      ? []
      : await warehouse.logs.quarantined(account.name, interval(unixSeconds(first), unixSeconds(last)));
  const uncalled = await withoutCalls(budgets, index, whole, context);
  const data = { covered, needed, isProven };
  const keptOf = await readKept(context);
  return budgets.map((budget, at): AssessedBudget => {
    const periods = planned[at] ?? [];
    return {
      budget,
      openSince: openSinceOf(periods, covered),
      periods: periods.map((one) => ({
        planned: one,
        assessment: assess(
          budget,
          one.period,
          data,
          {
            spend: index.spend(budget.scope, one.elapsed),
            hasCalls: !uncalled.has(budget),
            nearest: uncalled.get(budget),
            recent: {
              range: one.recent,
              spend: index.spend(budget.scope, one.recent),
              firstHalf: index.spend(budget.scope, halvesOf(one.recent)[0]),
            },
            unreadableRows: unread.filter(({ range }) => overlaps(range, one.period)).length,
            missingRows: missingIn(gaps, one.period),
          },
          budget.period === 'month' ? forecastBy(keptOf(subjectOf(budget)), budget.zone) : undefined,
        ),
      })),
    };
  });
};
