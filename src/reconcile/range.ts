import { errorFields, fault, isFault, unixSeconds, type Interval, type UnixSeconds } from '../core/index.ts';
import type { Comparison, StoredComparison } from '../warehouse/index.ts';
import type { ReconcileContext } from './context.ts';
import { openOtherLogs } from './other-currency.ts';
import { proveAmounts, unprovenAmounts } from './prove-amounts.ts';
import { nameFindings, type Finding } from './finding.ts';
import { compareSnapshots } from './snapshots.ts';
import { compareStatistics } from './statistics.ts';
import type { ReconcileDeps } from './total.ts';
import { compareUsage } from './usage.ts';
import { concludeComparisons } from './messages.ts';
import { isBad } from './verdict.ts';

type Range = Interval<UnixSeconds>;

/** A source that could not be compared, and why. */
export type NotCompared = { readonly source: string; readonly reason: string };

/** Whether it failed, or has no data to compare with. */
type Missing = NotCompared & { readonly failed: boolean };

/** Sources that are requested together. */
export type SourceGroup = 'statistics' | 'usage by model' | 'usage by key' | 'account';

export type Reconciled = {
  readonly comparisons: readonly StoredComparison[];
  readonly notCompared: readonly NotCompared[];
  /** The conclusion, in a sentence or two. */
  readonly conclusion: string;
  /** Rows of the range in quarantine, which are in no figure of the log. */
  readonly unread: number;
  /** Nothing is unexplained or truncated, and no row is in quarantine. */
  readonly good: boolean;
};

/** The part of the range that the log covers without a gap. */
export const coveredPart = async (
  range: Range,
  { account, warehouse }: ReconcileContext,
): Promise<Range | undefined> => {
  const covered = await warehouse.logs.watermark(account.name);
  if (covered === undefined) return undefined;
  const [start, end] = [Math.max(range.start, covered.start), Math.min(range.end, covered.end)];
  return end > start ? { start: unixSeconds(start), end: unixSeconds(end) } : undefined;
};

/** Stores the findings. */
const keepComparisons = async (
  comparisons: readonly Comparison[],
  { account, warehouse, clock }: ReconcileContext,
): Promise<readonly StoredComparison[]> => {
  const comparedAt = clock.now();
  const stored = comparisons.map((one) => ({ ...one, comparedAt }));
  await warehouse.comparisons.put(account.name, stored);
  return stored;
};

type Answer = { readonly findings: readonly Finding[]; readonly missing: readonly Missing[] };

const answerOf = (source: string, reason: string, findings: readonly Finding[]): Answer => ({
  findings,
  missing: findings.length === 0 ? [{ source, reason, failed: false }] : [],
});

const noUsage = 'no pulled usage lies in the time range';

const compareWith: Readonly<Record<SourceGroup, (range: Range, deps: ReconcileDeps) => Promise<Answer>>> = {
  statistics: async (range, deps) => ({ findings: [await compareStatistics(range, deps)], missing: [] }),
  'usage by model': async (range, deps) =>
    answerOf('usage by model', noUsage, await compareUsage(range, 'model', deps)),
  'usage by key': async (range, deps) =>
    answerOf('usage by key', noUsage, await compareUsage(range, 'key', deps)),
  account: async (range, deps) => {
    const { findings, withoutBalance } = await compareSnapshots(range, deps);
    const missing = 'no two snapshots enclose the time range or lie within it';
    const answer = answerOf('used_quota and balance', missing, findings);
    if (withoutBalance === undefined) return answer;
    return { ...answer, missing: [{ source: 'balance', reason: withoutBalance, failed: false }] };
  },
};

const groups: readonly SourceGroup[] = ['statistics', 'usage by model', 'usage by key', 'account'];

/** The figures of a source, or why it has none. @throws the reason of an aborted signal */
const ask = async (group: SourceGroup, range: Range, deps: ReconcileDeps): Promise<Answer> => {
  const { log, signal } = deps.context;
  try {
    return await compareWith[group](range, deps);
  } catch (error) {
    signal.throwIfAborted();
    if (!isFault(error)) throw error;
    const source = group === 'account' ? 'used_quota and balance' : group;
    log.warn('cannot compare a source with the log', { source, ...errorFields(error) });
    return { findings: [], missing: [{ source, reason: error.message, failed: true }] };
  }
};

/**
 * Compares the log over a range with these sources, assigns verdicts to the gaps all together, and stores each
 * comparison.
 */
export const compareRange = async (
  range: Range,
  deps: ReconcileDeps,
  asked: readonly SourceGroup[] = groups,
): Promise<{ readonly comparisons: readonly StoredComparison[]; readonly missing: readonly Missing[] }> => {
  if (!(await proveAmounts(range, deps.context)))
    return {
      comparisons: [],
      missing: asked.map((source) => ({ source, reason: unprovenAmounts, failed: false })),
    };
  const answers: Answer[] = [];
  for (const group of asked) answers.push(await ask(group, range, deps));
  const named = nameFindings(answers.flatMap(({ findings }) => findings));
  return {
    comparisons: await keepComparisons(named, deps.context),
    missing: answers.flatMap(({ missing }) => missing),
  };
};

/**
 * Compares the log over a range with every source: the statistics, requested now; the usage export by model and by key
 * and the account's snapshots, as stored. Each comparison is stored. A source that fails is reported, not thrown.
 */
export const reconcileRange = async (range: Range, context: ReconcileContext): Promise<Reconciled> => {
  await using others = openOtherLogs(context);
  const { comparisons, missing } = await compareRange(range, { context, others, thorough: true });
  const { account, warehouse } = context;
  const unread = (await warehouse.logs.quarantined(account.name, range)).length;
  const agrees = comparisons.length > 0 && !comparisons.some(({ verdict }) => isBad(verdict));
  return {
    comparisons,
    notCompared: missing.map(({ source, reason }) => ({ source, reason })),
    conclusion: concludeComparisons(comparisons, unread),
    unread,
    good: agrees && unread === 0,
  };
};

/** The same for the part that the log covers. @throws fault `wrong-use` when it covers nothing of the range */
export const reconcileCovered = async (
  range: Range,
  context: ReconcileContext,
): Promise<Reconciled & { readonly compared: Range }> => {
  const compared = await coveredPart(range, context);
  if (compared === undefined)
    throw fault('wrong-use', 'the call log has no data for this time range', {
      advice:
        'run a job of the kind pull-logs first (`tollkeeper run JOB`), or choose a time range that the call log covers',
    });
  return { ...(await reconcileRange(compared, context)), compared };
};
