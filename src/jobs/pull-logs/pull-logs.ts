import {
  dayMillis,
  startOfDay,
  toMillis,
  toSeconds,
  unixSeconds,
  countText,
  rangeText,
  type UnixSeconds,
} from '../../core/index.ts';
import { z } from 'zod';
import { date, duration, positiveDuration } from '../../config/index.ts';
import {
  createRequestBudget,
  openLogSession,
  planLatePulls,
  planLogWork,
  pullLogs,
  revisitsFrom,
  type LogPull,
  type LogSession,
  logPullDeps,
} from '../../ingest/index.ts';
import { backfilled, backfillNotes, inMillis, wholeSeconds } from '../pull/backfill.ts';
import { budgeted } from '../pull/budgeted.ts';
import { defineJobKind, type JobContext } from '../job-kind.ts';
import { judgeEmptied } from './emptied.ts';
import { knownRowCap, learnRowCap } from './row-cap.ts';
import { notifyOfResting } from './late-notice.ts';
import { noLatePulls, pullLateRows, startOfToday } from './pull-late.ts';
import {
  againText,
  amountText,
  capText,
  lateText,
  leftText,
  planLine,
  quarantineText,
  searchText,
  watermarkText,
} from './pull-texts.ts';
import { searchGaps } from './search-gaps.ts';
import { compareLanded, concludeComparing } from '../../reconcile/index.ts';

const shape = z.strictObject({
  columns: z
    .union([z.enum(['detailed', 'all']), z.array(z.string().min(1)).min(1)])
    .default('detailed')
    .describe(
      'Columns that are requested: detailed (all token and money columns, and every other column that the gateway offers), all, or a list of names.',
    ),
  since: date.describe('First day to pull, in the time zone of the job.'),
  lag: duration
    .prefault('10m')
    .describe('How late rows may arrive. Rows newer than this are left to the next run.'),
  revisit: z
    .array(positiveDuration)
    .max(10)
    .prefault(['1d', '2d'])
    .describe(
      'Ages, counted from the start of a day, at which a closed day is pulled again for late rows and refunds, once each. [] disables revisits.',
    ),
  bad_rows: z
    .enum(['fail', 'quarantine'])
    .default('fail')
    .describe(
      'What happens to a window with unreadable rows: it fails, or the other rows land and the unreadable ones are quarantined and excluded from all sums.',
    ),
  window: positiveDuration.prefault('31d').describe('Length of the time range of one request.'),
  max_requests: z
    .int()
    .min(20)
    .default(500)
    .describe(
      'Maximum number of requests per run. The next run continues with the remaining time range and the search for missing rows.',
    ),
});

export type PullLogs = z.output<typeof shape>;

/** Windows fetched while one lands, so that gateway and disk work in parallel; at most three requests are open. */
const ahead = 2;

const toSecondsOf = (millis: number): number => Math.floor(millis / 1000);

const pullOf = (settings: PullLogs, context: JobContext): LogPull => {
  const again = backfilled(context);
  const { start: from, end: to } = again === undefined ? {} : wholeSeconds(again);
  return {
    account: context.account.name,
    since: startOfDay(settings.since, context.zone),
    // Uses now and not the slot: a late run takes all settled rows.
    // Uses the gateway's clock, which stamps the rows and may differ from the local one.
    until: unixSeconds(
      toSeconds(context.warehouse.clocks.now(context.account.name)) - toSecondsOf(settings.lag),
    ),
    from,
    to,
    ...(again === undefined
      ? { revisit: { after: settings.revisit.map(toSecondsOf), zone: context.zone } }
      : {}),
    ahead,
    windowSeconds: Math.max(1, toSecondsOf(Math.min(settings.window, 366 * dayMillis))),
    columns: settings.columns,
    badRows: settings.bad_rows,
    currency: context.account.currency,
    profile: context.account.profile,
  };
};

/**
 * Pulls the call log into the warehouse: from `since`, then from the end of the last run, and closed days again once their
 * revisits are due (docs/gateway.md G16.2). A backfill pulls the whole seconds of its interval again, cut to `since` and the
 * lag.
 */
export const pullLogsKind = defineJobKind({
  kind: 'pull-logs',
  onlyForbid: true,
  backfillsRange: true,
  description: 'Pulls the call log of an account into the warehouse.',
  shape,
  run: async (settings, outer) => {
    const budget = createRequestBudget(settings.max_requests, outer.clock);
    const context = budgeted(outer, budget);
    const { account, trigger } = context;
    const again = trigger === 'backfill' ? ' again' : '';
    const startedAt = context.clock.now();
    for (const window of await context.warehouse.logs.correctAmounts(account.name))
      context.log.warn('amounts that were stored as currency were integer units, and are converted', {
        window: rangeText.seconds(window, 'UTC'),
      });
    const rowCap = await knownRowCap(context);
    const request = {
      ...pullOf(settings, context),
      ...logPullDeps(context),
      judgeEmptied: judgeEmptied(context),
      rowCap,
      // The next run does not continue a backfill.
      ...(backfilled(context) === undefined ? { requestsLeft: budget.left } : {}),
    };
    let session: LogSession | undefined;
    const openSession = async (first: UnixSeconds): Promise<LogSession> => {
      session ??= await openLogSession(request, first);
      return session;
    };
    const pulled = await pullLogs(request, openSession);
    const landed = await compareLanded(startedAt, context);
    const searched = await searchGaps({
      context,
      budget,
      openSession,
      rowCap: session === undefined ? rowCap?.rows : session.rowCap(),
    });
    const late =
      backfilled(context) === undefined ? await pullLateRows({ context, budget, openSession }) : noLatePulls;
    await notifyOfResting(context);
    await learnRowCap(rowCap?.rows, searched.rowCap, context);
    const compared = await concludeComparing(
      !searched.isChanged && !late.isChanged
        ? landed
        : await compareLanded(startedAt, context, [...searched.ranges, ...late.ranges]),
      context,
    );
    const message = compared.message === undefined ? '' : `. ${compared.message}`;
    const more = `${againText(pulled)}${searchText(searched)}${lateText(late)}${capText(searched.rowCap)}${leftText(pulled)}${quarantineText(pulled)}`;
    return {
      summary:
        pulled.windows === 0
          ? `nothing ${pulled.revisited === 0 ? '' : 'new '}to pull ${again === '' ? 'yet' : 'again'}${more}; ${watermarkText(pulled.watermark, context.zone)}${message}`
          : `${countText(pulled.rows, 'row')} of ${countText(pulled.windows, 'window')} landed${again}, ${amountText(pulled.quota, await context.warehouse.logs.amounts(account.name))}${more}; ${watermarkText(pulled.watermark, context.zone)}${message}`,
      figures: {
        windows: pulled.windows,
        rows: pulled.rows,
        bytes: pulled.bytes,
        quota: pulled.quota,
        revisited: pulled.revisited,
        restated: pulled.restated,
        quarantined: pulled.quarantined,
        watermark: pulled.watermark,
        compared: compared.verdict,
        requests: budget.taken(),
        requestedAgain: searched.exports,
        late: late.ranges.length,
        rowCap: searched.rowCap,
        columns: pulled.columns.join(','),
      },
    };
  },
  plan: async (settings, context) => {
    const { warehouse, zone } = context;
    const pull = pullOf(settings, context);
    const covered = await warehouse.logs.watermark(pull.account);
    const landings =
      pull.revisit === undefined || covered === undefined
        ? []
        : await warehouse.logs.landings(pull.account, revisitsFrom(covered, pull.revisit.after));
    const plan = planLogWork({ ...pull, cursor: covered?.end, origin: covered?.start, landings });
    const lines = plan.map((planned) => planLine(planned, zone));
    const again = backfilled(context);
    if (again === undefined) {
      const late = planLatePulls(await warehouse.comparisons.lagging(pull.account), {
        today: startOfToday(context),
        requests: settings.max_requests,
      });
      lines.push(
        ...late.map(
          ({ range }) =>
            `pull call logs again ${rangeText.seconds(range, zone)}, which lags behind the gateway`,
        ),
      );
      return lines.length === 0 ? ['nothing to pull: the warehouse reaches up to the lag'] : lines;
    }
    const bounds = inMillis({ since: pull.since, until: pull.until, watermark: covered?.end });
    return [
      ...(lines.length === 0 ? ['nothing to pull again'] : lines),
      ...backfillNotes(again, bounds, zone),
    ];
  },
  watermark: async (_, { account, warehouse }) => {
    const covered = await warehouse.logs.watermark(account);
    return covered === undefined ? undefined : toMillis(covered.end);
  },
});
