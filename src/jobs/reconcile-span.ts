import { errorFields, fault, isFault, unixSeconds } from '../base/index.ts';
import type { Interval, UnixSeconds } from '../base/index.ts';
import { concludeComparisons, isBad } from '../ingest/index.ts';
import type { Comparison, StoredComparison } from '../warehouse/index.ts';
import type { JobContext } from './job-kind.ts';
import { openOtherLogs } from './other-currency.ts';
import { nameFindings } from './reconcile-finding.ts';
import type { Finding } from './reconcile-finding.ts';
import { compareSnapshots } from './reconcile-snapshots.ts';
import { compareStatistics } from './reconcile-statistics.ts';
import type { ReconcileMeans } from './reconcile-total.ts';
import { compareUsage } from './reconcile-usage.ts';

type Span = Interval<UnixSeconds>;

/** A source that could not be compared with, and why. */
export type NotCompared = { readonly source: string; readonly reason: string };

export type Reconciled = {
  readonly comparisons: readonly StoredComparison[];
  readonly notCompared: readonly NotCompared[];
  /** What it comes to, in a sentence or two. */
  readonly conclusion: string;
  /** Nothing is unexplained or truncated. */
  readonly good: boolean;
};

/** The part of the span that the log holds without a gap. */
export const heldPart = async (span: Span, { account, warehouse }: JobContext): Promise<Span | undefined> => {
  const covered = await warehouse.logs.reach(account.name);
  if (covered === undefined) return undefined;
  const [start, end] = [Math.max(span.start, covered.start), Math.min(span.end, covered.end)];
  return end > start ? { start: unixSeconds(start), end: unixSeconds(end) } : undefined;
};

/** Keeps what was found. */
export const keepComparisons = async (
  comparisons: readonly Comparison[],
  { account, warehouse, clock }: JobContext,
): Promise<readonly StoredComparison[]> => {
  const comparedAt = clock.now();
  const stored = comparisons.map((one) => ({ ...one, comparedAt }));
  await warehouse.comparisons.put(account.name, stored);
  return stored;
};

/** What a source says, or why it says nothing. @throws the reason of an aborted signal */
const ask = async (
  source: string,
  missing: string,
  compare: () => Promise<readonly Finding[]>,
  { log, signal }: JobContext,
): Promise<{ readonly findings: readonly Finding[]; readonly missing: readonly NotCompared[] }> => {
  try {
    const findings = await compare();
    return { findings, missing: findings.length === 0 ? [{ source, reason: missing }] : [] };
  } catch (error) {
    signal.throwIfAborted();
    if (!isFault(error)) throw error;
    log.warn('a source could not be compared with the log', { source, ...errorFields(error) });
    return { findings: [], missing: [{ source, reason: error.message }] };
  }
};

/**
 * Compares the log over a span with every source there is: the statistics, asked now; the usage export by model and by key
 * and the account's snapshots, as they are stored. Each comparison is stored. A source that fails is told, not thrown.
 */
export const reconcileSpan = async (span: Span, context: JobContext): Promise<Reconciled> => {
  await using others = openOtherLogs(context);
  const means: ReconcileMeans = { context, others, thorough: true };
  const noUsage = 'no usage that was pulled lies in the span';
  const asked = [
    await ask('statistics', '', async () => [await compareStatistics(span, means)], context),
    await ask('usage by model', noUsage, async () => compareUsage(span, 'model', means), context),
    await ask('usage by key', noUsage, async () => compareUsage(span, 'key', means), context),
    await ask(
      'used_quota and balance',
      'there are no two snapshots with the span between them, nor in it',
      async () => compareSnapshots(span, means),
      context,
    ),
  ];
  const named = nameFindings(asked.flatMap(({ findings }) => findings));
  const comparisons = await keepComparisons(named, context);
  return {
    comparisons,
    notCompared: asked.flatMap(({ missing }) => missing),
    conclusion: concludeComparisons(comparisons),
    good: comparisons.length > 0 && !comparisons.some(({ verdict }) => isBad(verdict)),
  };
};

/** The same of the part that the log holds. @throws fault `wrong-use` where it holds nothing of the span */
export const reconcileHeld = async (
  span: Span,
  context: JobContext,
): Promise<Reconciled & { readonly held: Span }> => {
  const held = await heldPart(span, context);
  if (held === undefined)
    throw fault('wrong-use', 'the call log holds nothing of this span', {
      advice: '`tollkeeper run` a job of the kind pull-logs first, or give a span that it has covered',
    });
  return { ...(await reconcileSpan(held, context)), held };
};
