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

/** Sums of the call log as the gateway gives it in the other currency. */
export type OtherLog = Pick<Warehouse['comparisons'], 'totals' | 'entries'>;

export type OtherLogs = AsyncDisposable & {
  /** The log of the span; pulled when it is first asked for, and let go with the rest. */
  readonly of: (span: Interval<UnixSeconds>) => Promise<OtherLog>;
};

/**
 * The log in the currency that the account is not kept in: only the log export takes `currency`, so that the currency of
 * every other endpoint shows by comparing (gateway-api.md, GET /api/log/self/stream-export).
 */
export const openOtherLogs = (context: JobContext): OtherLogs => {
  const { account } = context;
  const opened: Warehouse[] = [];
  const logs = new Map<string, Promise<OtherLog>>();
  const pull = async (span: Interval<UnixSeconds>): Promise<OtherLog> => {
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
      currency: otherCurrencyOf(context),
      profile: account.profile,
      warehouse: scratch,
      progress: noProgress,
    });
    return scratch.comparisons;
  };
  return {
    of: async (span) => {
      const key = `${span.start} ${span.end}`;
      const known = logs.get(key) ?? pull(span);
      logs.set(key, known);
      return known;
    },
    [Symbol.asyncDispose]: async () => {
      for (const scratch of opened) await scratch[Symbol.asyncDispose]();
    },
  };
};
