import {
  errorFields,
  interval,
  isFault,
  unixSeconds,
  type Interval,
  type UnixMillis,
  type UnixSeconds,
} from '../core/index.ts';
import { joinRanges } from '../ingest/index.ts';
import type { StoredComparison } from '../warehouse/index.ts';
import type { ReconcileContext } from './context.ts';
import { openOtherLogs } from './other-currency.ts';
import { compareRange, coveredPart, type SourceGroup } from './range.ts';
import { isBad, isGood } from './verdict.ts';
import { judgeGaps } from './gaps.ts';

/** If a run lands more separate ranges than its revisits make, only the latest are compared. */
const maxRanges = 12;

const everything = interval(unixSeconds(0), unixSeconds(100_000_000_000));

export type LandedReconciliation = {
  /** The worst verdict; omitted when nothing landed, or nothing could be compared. */
  readonly verdict?: string;
  /** What operators should know; omitted while all is well. */
  readonly message?: string;
};

type Range = Interval<UnixSeconds>;
type Asked = { readonly range: Range; readonly groups: readonly SourceGroup[] };

/** Records new gaps, so that operators are notified after the run. */
const noteGaps = async (
  found: readonly StoredComparison[],
  { account, warehouse, clock }: ReconcileContext,
): Promise<void> => {
  const gaps = judgeGaps(found, await warehouse.comparisons.gaps(account.name), clock.now());
  if (gaps.length > 0) await warehouse.comparisons.noteGaps(account.name, gaps);
};

const concludeLanded = (
  found: readonly StoredComparison[],
  failures: readonly string[],
  { log }: ReconcileContext,
): LandedReconciliation => {
  const totals = found.filter(({ entry }) => entry === undefined);
  const worst =
    totals.find(({ verdict }) => isBad(verdict)) ??
    found.find(({ verdict }) => isBad(verdict)) ??
    totals.find(({ verdict }) => !isGood(verdict)) ??
    totals[0];
  const open = worst === undefined || isGood(worst.verdict) ? undefined : worst;
  if (open !== undefined) {
    const { source, verdict, gap, unit, text } = open;
    log.warn('the call log does not reconcile with another source', { source, verdict, gap, unit, text });
  }
  const message = [...(open === undefined ? [] : [open.text]), ...failures].join(' ');
  return {
    ...(worst === undefined ? {} : { verdict: worst.verdict }),
    ...(message === '' ? {} : { message }),
  };
};

/** The findings of a comparison, before operators are notified. */
export type LandedComparisons = {
  readonly found: readonly StoredComparison[];
  /** What could not be compared, one sentence each. */
  readonly failures: readonly string[];
};

/** A comparison that fails is reported and never fails the run. */
const compareAsked = async (
  asked: () => Promise<readonly Asked[]>,
  context: ReconcileContext,
): Promise<LandedComparisons> => {
  try {
    await using others = openOtherLogs(context);
    const deps = { context, others, thorough: false };
    const found: StoredComparison[] = [];
    const failures = new Set<string>();
    for (const { range, groups } of await asked()) {
      const { comparisons, missing } = await compareRange(range, deps, groups);
      found.push(...comparisons);
      for (const { source, reason, failed } of missing)
        if (failed) failures.add(`Not compared with ${source}: ${reason.replace(/\.$/, '')}.`);
    }
    return { found, failures: [...failures] };
  } catch (error) {
    context.signal.throwIfAborted();
    if (!isFault(error)) throw error;
    context.log.warn('the landed data could not be compared with other sources', errorFields(error));
    const reason = error.message.replace(/\.$/, '');
    return { found: [], failures: [`Not compared with other sources: ${reason}.`] };
  }
};

/** Records new gaps, and concludes. */
export const concludeComparing = async (
  { found, failures }: LandedComparisons,
  context: ReconcileContext,
): Promise<LandedReconciliation> => {
  await noteGaps(found, context);
  return concludeLanded(found, failures, context);
};

/**
 * Compares what a run has landed of the log since it began with the statistics, requested now, and with stored usage
 * and snapshots: each continuous range, however many windows it has, and further ranges.
 */
export const compareLanded = async (
  since: UnixMillis,
  context: ReconcileContext,
  further: readonly Range[] = [],
): Promise<LandedComparisons> => {
  const { account, warehouse } = context;
  return compareAsked(async () => {
    const landings = await warehouse.comparisons.landings(account.name, everything, since);
    const ranges = joinRanges([...landings.map(({ window }) => window), ...further]).slice(-maxRanges);
    return ranges.map((range) => ({
      range,
      groups: ['statistics', 'usage by model', 'usage by key', 'account'],
    }));
  }, context);
};

const groupOf: Readonly<Record<string, SourceGroup>> = { model: 'usage by model', token: 'usage by key' };

/** The same for the usage that a run has landed, compared with the log of its range. */
export const compareLandedUsage = async (
  since: UnixMillis,
  series: { readonly dimensions: readonly string[]; readonly granularity: string },
  context: ReconcileContext,
): Promise<LandedComparisons> => {
  const { account, warehouse } = context;
  const { dimensions, granularity } = series;
  return compareAsked(async () => {
    const asked = new Map<string, { readonly range: Range; readonly groups: SourceGroup[] }>();
    for (const dimension of dimensions) {
      const group = groupOf[dimension];
      if (group === undefined) continue;
      const landings = await warehouse.comparisons.usageLandings(
        account.name,
        { dimension, granularity },
        everything,
      );
      const landed = landings.filter(({ landedAt }) => landedAt >= since).map(({ window }) => window);
      for (const offsetPeriod of joinRanges(landed).slice(-maxRanges)) {
        const range = await coveredPart(offsetPeriod, context);
        if (range === undefined) continue;
        // By model and by key together, so that each can confirm the other.
        const key = `${range.start} ${range.end}`;
        const one = asked.get(key) ?? { range, groups: [] };
        one.groups.push(group);
        asked.set(key, one);
      }
    }
    return [...asked.values()];
  }, context);
};
