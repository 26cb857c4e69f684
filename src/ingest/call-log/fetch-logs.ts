import { fault, type GatewayProfile, type Log, type UnixSeconds } from '../../core/index.ts';
import { missingColumns, type WantedColumns } from './log-header.ts';
import { askForLogs, type LogWindow } from './log-windows.ts';
import { receiveLogs, receiveProven, type ExportFormat, type ReceivedLogs } from './receive-logs.ts';
import { rereadExport, type RereadDeps } from '../reread-export.ts';
import { inSpoolFolder, makeSpoolFolder, openSpoolFile, type OpenSpoolFile } from './spool-file.ts';
import { untilAborted } from './until-aborted.ts';

/** One request to the log export; times in seconds UTC. */
export type LogQuery = {
  readonly start: UnixSeconds;
  readonly end: UnixSeconds;
  /** Empty requests all columns that the gateway serves by default. */
  readonly columns: readonly string[];
  readonly currency: 'USD' | 'CNY';
};

export type FetchLogs = (
  query: LogQuery,
  signal?: AbortSignal,
) => Promise<{ readonly body: AsyncIterable<Uint8Array> }>;

export type FetchDeps = {
  readonly fetchLogs: FetchLogs;
  readonly profile: Pick<GatewayProfile, 'logExport'>;
  readonly spoolDirectory: string;
  readonly openFile?: OpenSpoolFile | undefined;
};

/** The export of one window on disk, until it is disposed of. */
export type FetchedLogs = AsyncDisposable & {
  /** The requested range. */
  readonly ask: LogWindow;
  /** Undefined for an empty body. */
  readonly received: ReceivedLogs | undefined;
};

/** Requests a window and writes its export to its own folder, which is removed when it throws. */
export const fetchLogWindow = async (
  window: LogWindow,
  query: Pick<LogQuery, 'columns' | 'currency'> & { readonly exportFormat: ExportFormat },
  deps: FetchDeps,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<FetchedLogs> => {
  const { columns, currency, exportFormat } = query;
  const ask = askForLogs(window);
  const folder = await makeSpoolFolder(deps.spoolDirectory);
  try {
    const received = await receiveProven(async () => {
      const { body } = await deps.fetchLogs({ ...ask, columns, currency }, signal);
      const { openFile = openSpoolFile, profile } = deps;
      return receiveLogs(untilAborted(body, signal), folder.path, openFile, onBytes, profile.logExport);
    }, exportFormat);
    return { ask, received, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
  } catch (error) {
    await folder[Symbol.asyncDispose]();
    throw error;
  }
};

/** The name of the export in progress messages. */
export const logExportName = 'the call log export';

/**
 * Requests an export with all columns and reads it without storing it; repeats the request while its body breaks off.
 */
export const probeLogExport = async (
  ask: LogWindow,
  currency: 'USD' | 'CNY',
  deps: FetchDeps & RereadDeps,
  onBytes: (bytes: number) => void,
): Promise<ReceivedLogs | undefined> => {
  const { signal, openFile = openSpoolFile, profile } = deps;
  return rereadExport(
    logExportName,
    async () =>
      inSpoolFolder(deps.spoolDirectory, async (folder) => {
        const { body } = await deps.fetchLogs({ ...ask, columns: [], currency }, signal);
        const stream = signal === undefined ? body : untilAborted(body, signal);
        return receiveLogs(stream, folder, openFile, onBytes, profile.logExport);
      }),
    deps,
  );
};

/** @throws fault export-column-missing. */
export const checkColumns = (
  received: ReceivedLogs,
  pull: { readonly columns: WantedColumns },
  log: Log,
): void => {
  const missing = missingColumns(received.columns, pull.columns);
  if (missing.needed.length > 0)
    throw fault(
      'export-column-missing',
      `the export has no column ${missing.needed.join(', ')}; its header is ${received.header.cells.join(',')}`,
    );
  if (missing.unknown.length > 0)
    log.warn('the export is missing columns; their figures are unknown', {
      columns: missing.unknown.join(','),
    });
};
