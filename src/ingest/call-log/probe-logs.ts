import { interval, unixSeconds, type UnixSeconds } from '../../core/index.ts';
import { probeLogExport, type FetchDeps } from './fetch-logs.ts';
import { learnLogs } from '../format/learn-logs.ts';
import { createLogObservations, type ObservationDeps } from '../format/log-observations.ts';
import type { RereadDeps } from '../reread-export.ts';

export type LogProbe = ObservationDeps &
  FetchDeps &
  RereadDeps & { readonly currency: 'USD' | 'CNY'; readonly signal: AbortSignal };

/**
 * Requests an export of one second, up to `until`, records what its header shows, and lands nothing. Returns the names
 * of its columns; none when an export without rows has no header. @throws faults export-* and those of fetchLogs.
 */
export const probeLogs = async (request: LogProbe): Promise<readonly string[]> => {
  const { until, currency, log } = request;
  const first: UnixSeconds = unixSeconds(until - 1);
  const probed = await learnLogs(
    async (ask) => probeLogExport(interval(ask.start, ask.end), currency, request, () => undefined),
    first,
    until,
    log,
    request.profile.logExport,
  );
  await createLogObservations(probed, request).end();
  return probed.columns.map(({ name }) => name);
};
