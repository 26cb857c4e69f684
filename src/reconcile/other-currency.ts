import { noProgress } from '../core/index.ts';
import type { Interval, UnixSeconds } from '../core/index.ts';
import { logPullDeps, pullLogs } from '../ingest/index.ts';
import { isProven, openWarehouse, storedCurrency } from '../warehouse/index.ts';
import type { Warehouse } from '../warehouse/index.ts';
import type { ReconcileContext } from './context.ts';
import type { LogSums } from './figures.ts';

export type CurrencyName = 'USD' | 'CNY';

/** The currency that the stored amounts are worth something in: not always the one that is asked for. */
export const currencyOfLog = async ({ account, warehouse }: ReconcileContext): Promise<CurrencyName> => {
  const amounts = await warehouse.logs.amounts(account.name);
  if (amounts === undefined) return account.currency;
  return storedCurrency(amounts) === 'CNY' ? 'CNY' : 'USD';
};

export const otherCurrencyOf = (currency: CurrencyName): CurrencyName => (currency === 'USD' ? 'CNY' : 'USD');

/** Sums of the call log as the gateway gives it when it is asked again. */
export type OtherLogs = AsyncDisposable & {
  /**
   * Of the span in the currency; pulled when it is first asked for, and let go with the rest. Missing where the gateway
   * exports integer units, which are the same whatever currency is asked for.
   */
  readonly of: (range: Interval<UnixSeconds>, currency: CurrencyName) => Promise<LogSums | undefined>;
};

/**
 * The log in the currency that the account is not kept in: only the log export takes `currency`, so that the currency of
 * every other endpoint shows by comparing (docs/gateway.md G6.7).
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
      // Each pull is an account of its own there: what one learns of its amounts is not for another.
      account: name,
      since: range.start,
      until: range.end,
      windowSeconds: 31 * 86_400,
      columns: 'detailed',
      currency,
      profile: account.profile,
      warehouse: scratch,
      progress: noProgress,
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
