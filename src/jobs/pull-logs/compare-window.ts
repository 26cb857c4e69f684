import { isFault, type Interval, type UnixSeconds } from '../../core/index.ts';
import { compareStatistics, compareUsage, directionOf, type Finding } from '../../reconcile/index.ts';
import type { JobContext } from '../job-kind.ts';

/**
 * Compares the log with the statistics or, if unavailable, the usage export; undefined when neither has a sum of the range.
 * @throws faults after which a later request may succeed
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

/** The log lacks rows, and no late rows explain it. */
export const isShort = ({ verdict, match }: Finding): boolean =>
  verdict === undefined && directionOf(match) > 0;

/** The log lacks rows that the gateway counts by now, late or not. */
export const isLagging = (found: Finding): boolean =>
  isShort(found) || (found.verdict === 'late data' && directionOf(found.match) > 0);
