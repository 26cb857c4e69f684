import {
  hourSeconds,
  type Log,
  type LogExportFormat,
  type UnixSeconds,
  fault,
  unixSeconds,
} from '../../core/index.ts';
import type { ExportFormat, ReceivedLogs } from '../call-log/receive-logs.ts';
import type { LogWindow } from '../call-log/log-windows.ts';

/** Requests an export with all columns and writes it to the spool. */
export type Probe = (ask: LogWindow) => Promise<ReceivedLogs | undefined>;

/** What an export without a column list shows. */
export type ProbedExport = ExportFormat & {
  /** The requested range. */
  readonly asked: LogWindow;
  /** Lines before the header; undefined without a header. */
  readonly titleLines: number | undefined;
};

const probed = (
  asked: LogWindow,
  seen: ReceivedLogs | undefined,
  { totalLine }: LogExportFormat,
): ProbedExport => ({
  columns: seen?.columns ?? [],
  endsLines: seen?.ended ?? true,
  totalLine: totalLine ?? seen?.total !== undefined,
  emptyWithoutRows: seen === undefined,
  asked,
  titleLines: seen === undefined ? undefined : seen.header.lines - 1,
});

const same = (left: ReceivedLogs | undefined, right: ReceivedLogs | undefined): boolean =>
  left?.header.cells.join() === right?.header.cells.join() && left?.ended === right?.ended;

/**
 * Determines the format of a gateway's exports: an empty `columns` over one second returns the header, and shows
 * whether the last line has a line end (docs/gateway.md G6.2). A header without one is requested again, since it may be
 * truncated. If an export without rows is empty, the last hour is requested.
 */
export const learnLogs = async (
  probe: Probe,
  first: UnixSeconds,
  until: UnixSeconds,
  log: Log,
  format: LogExportFormat = {},
): Promise<ProbedExport> => {
  const ask = { start: first, end: unixSeconds(first + 1) };
  const seen = await probe(ask);
  if (seen === undefined) {
    const lastHour = { start: unixSeconds(Math.max(first, until - hourSeconds)), end: until };
    const recent = await probe(lastHour);
    log.debug('the gateway sends no header in exports without rows', { headerFound: recent !== undefined });
    return { ...probed(lastHour, recent, format), emptyWithoutRows: true };
  }
  if (seen.ended) return probed(ask, seen, format);
  const again = await probe(ask);
  // The first one was truncated, this one is not.
  if (again?.ended === true) return probed(ask, again, format);
  if (!same(seen, again)) throw fault('export-truncated', 'the export ended early in its header');
  return probed(ask, seen, format);
};
