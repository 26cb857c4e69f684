import { z } from 'zod';
import { startOfDay, toMillis, unixMillis } from '../base/index.ts';
import { date, duration } from '../config/index.ts';
import { planUsagePull, pullUsage } from '../ingest/index.ts';
import type { UsagePull } from '../ingest/index.ts';
import { defineJobKind } from './job-kind.ts';
import type { JobContext } from './job-kind.ts';
import { pullMeans } from './pull-means.ts';
import { count, span } from './words.ts';

const shape = z.strictObject({
  group_by: z
    .array(z.string().min(1))
    .min(1)
    .default(['model', 'token'])
    .describe('Dimensions, each pulled by itself: model, token, and what else the gateway offers.'),
  metric: z.string().min(1).default('spend').describe('What is counted; spend is the amount.'),
  granularity: z.enum(['hour', 'day', 'week']).default('day').describe('How long a bucket is.'),
  top_n: z.int().min(1).default(10_000).describe('How many entries are asked for; a cut tail is an error.'),
  since: date.describe('The first day to pull, in the zone of the job.'),
  lag: duration.prefault('10m').describe('How long figures may arrive late.'),
});

type PullUsage = z.output<typeof shape>;

const pullOf = (settings: PullUsage, context: JobContext): UsagePull => ({
  account: context.account.name,
  dimensions: settings.group_by,
  metric: settings.metric,
  granularity: settings.granularity,
  topN: settings.top_n,
  since: toMillis(startOfDay(settings.since, context.zone)),
  until: unixMillis(context.clock.now() - settings.lag),
  profile: context.account.profile,
});

/** Pulls usage analytics in windows of at most 180 days (gateway-api.md, Limits: about six months a query). */
export const pullUsageKind = defineJobKind({
  kind: 'pull-usage',
  description: 'Pulls the usage analytics of an account into the warehouse.',
  shape,
  run: async (settings, context) => {
    const { account, signal } = context;
    // A span may be cut shorter on the way, and an export be asked for twice: a window is what was answered.
    const answered = new Map<string, Set<number>>(settings.group_by.map((name) => [name, new Set()]));
    const pulled = await pullUsage({
      ...pullOf(settings, context),
      fetchUsage: async (query) => {
        const answer = await account.gateway.exportUsage(query, { signal });
        answered.get(query.groupBy)?.add(query.start);
        return answer;
      },
      ...pullMeans(context),
    });
    const windows = [...answered].map(([name, starts]) => `${count(starts.size, 'window')} by ${name}`);
    return {
      summary:
        pulled.windows === 0
          ? 'nothing to pull yet'
          : `${count(pulled.rows, 'figure')} landed, of ${windows.join(' and ')}`,
      figures: { windows: pulled.windows, rows: pulled.rows, bytes: pulled.bytes },
    };
  },
  plan: async (settings, context) => {
    const pull = pullOf(settings, context);
    const lines: string[] = [];
    for (const dimension of pull.dimensions) {
      const { account, metric, granularity } = pull;
      const covered = await context.warehouse.usage.reach({ account, dimension, metric, granularity });
      const request = { ...pull, cursor: covered?.end, origin: covered?.start };
      for (const window of planUsagePull(request)) {
        lines.push(`pull usage by ${dimension} ${span.millis(window, 'UTC')}`);
      }
    }
    return lines.length === 0 ? ['nothing to pull yet'] : lines;
  },
});
