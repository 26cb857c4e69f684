import { noProgress } from '../base/index.ts';
import type { Interval, UnixSeconds } from '../base/index.ts';
import { pullLogs } from '../ingest/index.ts';
import { openWarehouse } from '../warehouse/index.ts';
import type { Spend } from '../warehouse/index.ts';
import type { JobContext } from './job-kind.ts';
import { logPullMeans } from './pull-means.ts';

/**
 * The log's sums over an interval in the currency that the account is not kept in: only the log export takes `currency`,
 * so that the currency of every other endpoint shows by comparing (gateway-api.md, GET /api/log/self/stream-export).
 */
export const spendInOtherCurrency = async (
  period: Interval<UnixSeconds>,
  context: JobContext,
): Promise<Spend & { readonly name: string }> => {
  const { account } = context;
  const currency = account.currency === 'USD' ? 'CNY' : 'USD';
  await using scratch = await openWarehouse({
    path: ':memory:',
    memoryLimit: '256MB',
    threads: 2,
    spoolDirectory: context.spoolDirectory,
    clock: context.clock,
    log: context.log,
  });
  await pullLogs({
    ...logPullMeans(context),
    account: account.name,
    since: period.start,
    until: period.end,
    windowSeconds: 31 * 86_400,
    columns: 'detailed',
    currency,
    profile: account.profile,
    warehouse: scratch,
    progress: noProgress,
  });
  return { ...(await scratch.spend(account.name, period)), name: currency };
};
