import { fault, isFault, noProgress, type Interval, type UnixSeconds } from '../core/index.ts';
import { logPullDeps, pullLogs } from '../ingest/index.ts';
import {
  isProven,
  openWarehouse,
  storedCurrency,
  type AccountAmounts,
  type Warehouse,
} from '../warehouse/index.ts';
import type { ReconcileContext } from './context.ts';
import type { LogSums } from './figures.ts';

export type CurrencyName = 'USD' | 'CNY';

/** The currency of the stored amounts: not always the requested one. */
export const currencyOfLog = (
  account: ReconcileContext['account'],
  amounts: AccountAmounts | undefined,
): CurrencyName => {
  if (amounts === undefined) return account.currency;
  return storedCurrency(amounts) === 'CNY' ? 'CNY' : 'USD';
};

export const otherCurrencyOf = (currency: CurrencyName): CurrencyName => (currency === 'USD' ? 'CNY' : 'USD');

/** Sums of the call log as the gateway exports it in another currency. */
export type OtherLogs = AsyncDisposable & {
  /**
   * For the range in the currency; pulled on first use, and disposed of with the rest. Undefined when the gateway
   * exports integer units, which are the same in any currency.
   */
  readonly of: (range: Interval<UnixSeconds>, currency: CurrencyName) => Promise<LogSums | undefined>;
};

/**
 * The log in the currency that the account does not use: only the log export takes `currency`, so a comparison shows
 * the currency of every other endpoint (docs/gateway.md G6.7).
 */
export const openOtherLogs = (context: ReconcileContext): OtherLogs => {
  const { account } = context;
  let opened: Promise<Warehouse> | undefined;
  const logs = new Map<string, Promise<LogSums | undefined>>();
  const pull = async (
    name: string,
    range: Interval<UnixSeconds>,
    currency: CurrencyName,
  ): Promise<LogSums | undefined> => {
    if ((await context.warehouse.logs.amounts(account.name))?.served === 'units') return undefined;
    opened ??= openWarehouse({
      path: ':memory:',
      memoryLimit: '256MB',
      threads: 2,
      spoolDirectory: context.spoolDirectory,
      clock: context.clock,
      log: context.log,
    });
    const scratch = await opened;
    await pullLogs({
      ...logPullDeps(context),
      // Each pull uses a separate account there, so that what one learns about its amounts does not affect another.
      account: name,
      since: range.start,
      until: range.end,
      windowSeconds: 31 * 86_400,
      columns: 'detailed',
      currency,
      profile: account.profile,
      warehouse: scratch,
      // A row that the stored log lacks too must not hide a gap: what quarantine leaves out is no part of either sum.
      badRows: 'quarantine',
      progress: noProgress,
    }).catch((error: unknown) => {
      if (!isFault(error) || !error.code.startsWith('export-')) throw error;
      // The reason goes into mailed reports, and the message of such a fault quotes a row.
      throw fault(error.code, `the call log in ${currency} cannot be read`, { cause: error });
    });
    const amounts = await scratch.logs.amounts(name);
    const isGiven = amounts === undefined || (isProven(amounts) && storedCurrency(amounts) === currency);
    return isGiven ? scratch.comparisons.totals(name, range) : undefined;
  };
  return {
    of: async (range, currency) => {
      const key = `${account.name} ${range.start} ${range.end} ${currency}`;
      const known = logs.get(key) ?? pull(key, range, currency);
      logs.set(key, known);
      return known;
    },
    [Symbol.asyncDispose]: async () => {
      await (await opened)?.[Symbol.asyncDispose]();
    },
  };
};
