import { relative } from 'node:path';
import {
  messageOf,
  toMillis,
  unixMillis,
  type Interval,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import { createWatermarks, jobKinds, listReports } from '../../jobs/index.ts';
import type { AccountView, KeptReportsView } from '../../web/index.ts';
import type { Warehouse } from '../../warehouse/index.ts';
import { isBad } from '../../reconcile/index.ts';

/** Maximum numbers of listed gaps per account and of reports. */
const most = { gaps: 10, reports: 30 };

const inMillis = ({ start, end }: Interval<UnixSeconds>): Interval<UnixMillis> => ({
  start: toMillis(start),
  end: toMillis(end),
});

const data = createWatermarks(jobKinds);

const accountView = async (
  account: string,
  currency: string,
  config: Config,
  warehouse: Warehouse,
): Promise<AccountView> => {
  const log = await warehouse.logs.watermark(account);
  const sources: AccountView['sources'][number][] = [];
  for (const job of Object.values(config.jobs)) {
    if (job.account !== account || !data.bringsData(job)) continue;
    const watermark = await data.watermarkOf(job, { warehouse });
    sources.push({ job: job.name, kind: job.kind, watermark });
  }
  const newest = await warehouse.comparisons.newest(account);
  const gaps = (await warehouse.comparisons.gaps(account)).flatMap(({ state, ...gap }) =>
    state === 'healed' ? [] : [{ ...gap, state, range: inMillis(gap.range) }],
  );
  return {
    account,
    currency,
    ...(log === undefined ? {} : { log: inMillis(log) }),
    sources,
    compared: newest.map(({ entry: _entry, ...one }) => ({
      ...one,
      range: inMillis(one.range),
      bad: isBad(one.verdict),
    })),
    gaps: gaps.slice(-most.gaps).toReversed(),
    moreGaps: Math.max(0, gaps.length - most.gaps),
  };
};

export const accountViews = async (config: Config, warehouse: Warehouse): Promise<readonly AccountView[]> => {
  const views: AccountView[] = [];
  for (const [account, { currency }] of Object.entries(config.settings.accounts))
    views.push(await accountView(account, currency, config, warehouse));
  return views;
};

/** Newest first; an unreadable archive is reported and fails nothing. */
export const keptReports = async (folder: string): Promise<KeptReportsView> => {
  try {
    const { reports, damaged } = await listReports(folder, { limit: most.reports });
    return {
      newest: reports.map(
        ({ job, part, slot, zone, subject, period, builtAt, verdict, notSent, folder: own }) => ({
          job,
          part,
          slot: unixMillis(Date.parse(slot)),
          zone,
          subject,
          period: period.label,
          builtAt: unixMillis(Date.parse(builtAt)),
          verdict: { text: verdict.text, good: verdict.good },
          notSent,
          place: relative(folder, own),
        }),
      ),
      ...(damaged.length === 0
        ? {}
        : { problem: `${damaged.length} folders of the archive contain no readable report` }),
    };
  } catch (error) {
    return { newest: [], problem: messageOf(error) };
  }
};
