import { compareMoney, isFault, zero, type Interval, type UnixSeconds } from '../../core/index.ts';
import { compareStatistics, compareUsage, type Finding } from '../../reconcile/index.ts';
import type { JobContext } from '../job-kind.ts';

/**
 * Compares the log of a range with the statistics or, where these cannot be had, with the usage export; undefined where
 * neither has a sum of the whole range. @throws faults after which a later request may succeed
 */
export const compareWindow = async (
  range: Interval<UnixSeconds>,
  context: JobContext,
): Promise<Finding | undefined> => {
  const deps = { context, others: undefined, thorough: false };
  try {
    return await compareStatistics(range, deps);
  } catch (error) {
    context.signal.throwIfAborted();
    if (!isFault(error) || error.retryHelps) throw error;
    const [total] = await compareUsage(range, 'model', deps);
    const isWhole = total?.range.start === range.start && total.range.end === range.end;
    return isWhole ? total : undefined;
  }
};

/** Whether the log lacks rows, and no late rows explain it. */
export const isShort = ({ verdict, match }: Finding): boolean =>
  verdict === undefined && compareMoney(match.gap, zero) > 0;

/** Whether the log lacks rows that the gateway counts by now, whether they came late or not. */
export const isLagging = (found: Finding): boolean =>
  isShort(found) || (found.verdict === 'late data' && compareMoney(found.match.gap, zero) > 0);
