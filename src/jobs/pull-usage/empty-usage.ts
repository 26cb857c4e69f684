import {
  compareMoney,
  formatMoment,
  isFault,
  subtractMoney,
  toMillis,
  toSeconds,
  unixSeconds,
  zero,
  type Interval,
  type Money,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import type { JobContext } from '../job-kind.ts';
import { coveredPart } from '../../reconcile/index.ts';

const bucketSeconds = { hour: 3600, day: 86_400, week: 7 * 86_400 } as const;

export type Contradiction = {
  readonly source: string;
  readonly amount: Money;
  readonly range: Interval<UnixSeconds>;
};

const isCharged = (amount: Money | undefined): amount is Money =>
  amount !== undefined && compareMoney(amount, zero) > 0;

const byStatistics = async (
  range: Interval<UnixSeconds>,
  { account, signal }: JobContext,
): Promise<Money | undefined> => {
  try {
    const end = unixSeconds(range.end - 1);
    return (await account.gateway.statistics({ start: range.start, end }, { signal })).quota;
  } catch (error) {
    signal.throwIfAborted();
    if (!isFault(error)) throw error;
    return undefined;
  }
};

const byUsedQuota = async (
  range: Interval<UnixSeconds>,
  { account, warehouse }: JobContext,
): Promise<Money | undefined> => {
  const { start, end } = range;
  const read = await warehouse.snapshots.accountBetween(account.name, toMillis(start), toMillis(end));
  const [first, last] = [read[0], read.at(-1)];
  return first === undefined || last === undefined
    ? undefined
    : subtractMoney(last.usedQuota, first.usedQuota);
};

/** What contradicts a usage export without spend: the log, else the statistics, else the change of used_quota. */
export const contradictionOf = async (
  window: Interval<UnixMillis>,
  granularity: 'hour' | 'day' | 'week',
  context: JobContext,
): Promise<Contradiction | undefined> => {
  // Day boundaries may differ from the expected: the first charges may belong to a bucket before the window.
  const aside = granularity === 'hour' ? 0 : bucketSeconds[granularity];
  const [start, end] = [unixSeconds(toSeconds(window.start) + aside), toSeconds(window.end)];
  if (end <= start) return undefined;
  const range = { start, end };
  const logged = await coveredPart(range, context);
  if (logged !== undefined) {
    const { net } = await context.warehouse.comparisons.totals(context.account.name, logged);
    if (isCharged(net)) return { source: 'the call log', amount: net, range: logged };
    if (logged.start === start && logged.end === end) return undefined;
  }
  const counted = await byStatistics(range, context);
  if (isCharged(counted)) return { source: 'the statistics', amount: counted, range };
  if (counted !== undefined) return undefined;
  const used = await byUsedQuota(range, context);
  return isCharged(used) ? { source: 'the change of used_quota', amount: used, range } : undefined;
};

export const contradictionText = ({ source, amount, range }: Contradiction, zone: string): string =>
  `the usage export has no spend from ${formatMoment(range.start, zone)} to ${formatMoment(range.end, zone)}, where ${source} has ${amount}`;
