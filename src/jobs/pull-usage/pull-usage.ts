import { z } from 'zod';
import {
  startOfDay,
  toMillis,
  toSeconds,
  unixMillis,
  countText,
  rangeText,
  type UnixMillis,
} from '../../core/index.ts';
import { date, duration } from '../../config/index.ts';
import {
  createRequestBudget,
  planUsagePull,
  pullUsage,
  type UsagePull,
  type UsagePullDeps,
  pullDeps,
} from '../../ingest/index.ts';
import { backfilled, backfillNotes } from '../pull/backfill.ts';
import { defineJobKind, type JobContext, type WatermarkContext } from '../job-kind.ts';
import { budgeted } from '../pull/budgeted.ts';
import { contradictionOf, contradictionText } from './empty-usage.ts';
import { compareUsageLanded, requestShortUsage } from './search-usage.ts';

const shape = z.strictObject({
  group_by: z
    .array(z.string().min(1))
    .min(1)
    .default(['model', 'token'])
    .describe('Dimensions, each pulled separately: model, token, and any other that the gateway offers.'),
  metric: z.string().min(1).default('spend').describe('Metric that is pulled; spend is the amount.'),
  granularity: z.enum(['hour', 'day', 'week']).default('day').describe('Length of a bucket.'),
  top_n: z
    .int()
    .min(1)
    .default(10_000)
    .describe('Number of entries that are requested. An answer that leaves entries out is an error.'),
  since: date.describe('First day to pull, in the time zone of the job.'),
  lag: duration.prefault('10m').describe('How late figures may arrive.'),
  max_requests: z
    .int()
    .min(20)
    .default(500)
    .describe(
      'Maximum number of requests per run before windows that must be requested again are left to the next run.',
    ),
});

type PullUsage = z.output<typeof shape>;

const pullOf = (settings: PullUsage, context: JobContext): UsagePull => ({
  account: context.account.name,
  dimensions: settings.group_by,
  metric: settings.metric,
  granularity: settings.granularity,
  topN: settings.top_n,
  since: toMillis(startOfDay(settings.since, context.zone)),
  // Uses now and not the slot: a late run takes all settled data.
  until: unixMillis(context.clock.now() - settings.lag),
  from: backfilled(context)?.start,
  to: backfilled(context)?.end,
  profile: context.account.profile,
});

/** The earliest end of the series that the job pulls; undefined when one of them was never pulled. */
const leastReach = async (
  { group_by, metric, granularity }: PullUsage,
  { account, warehouse }: Pick<WatermarkContext, 'account' | 'warehouse'>,
): Promise<UnixMillis | undefined> => {
  let least: UnixMillis | undefined;
  for (const dimension of group_by) {
    const covered = await warehouse.usage.watermark({ account, dimension, metric, granularity });
    if (covered === undefined) return undefined;
    if (least === undefined || covered.end < least) least = covered.end;
  }
  return least;
};

/**
 * Pulls usage analytics in windows of at most 180 days (docs/gateway.md G7.3: about six months per query). A backfill pulls the
 * buckets that its interval touches again, cut to `since` and the last bucket that is over.
 */
export const pullUsageKind = defineJobKind({
  kind: 'pull-usage',
  onlyForbid: true,
  description: 'Pulls the usage export of an account into the warehouse.',
  shape,
  run: async (settings, outer) => {
    const budget = createRequestBudget(settings.max_requests, outer.clock);
    const context = budgeted(outer, budget);
    const { account, signal, trigger } = context;
    const again = trigger === 'backfill';
    const startedAt = context.clock.now();
    // A range may be cut on the way and an export requested twice, so windows are counted by answers.
    const answered = new Map<string, Set<number>>(settings.group_by.map((name) => [name, new Set()]));
    const request: UsagePull & UsagePullDeps = {
      ...pullOf(settings, context),
      fetchUsage: async (query) => {
        const answer = await account.gateway.exportUsage(query, { signal });
        answered.get(query.groupBy)?.add(query.start);
        return answer;
      },
      contradiction: async (window, granularity) => {
        const found = await contradictionOf(window, granularity, context);
        return found === undefined ? undefined : contradictionText(found, context.zone);
      },
      ...pullDeps(context),
    };
    // Short ranges first, because the comparison of the next figures depends on them.
    const before =
      settings.metric === 'spend' && !again
        ? await requestShortUsage(request, context, budget)
        : { windows: 0, open: [] };
    const pulled = await pullUsage(request);
    const notLanded = [...before.open, ...pulled.open];
    const windows = [...answered].map(([name, starts]) => `${countText(starts.size, 'window')} by ${name}`);
    const compared =
      settings.metric === 'spend'
        ? await compareUsageLanded(startedAt, request, notLanded, context, budget)
        : {};
    const message = compared.message === undefined ? '' : `. ${compared.message}`;
    const open = notLanded.map(
      ({ dimension, reason }) => `; by ${dimension}, ${reason}: it is requested again with the next run`,
    );
    return {
      summary:
        pulled.windows === 0
          ? `nothing ${open.length === 0 ? `to pull ${again ? 'again' : 'yet'}` : 'landed'}${open.join('')}${message}`
          : `${countText(pulled.rows, 'figure')} landed${again ? ' again' : ''}, of ${windows.join(' and ')}${open.join('')}${message}`,
      figures: {
        windows: pulled.windows,
        rows: pulled.rows,
        bytes: pulled.bytes,
        open: notLanded.length,
        compared: compared.verdict,
      },
    };
  },
  plan: async (settings, context) => {
    const pull = pullOf(settings, context);
    const again = backfilled(context);
    const lines: string[] = [];
    for (const dimension of pull.dimensions) {
      const { account, metric, granularity } = pull;
      const covered = await context.warehouse.usage.watermark({ account, dimension, metric, granularity });
      const request = { ...pull, cursor: covered?.end, origin: covered?.start };
      for (const window of planUsagePull(request)) {
        const suffix = again === undefined ? '' : ' again';
        const isStored = covered !== undefined && again === undefined && window.start < covered.end;
        const late = isStored
          ? `, what lies before ${rangeText.moment(toSeconds(covered.end), 'UTC')} again, for late figures`
          : '';
        lines.push(`pull usage by ${dimension}${suffix} ${rangeText.millis(window, 'UTC')}${late}`);
      }
    }
    if (again === undefined) return lines.length === 0 ? ['nothing to pull yet'] : lines;
    const watermark = await leastReach(settings, { ...context, account: pull.account });
    const notes = backfillNotes(again, { since: pull.since, until: pull.until, watermark }, context.zone);
    return [...(lines.length === 0 ? ['nothing to pull again'] : lines), ...notes];
  },
  watermark: leastReach,
});
