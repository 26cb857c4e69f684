import { noProgress } from '../base/index.ts';
import type { Interval, UnixSeconds } from '../base/index.ts';
import { pullLogs } from '../ingest/index.ts';
import { openWarehouse } from '../warehouse/index.ts';
import type { Warehouse } from '../warehouse/index.ts';
import type { JobContext } from './job-kind.ts';
import { logPullMeans } from './pull-means.ts';

/** The currency that the account is not kept in. */
export const otherCurrencyOf = ({ account }: JobContext): 'USD' | 'CNY' =>
  account.currency === 'USD' ? 'CNY' : 'USD';

/** Sums of the call log as the gateway gives it when it is asked anew. */
export type OtherLog = Pick<Warehouse['comparisons'], 'totals'>;

export type OtherLogs = AsyncDisposable & {
  /** The log of the span in the currency; pulled when it is first asked for, and let go with the rest. */
  readonly of: (span: Interval<UnixSeconds>, currency: 'USD' | 'CNY') => Promise<OtherLog>;
};

/**
 * The log in the currency that the account is not kept in: only the log export takes `currency`, so that the currency of
 * every other endpoint shows by comparing (gateway-api.md, GET /api/log/self/stream-export).
 */
export const openOtherLogs = (context: JobContext): OtherLogs => {
  const { account } = context;
  const opened: Warehouse[] = [];
  const logs = new Map<string, Promise<OtherLog>>();
  const pull = async (span: Interval<UnixSeconds>, currency: 'USD' | 'CNY'): Promise<OtherLog> => {
    const scratch = await openWarehouse({
      path: ':memory:',
      memoryLimit: '256MB',
      threads: 2,
      spoolDirectory: context.spoolDirectory,
      clock: context.clock,
      log: context.log,
    });
    opened.push(scratch);
    await pullLogs({
      ...logPullMeans(context),
      account: account.name,
      since: span.start,
      until: span.end,
      windowSeconds: 31 * 86_400,
      columns: 'detailed',
      currency,
      profile: account.profile,
      warehouse: scratch,
      progress: noProgress,
    });
    return scratch.comparisons;
  };
  return {
    of: async (span, currency) => {
      const key = `${span.start} ${span.end} ${currency}`;
      const known = logs.get(key) ?? pull(span, currency);
      logs.set(key, known);
      return known;
    },
    [Symbol.asyncDispose]: async () => {
      for (const scratch of opened) await scratch[Symbol.asyncDispose]();
    },
  };
};
