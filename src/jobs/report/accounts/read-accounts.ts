import {
  divideMoney,
  money,
  subtractMoney,
  sumMoney,
  type Interval,
  type Money,
  type UnixSeconds,
} from '../../../core/index.ts';
import type { Period } from '../../../reports/index.ts';
import { storedCurrency, type AccountSpend } from '../../../warehouse/index.ts';
import type { JobContext } from '../../job-kind.ts';
import { convert, rateOf } from './convert.ts';

/** Sources whose verdict is shown first. */
const sources = ['statistics', 'usage by model', 'usage by key', 'used_quota', 'balance'];

type Spent = { readonly spend: Money | undefined; readonly currency: string };

/** Consumption less refunds in the currency of the account; unknown while the unit of its amounts is not proven. */
const spendIn = async (
  { name, currency: declared }: { readonly name: string; readonly currency: string },
  { start, end }: Interval<UnixSeconds>,
  { warehouse, zone, signal }: JobContext,
): Promise<Spent> => {
  const request = { account: name, zone, bounds: [start, end], segments: new Set([0]), tokens: false };
  const { sums, isProven, currency = declared } = await warehouse.sums({ ...request, by: ['model'] }, signal);
  const spend = sumMoney(sums.model.map(({ charge, refunds }) => subtractMoney(charge, refunds)));
  return { spend: isProven ? spend : undefined, currency };
};

/** Each declared account in the period: its spend, that of the comparison, its verdict and watermark, and the amounts in the currency of the total. */
export const readAccounts = async (
  { interval: period, comparison }: Period,
  context: JobContext,
): Promise<readonly AccountSpend[]> => {
  const { account: job, accounts = { all: [], rates: {} }, warehouse } = context;
  const all = accounts.all.length > 0 ? accounts.all : [job];
  // Amounts of the report are in the currency of those stored for its account.
  const stored = await warehouse.logs.amounts(job.name);
  const totalCurrency = stored === undefined ? job.currency : storedCurrency(stored);
  const other = await warehouse.comparisons.units(job.name);
  const found: AccountSpend[] = [];
  for (const account of all) {
    context.signal.throwIfAborted();
    const covered = await warehouse.logs.watermark(account.name);
    const { spend, currency } = await spendIn(account, period, context);
    // A comparison that the log does not cover is unknown, not zero.
    const isCompared =
      comparison.days.length > 0 && covered !== undefined && covered.start <= comparison.interval.start;
    const before = isCompared ? (await spendIn(account, comparison.interval, context)).spend : undefined;
    const spendBefore =
      before === undefined || comparison.isAverage !== true
        ? before
        : divideMoney(before, money(String(comparison.days.length)), 12);
    const isKnown = covered !== undefined && covered.start <= period.start && covered.end > period.start;
    const rate = rateOf({
      from: currency,
      to: totalCurrency,
      declared: accounts.rates,
      own: await warehouse.comparisons.units(account.name),
      other,
    });
    const newest = (await warehouse.comparisons.newest(account.name))
      .filter(
        ({ entry, range }) => entry === undefined && range.start < period.end && range.end > period.start,
      )
      .toSorted((one, other) => sources.indexOf(one.source) - sources.indexOf(other.source))[0];
    const inTotal = (amount: Money | undefined): Money | undefined =>
      amount === undefined || rate === undefined ? undefined : convert(amount, rate);
    const known = isKnown ? spend : undefined;
    found.push({
      account: account.name,
      currency,
      spend: known,
      spendBefore,
      verdict: newest?.verdict,
      through: covered?.end,
      rate: rate?.rate,
      rateFrom: rate?.from,
      converted: inTotal(known),
      convertedBefore: inTotal(spendBefore),
    });
  }
  return found;
};
