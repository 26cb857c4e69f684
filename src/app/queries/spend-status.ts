import {
  dateAt,
  interval,
  startOfMonth,
  toMillis,
  toSeconds,
  unixSeconds,
  type UnixMillis,
} from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import { monthOutlook } from '../../jobs/index.ts';
import { dailySpend, sameInLastMonth, segmentsOfDays, spendDays } from '../../monitoring/index.ts';
import type { Warehouse } from '../../warehouse/index.ts';
import type { SpendView } from '../../web/index.ts';
import { costOwnersOf } from '../accounts/cost-owners.ts';

type SpendRequest = {
  readonly now: UnixMillis;
  /** Only the keys of this team. */
  readonly team?: string | undefined;
};

type SpendSource = Pick<Warehouse, 'logs' | 'sums' | 'rollup' | 'runs' | 'comparisons' | 'forecasts'>;

/** Spend of each account from the rollup of the call log, by day of the configured time zone. */
export type SpendReader = (
  config: Pick<Config, 'settings'>,
  request: SpendRequest,
) => Promise<readonly SpendView[]>;

const readAccount = async (
  account: string,
  { settings }: Pick<Config, 'settings'>,
  warehouse: SpendSource,
  { now, team }: SpendRequest,
): Promise<SpendView> => {
  const { timezone: zone } = settings;
  const currency = settings.accounts[account]?.currency ?? '';
  const log = await warehouse.logs.watermark(account);
  const nothing = { account, currency, zone, days: [], teams: [] };
  if (log === undefined) return nothing;
  const through = toMillis(log.end);
  const days = spendDays(toSeconds(now), zone);
  const cuts = { through: log.end, lastMonth: sameInLastMonth(log.end, days, zone) };
  const read = await warehouse.sums({ account, zone, ...segmentsOfDays(days, cuts) });
  if (!read.isProven) return { ...nothing, through };
  const costOwners = costOwnersOf(settings, account);
  const { teams } = costOwners;
  const outlook =
    // The chart is of the month that is under way.
    startOfMonth(dateAt(unixSeconds(log.end - 1), zone)) === startOfMonth(days.at(-1)?.date ?? '')
      ? await monthOutlook(
          { team, zone, end: log.end },
          { account: { name: account }, warehouse, costOwners },
        )
      : undefined;
  return {
    account,
    currency: read.currency ?? currency,
    zone,
    through,
    lastMonthThrough: toMillis(cuts.lastMonth),
    outlook,
    ...dailySpend(read.sums.key, days, cuts, { teams, team }),
  };
};

/** Views that are kept in memory; each team that someone looks at has its own. */
const mostKept = 64;

type Kept = { readonly view: SpendView; readonly state: string; readonly settings: Config['settings'] };

/**
 * Remembers spend until the calls, the watermark, the settings or the day change, or a job succeeds, which may prove or change the unit of
 * amounts: a page that many look at does not read the rollup each time.
 */
export const createSpendReader = (warehouse: SpendSource): SpendReader => {
  const kept = new Map<string, Kept>();
  const stateOf = async (account: string, zone: string, now: UnixMillis): Promise<string | undefined> => {
    const version = await warehouse.rollup.version(account);
    if (version === undefined) return undefined;
    const lastGood = Math.max(0, ...(await warehouse.runs.goodEnds()).values());
    const through = (await warehouse.logs.watermark(account))?.end ?? 0;
    return `${version} ${through} ${lastGood} ${dateAt(toSeconds(now), zone)}`;
  };
  return async (config, request) => {
    const { settings } = config;
    const { timezone: zone } = settings;
    const { now, team } = request;
    const views: SpendView[] = [];
    for (const account of Object.keys(settings.accounts)) {
      const name = JSON.stringify([account, team]);
      const known = kept.get(name);
      // Removes the marks of changes.
      const none = interval(toSeconds(now), toSeconds(now));
      await warehouse.rollup.refresh({ account, zone, range: none });
      const state = await stateOf(account, zone, now);
      if (known !== undefined && known.state === state && known.settings === settings) {
        views.push(known.view);
        continue;
      }
      const view = await readAccount(account, config, warehouse, request);
      views.push(view);
      kept.delete(name);
      // Calls that change while they are read leave nothing that is certain.
      if (state !== undefined && state === (await stateOf(account, zone, now)))
        kept.set(name, { view, state, settings });
      const [oldest] = kept.keys();
      if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
    }
    return views;
  };
};
