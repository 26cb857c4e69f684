import { toMillis, toSeconds, type UnixMillis } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import { dailySpend, segmentsOfDays, spendDays } from '../../monitoring/index.ts';
import type { Warehouse } from '../../warehouse/index.ts';
import type { SpendView } from '../../web/index.ts';
import { costOwnersOf } from '../cost-owners.ts';

type SpendRequest = {
  readonly now: UnixMillis;
  /** Only the keys of this team. */
  readonly team?: string | undefined;
};

const readAccount = async (
  account: string,
  { settings }: Pick<Config, 'settings'>,
  warehouse: Pick<Warehouse, 'logs' | 'sums'>,
  { now, team }: SpendRequest,
): Promise<SpendView> => {
  const { timezone: zone } = settings;
  const currency = settings.accounts[account]?.currency ?? '';
  const log = await warehouse.logs.watermark(account);
  const nothing = { account, currency, zone, days: [], teams: [] };
  if (log === undefined) return nothing;
  const through = toMillis(log.end);
  const days = spendDays(toSeconds(now), zone);
  const read = await warehouse.sums({ account, zone, ...segmentsOfDays(days) });
  if (!read.isProven) return { ...nothing, through };
  const { teams } = costOwnersOf(settings, account);
  return {
    account,
    currency: read.currency ?? currency,
    zone,
    through,
    ...dailySpend(read.cells, days, { teams, team }),
  };
};

/** Spend of each account from the rollup of the call log, by day of the configured time zone. */
export const readSpend = async (
  config: Pick<Config, 'settings'>,
  warehouse: Pick<Warehouse, 'logs' | 'sums'>,
  request: SpendRequest,
): Promise<readonly SpendView[]> => {
  const views: SpendView[] = [];
  for (const account of Object.keys(config.settings.accounts))
    views.push(await readAccount(account, config, warehouse, request));
  return views;
};
