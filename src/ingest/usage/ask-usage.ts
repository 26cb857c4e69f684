import { dayMillis, fault, hasCode } from '../../core/index.ts';
import type { PullMeter } from '../pull-meter.ts';
import type { RereadDeps } from '../reread-export.ts';
import { askInOrder, type WindowLoop } from '../window-loop.ts';
import { afterAnswer, freshPace, looksCapped } from '../window-pace.ts';
import { fetchUsageWindow, windowText, type FetchUsage, type UsageQuery } from './fetch-usage.ts';
import type { ReceivedUsage } from './receive-usage.ts';
import { askForUsage, bucketsOf, cutUsage, type UsageWindow } from './usage-windows.ts';

/** A window of the plan; `group_by` accepts one dimension, so each is requested separately. */
export type PlannedUsage = { readonly dimension: string; readonly window: UsageWindow };

export const usageExportName = 'the usage export';

/** Some gateways refuse longer ranges (docs/gateway.md G7.3). */
const cautiousDays = 30;

/** The longest range of a request (docs/gateway.md G7.3). */
const mostDays = 180;

/** Whether the gateway may have ended it at a hidden cap, which may or may not count total rows. */
const isCapped = ({ table }: ReceivedUsage): boolean =>
  table !== undefined &&
  (looksCapped(table.rows) || (table.layout === 'long' && looksCapped(table.values.length)));

/** The length of the next request after an unanswered window, in days: half of it, or the common limit. */
const shorter = (error: unknown, asked: UsageWindow): number => {
  const days = (asked.end - asked.start) / dayMillis;
  const refused = hasCode(error, 'gateway-refused') || hasCode(error, 'gateway-http-error');
  return refused && days > cautiousDays ? cautiousDays : days / 2;
};

/**
 * Requests the windows and yields their exports in the order of the plan. What is put back into `pending` is requested
 * again.
 */
export const askForUsageWindows = (
  pending: PlannedUsage[],
  query: Pick<UsageQuery, 'metric' | 'granularity' | 'topN'> & { readonly zone: string },
  deps: RereadDeps & { readonly fetchUsage: FetchUsage; readonly meter: PullMeter },
): AsyncGenerator<readonly [PlannedUsage, ReceivedUsage], void, undefined> => {
  const { metric, granularity, topN, zone } = query;
  const { log, signal, meter } = deps;
  let longestDays = mostDays;
  let pace = freshPace;

  const fetch = async (dimension: string, window: UsageWindow): Promise<ReceivedUsage> =>
    fetchUsageWindow(
      window,
      { groupBy: dimension, metric, granularity, topN },
      zone,
      async (one) => deps.fetchUsage(one, signal),
      meter.received,
    );
  const cutFirst = (days: number): boolean => {
    const [planned] = pending;
    const parts = planned === undefined ? [] : cutUsage(planned.window, granularity, zone, days);
    if (planned === undefined || parts.length < 2) return false;
    pending.splice(0, 1, ...parts.map((window) => ({ dimension: planned.dimension, window })));
    return true;
  };
  const loop: WindowLoop<PlannedUsage, ReceivedUsage> = {
    exportName: usageExportName,
    pending,
    lengthOf: ({ window }) => window.end - window.start,
    textOf: ({ dimension, window }) => `by ${dimension}, ${windowText(window)}`,
    cutToPace: () => void cutFirst(longestDays),
    request: async ([{ dimension, window }]) => fetch(dimension, window),
    isWhole: async ({ dimension, window }, received) => {
      if (!isCapped(received)) {
        pace = afterAnswer(pace, window.end - window.start, received.table?.rows ?? 0);
        return true;
      }
      const days = shorter(undefined, askForUsage(window, granularity, zone));
      if (!cutFirst(days))
        throw fault(
          'export-capped',
          `the usage by ${dimension} of ${windowText(window)} appears truncated and cannot be split further`,
        );
      log.info('the number of rows suggests truncation; splitting the time range', { dimension, days });
      return false;
    },
    shortest: ({ dimension, window: { start, end } }) => {
      const bucket = { start, end: bucketsOf(granularity, zone).after(start) };
      return bucket.end < end ? async () => fetch(dimension, bucket) : undefined;
    },
    pace: () => pace,
    shorten: ({ dimension, window }, error, next) => {
      const days = shorter(error, askForUsage(window, granularity, zone));
      if (!cutFirst(days)) throw error;
      [pace, longestDays] = [next, days];
      log.info('the gateway did not answer for a long time range; splitting it', {
        dimension,
        window: windowText(window),
        days,
      });
    },
  };
  return askInOrder(loop, deps);
};
