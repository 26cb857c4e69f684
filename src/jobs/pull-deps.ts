import type { LogExportQuery } from '../gateway/index.ts';
import type { JobContext } from './job-kind.ts';

/** What a pull of either export needs beside its request and the way to fetch it. */
export const pullDeps = ({
  account,
  warehouse,
  spoolDirectory,
  clock,
  log,
  progress,
  signal,
}: JobContext) => ({
  retryRead: account.gateway.retryRead,
  warehouse,
  spoolDirectory,
  clock,
  log,
  progress,
  signal,
});

/** The same with the log export of the run's own account. */
export const logPullDeps = (context: JobContext) => ({
  ...pullDeps(context),
  fetchLogs: (query: LogExportQuery, signal: AbortSignal = context.signal) =>
    context.account.gateway.exportLogs(query, { signal }),
});
