import type { Clock, Log, Progress } from '../core/index.ts';
import type { Warehouse } from '../warehouse/index.ts';
import type { FetchLogs, LogQuery } from './call-log/fetch-logs.ts';
import type { RetryRead } from './reread-export.ts';

/** What a pull uses of the run that it is part of. */
export type PullContext = {
  readonly account: {
    readonly gateway: {
      readonly retryRead: RetryRead;
      readonly exportLogs: (
        query: LogQuery,
        options: { readonly signal: AbortSignal },
      ) => ReturnType<FetchLogs>;
    };
  };
  readonly warehouse: Warehouse;
  readonly spoolDirectory: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

/** The common dependencies of pulling either export. */
export const pullDeps = ({
  account,
  warehouse,
  spoolDirectory,
  clock,
  log,
  progress,
  signal,
}: PullContext) => ({
  retryRead: account.gateway.retryRead,
  warehouse,
  spoolDirectory,
  clock,
  log,
  progress,
  signal,
});

/** The same with the log export of the run's own account. */
export const logPullDeps = (context: PullContext) => ({
  ...pullDeps(context),
  fetchLogs: (query: LogQuery, signal: AbortSignal = context.signal) =>
    context.account.gateway.exportLogs(query, { signal }),
});
