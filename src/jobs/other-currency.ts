import { noProgress } from '../base/index.ts';
import type { Interval, UnixSeconds } from '../base/index.ts';
import { pullLogs } from '../ingest/index.ts';
import type { LogSums } from '../ingest/index.ts';
import { openWarehouse } from '../warehouse/index.ts';
import type { Warehouse } from '../warehouse/index.ts';
import type { JobContext } from './job-kind.ts';
import { logPullMeans } from './pull-means.ts';

/** The currency that the account is not kept in. */
export const otherCurrencyOf = ({ account }: JobContext): 'USD' | 'CNY' =>
  account.currency === 'USD' ? 'CNY' : 'USD';

/** Sums of the call log as the gateway gives it when it is asked anew. */
export type OtherLogs = AsyncDisposable & {
  /** Of the span in the currency; pulled when it is first asked for, and let go with the rest. */
  readonly of: (span: Interval<UnixSeconds>, currency: 'USD' | 'CNY') => Promise<LogSums>;
};

/**
 * The log in the currency that the account is not kept in: only the log export takes `currency`, so that the currency of
 * every other endpoint shows by comparing (gateway-api.md, GET /api/log/self/stream-export).
 */
export const openOtherLogs = (context: JobContext): OtherLogs => {
  const { account } = context;
  let opened: Promise<Warehouse> | undefined;
  const logs = new Map<string, Promise<LogSums>>();
  const pull = async (
    name: string,
    span: Interval<UnixSeconds>,
    currency: 'USD' | 'CNY',
  ): Promise<LogSums> => {
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
      ...logPullMeans(context),
      // Each pull is an account of its own there: what one learns of its amounts is not for another.
      account: name,
      since: span.start,
      until: span.end,
      windowSeconds: 31 * 86_400,
      columns: 'detailed',
      currency,
      profile: account.profile,
      warehouse: scratch,
      progress: noProgress,
    });
    return scratch.comparisons.totals(name, span);
  };
  return {
    of: async (span, currency) => {
      const key = `${account.name} ${span.start} ${span.end} ${currency}`;
      const known = logs.get(key) ?? pull(key, span, currency);
      logs.set(key, known);
      return known;
    },
    [Symbol.asyncDispose]: async () => {
      await (await opened)?.[Symbol.asyncDispose]();
    },
  };
};
