import { interval, unixSeconds } from '../base/index.ts';
import type { UnixSeconds } from '../base/index.ts';
import type { FetchMeans } from './fetch-logs.ts';
import { learnLogs } from './learn-logs.ts';
import { createLogLessons } from './log-lessons.ts';
import type { LessonMeans } from './log-lessons.ts';
import { receiveLogs } from './receive-logs.ts';
import { inSpoolFolder, openSpoolFile } from './spool-file.ts';
import { untilAborted } from './until-aborted.ts';

export type LogProbe = LessonMeans &
  FetchMeans & { readonly currency: 'USD' | 'CNY'; readonly signal: AbortSignal };

/**
 * Asks for an export of one second, up to `until`, writes down what its header teaches, and lands nothing. Gives the names
 * of its columns; none where an export without rows has no header. @throws faults export-* and those of fetchLogs.
 */
export const probeLogs = async (request: LogProbe): Promise<readonly string[]> => {
  const { until, signal, currency, log } = request;
  const first: UnixSeconds = unixSeconds(until - 1);
  const probed = await learnLogs(
    async (ask) =>
      inSpoolFolder(request.spoolDirectory, async (folder) => {
        const range = interval(ask.start, ask.end);
        const { body } = await request.fetchLogs({ ...range, columns: [], currency }, signal);
        return receiveLogs(
          untilAborted(body, signal),
          folder,
          request.openFile ?? openSpoolFile,
          () => undefined,
          request.profile.logExport,
        );
      }),
    first,
    until,
    log,
    request.profile.logExport,
  );
  await createLogLessons(probed, request).end();
  return probed.columns.map(({ name }) => name);
};
