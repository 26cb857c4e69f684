import { errorFields, interval, isFault, unixSeconds } from '../base/index.ts';
import type { UnixMillis } from '../base/index.ts';
import { isBad, isGood, joinSpans } from '../ingest/index.ts';
import type { StoredComparison } from '../warehouse/index.ts';
import type { JobContext } from './job-kind.ts';
import { openOtherLogs } from './other-currency.ts';
import { nameFindings } from './reconcile-finding.ts';
import { keepComparisons } from './reconcile-span.ts';
import { compareStatistics } from './reconcile-statistics.ts';

/** A run that lands many islands of time compares the latest of them. */
const mostSpans = 4;

const everything = interval(unixSeconds(0), unixSeconds(100_000_000_000));

export type LandedReconciliation = {
  /** The worst verdict; missing where nothing was landed, or nothing could be compared. */
  readonly verdict?: string;
  /** What a person should know; missing while all is well. */
  readonly told?: string;
};

/**
 * Compares what a run has landed since it began with the statistics endpoint: one comparison of each unbroken stretch of
 * time, however many windows it came in. A comparison that fails is told and never fails the run.
 */
export const reconcileLanded = async (
  since: UnixMillis,
  context: JobContext,
): Promise<LandedReconciliation> => {
  const { account, warehouse, log, signal } = context;
  try {
    const landings = await warehouse.comparisons.landings(account.name, everything, since);
    const spans = joinSpans(landings.map(({ window }) => window)).slice(-mostSpans);
    await using others = openOtherLogs(context);
    const found: StoredComparison[] = [];
    for (const span of spans) {
      const finding = await compareStatistics(span, { context, others, thorough: false });
      found.push(...(await keepComparisons(nameFindings([finding]), context)));
    }
    const worst =
      found.find(({ verdict }) => isBad(verdict)) ??
      found.find(({ verdict }) => !isGood(verdict)) ??
      found[0];
    if (worst === undefined) return {};
    const { verdict, text, gap, unit } = worst;
    if (isGood(verdict)) return { verdict };
    log.warn('the call log does not add up to the statistics', { verdict, gap, unit, text });
    return { verdict, told: text };
  } catch (error) {
    signal.throwIfAborted();
    if (!isFault(error)) throw error;
    log.warn('what was landed could not be compared with the statistics', errorFields(error));
    return { told: `Not compared with the statistics: ${error.message}` };
  }
};
