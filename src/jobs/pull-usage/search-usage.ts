import { subtractMoney, toMillis, zero, type UnixMillis } from '../../core/index.ts';
import {
  mayHaveSign,
  pullUsage,
  shortUsageRanges,
  type OpenUsageWindow,
  type RequestBudget,
  type UsagePull,
  type UsagePullDeps,
} from '../../ingest/index.ts';
import type { ComparisonSource, StoredComparison } from '../../warehouse/index.ts';
import { contradictionOf } from './empty-usage.ts';
import type { JobContext } from '../job-kind.ts';
import { compareLandedUsage, concludeComparing, type LandedReconciliation } from '../../reconcile/index.ts';

const sourceOf: Readonly<Record<string, ComparisonSource>> = {
  model: 'usage by model',
  token: 'usage by key',
};

/** How often a run requests a range again whose usage stays below the log. */
const maxRounds = 2;

/** Stores windows that did not land as comparisons, so that every list of gaps shows them. */
const asComparisons = async (
  open: readonly OpenUsageWindow[],
  granularity: UsagePull['granularity'],
  context: JobContext,
): Promise<readonly StoredComparison[]> => {
  const found: StoredComparison[] = [];
  for (const { dimension, window, reason } of open) {
    const source = sourceOf[dimension];
    const contradiction = await contradictionOf(window, granularity, context);
    if (source === undefined || contradiction === undefined) continue;
    const { amount, range } = contradiction;
    found.push({
      source,
      range,
      ours: amount,
      theirs: zero,
      gap: subtractMoney(zero, amount),
      unit: context.account.currency,
      verdict: 'unexplained',
      text: `By ${dimension}, ${reason}: it has not landed, and is requested again with each run.`,
      comparedAt: context.clock.now(),
    });
  }
  if (found.length > 0) await context.warehouse.comparisons.put(context.account.name, found);
  return found;
};

/** Requests again the ranges whose last comparison, of any run, was below the log. */
export const requestShortUsage = async (
  request: UsagePull & UsagePullDeps,
  context: JobContext,
  budget: RequestBudget,
  isWanted: (source: ComparisonSource) => boolean = () => true,
): Promise<{ readonly windows: number; readonly open: readonly OpenUsageWindow[] }> => {
  const { account, warehouse, log } = context;
  const open: OpenUsageWindow[] = [];
  let windows = 0;
  const disputed = await warehouse.comparisons.disputed(account.name);
  for (const dimension of request.dimensions) {
    const source = sourceOf[dimension];
    if (source === undefined || !isWanted(source)) continue;
    for (const range of shortUsageRanges(disputed, source, account.currency)) {
      if (budget.left() < 1) break;
      const [from, to] = [toMillis(range.start), toMillis(range.end)];
      const series = {
        account: account.name,
        dimension,
        metric: request.metric,
        granularity: request.granularity,
      };
      const covered = await warehouse.usage.watermark(series);
      // The run's own plan covers windows that never landed.
      if (covered === undefined || from < covered.start || to > covered.end) continue;
      log.info('the usage export is short of the log: requesting it again', { dimension, from, to });
      const again = await pullUsage({ ...request, dimensions: [dimension], from, to });
      open.push(...again.open);
      windows += again.windows;
    }
  }
  return { windows, open };
};

/** Compares the usage that a run has landed with the log, and requests again what is below it. */
export const compareUsageLanded = async (
  startedAt: UnixMillis,
  request: UsagePull & UsagePullDeps,
  notLanded: readonly OpenUsageWindow[],
  context: JobContext,
  budget: RequestBudget,
): Promise<LandedReconciliation> => {
  const { dimensions, granularity } = request;
  const series = { dimensions, granularity };
  const open = [...notLanded];
  let compared = await compareLandedUsage(startedAt, series, context);
  for (let round = 0; round < maxRounds; round += 1) {
    const { found } = compared;
    const isShort = (source: ComparisonSource): boolean =>
      found.some(
        (one) =>
          one.source === source &&
          one.entry === undefined &&
          one.verdict === 'unexplained' &&
          mayHaveSign(one, -1, context.account.currency),
      );
    const again = await requestShortUsage(request, context, budget, isShort);
    open.push(...again.open);
    if (again.windows === 0) break;
    compared = await compareLandedUsage(startedAt, series, context);
  }
  const openFound = await asComparisons(open, granularity, context);
  return concludeComparing({ ...compared, found: [...compared.found, ...openFound] }, context);
};
