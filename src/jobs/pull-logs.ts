import { z } from 'zod';
import { startOfDay, toMillis, toSeconds, unixSeconds } from '../base/index.ts';
import type { UnixSeconds } from '../base/index.ts';
import { date, duration, positiveDuration } from '../config/index.ts';
import { planLogPull, pullLogs } from '../ingest/index.ts';
import type { LogPull } from '../ingest/index.ts';
import { backfilled, backfillNotes, inMillis, wholeSeconds } from './backfill.ts';
import { defineJobKind } from './job-kind.ts';
import type { JobContext } from './job-kind.ts';
import { logPullMeans } from './pull-means.ts';
import { count, span } from './words.ts';

const day = 86_400_000;

const shape = z.strictObject({
  columns: z
    .union([z.enum(['detailed', 'all']), z.array(z.string().min(1)).min(1)])
    .default('detailed')
    .describe(
      'Which columns are asked for: detailed (all token and money columns and whatever else there is), all, or names.',
    ),
  since: date.describe('The first day to pull, in the zone of the job.'),
  lag: duration
    .prefault('10m')
    .describe('How long rows may arrive late; what is younger is left for the next run.'),
  window: positiveDuration.prefault('31d').describe('How much one request asks for.'),
});

type PullLogs = z.output<typeof shape>;

const toSecondsOf = (millis: number): number => Math.floor(millis / 1000);

const pullOf = (settings: PullLogs, context: JobContext): LogPull => {
  const again = backfilled(context);
  const { start: from, end: to } = again === undefined ? {} : wholeSeconds(again);
  return {
    account: context.account.name,
    since: startOfDay(settings.since, context.zone),
    // What is settled is told by the clock: a run for an earlier slot takes what there is by now.
    until: unixSeconds(toSeconds(context.clock.now()) - toSecondsOf(settings.lag)),
    from,
    to,
    windowSeconds: Math.max(1, toSecondsOf(Math.min(settings.window, 366 * day))),
    columns: settings.columns,
    currency: context.account.currency,
    profile: context.account.profile,
  };
};

const reachText = (reached: UnixSeconds | undefined, zone: string): string =>
  reached === undefined ? 'nothing is landed yet' : `data now reaches ${span.moment(reached, zone)}`;

/**
 * Pulls the call log into the warehouse: from `since`, then from where the last run ended (gateway-api.md, Log export).
 * A backfill pulls the whole seconds of its interval again, cut to `since` and the lag.
 */
export const pullLogsKind = defineJobKind({
  kind: 'pull-logs',
  onlyForbid: true,
  description: 'Pulls the call log of an account into the warehouse.',
  shape,
  run: async (settings, context) => {
    const { account, trigger } = context;
    const again = trigger === 'backfill' ? ' again' : '';
    const pulled = await pullLogs({ ...pullOf(settings, context), ...logPullMeans(context) });
    return {
      summary:
        pulled.windows === 0
          ? `nothing to pull ${again === '' ? 'yet' : 'again'}; ${reachText(pulled.reached, context.zone)}`
          : `${count(pulled.rows, 'row')} of ${count(pulled.windows, 'window')} landed${again}, ${account.currency} ${pulled.quota} as served; ${reachText(pulled.reached, context.zone)}`,
      figures: {
        windows: pulled.windows,
        rows: pulled.rows,
        bytes: pulled.bytes,
        quota: pulled.quota,
        reached: pulled.reached,
        columns: pulled.columns.join(','),
      },
    };
  },
  plan: async (settings, context) => {
    const pull = pullOf(settings, context);
    const covered = await context.warehouse.logs.reach(pull.account);
    const plan = planLogPull({ ...pull, cursor: covered?.end, origin: covered?.start });
    const again = backfilled(context);
    if (again !== undefined) {
      const windows = plan.map((window) => `pull call logs again ${span.seconds(window, context.zone)}`);
      const bounds = inMillis({ since: pull.since, until: pull.until, reached: covered?.end });
      const notes = backfillNotes(again, bounds, context.zone);
      return [...(windows.length === 0 ? ['nothing to pull again'] : windows), ...notes];
    }
    if (plan.length === 0) return ['nothing to pull: the warehouse reaches up to the lag'];
    return plan.map((window) => `pull call logs ${span.seconds(window, context.zone)}`);
  },
  reach: async (_, { account, warehouse }) => {
    const covered = await warehouse.logs.reach(account);
    return covered === undefined ? undefined : toMillis(covered.end);
  },
});
