import { addMoney, fault, hasCode, isFault, zero } from '../base/index.ts';
import type { Clock, GatewayProfile, Log, Money, Progress, UnixSeconds } from '../base/index.ts';
import type { Warehouse } from '../warehouse/index.ts';
import { explainRows } from './explain-rows.ts';
import { learnLogs } from './learn-logs.ts';
import { columnsToAsk, currencyOf, missingColumns } from './log-header.ts';
import { logBatch } from './log-batch.ts';
import { askForLogs, planLogPull, splitLogWindow } from './log-windows.ts';
import type { LogWindow } from './log-windows.ts';
import { receiveLogs, receiveProven } from './receive-logs.ts';
import type { ExportHabits, ReceivedLogs } from './receive-logs.ts';
import { inSpoolFolder, openSpoolFile } from './spool-file.ts';
import type { OpenSpoolFile } from './spool-file.ts';

/** One request to the log export; times in seconds UTC. */
export type LogQuery = {
  readonly start: UnixSeconds;
  readonly end: UnixSeconds;
  /** Empty asks for all columns that the gateway shows unasked. */
  readonly columns: readonly string[];
  readonly currency: 'USD' | 'CNY';
};

/** What to pull. */
export type LogPull = {
  readonly account: string;
  readonly since: UnixSeconds;
  /** Now less the lag. */
  readonly until: UnixSeconds;
  /** A span to pull again, whatever was landed before, cut to `since` and `until`. Opens no covered span, but widens one that it touches. */
  readonly from?: UnixSeconds | undefined;
  readonly to?: UnixSeconds | undefined;
  readonly windowSeconds: number;
  readonly columns: 'detailed' | 'all' | readonly string[];
  readonly currency: 'USD' | 'CNY';
  readonly profile: GatewayProfile;
};

export type LogPullMeans = {
  readonly fetchLogs: (
    query: LogQuery,
    signal?: AbortSignal,
  ) => Promise<{ readonly body: AsyncIterable<Uint8Array> }>;
  readonly warehouse: { readonly logs: Pick<Warehouse['logs'], 'landWindow' | 'reach' | 'takeBackFuture'> };
  readonly spoolDirectory: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
  readonly openFile?: OpenSpoolFile;
};

export type PullSummary = {
  readonly windows: number;
  /** Landed in all. */
  readonly rows: number;
  /** Sum of the amounts as served. */
  readonly quota: Money;
  /** Received. */
  readonly bytes: number;
  /** How far data reaches without a gap, seconds UTC. */
  readonly reached: UnixSeconds | undefined;
  /** Asked for. */
  readonly columns: readonly string[];
};

/** Hidden caps are round (gateway-field-notes.md, Log export): 10,000 or 50,000 rows and no word of it. */
const looksCapped = (served: number): boolean => served >= 10_000 && served % 10_000 === 0;

const momentText = (moment: UnixSeconds): string => new Date(moment * 1000).toISOString().slice(0, 19);
const windowText = ({ start, end }: LogWindow): string => `${momentText(start)} to ${momentText(end)} UTC`;

const checkColumns = (received: ReceivedLogs, pull: LogPull, log: Log): void => {
  const missing = missingColumns(received.columns, pull.columns);
  if (missing.needed.length > 0)
    throw fault(
      'export-column-missing',
      `the export lacks ${missing.needed.join(', ')}; its header is ${received.header.cells.join(',')}`,
    );
  const currency = currencyOf(received.columns);
  if (currency !== undefined && currency !== pull.currency)
    throw fault(
      'export-currency-changed',
      `the export names its amounts in ${currency}, where ${pull.currency} was asked for`,
    );
  if (missing.unknown.length > 0)
    log.warn('the export lacks columns; their figures are unknown', { columns: missing.unknown.join(',') });
};

/** What a pull of logs does with one window after the other. */
const pullWindow = async (
  window: LogWindow,
  pull: LogPull & { readonly opensSpan: boolean },
  asked: readonly string[],
  habits: ExportHabits,
  means: LogPullMeans,
  onBytes: (bytes: number) => void,
): Promise<{ readonly rows: number; readonly quota: Money } | 'capped'> =>
  inSpoolFolder(means.spoolDirectory, async (folder) => {
    const ask = askForLogs(window);
    const query = { ...ask, columns: asked, currency: pull.currency };
    const received = await receiveProven(async () => {
      const { body } = await means.fetchLogs(query, means.signal);
      return receiveLogs(body, folder, means.openFile ?? openSpoolFile, onBytes);
    }, habits);
    if (received !== undefined) checkColumns(received, pull, means.log);
    if (received !== undefined && looksCapped(received.served)) return 'capped';
    const batch = logBatch(window, ask, received, pull);
    const explain = async (error: unknown): Promise<never> => {
      if (!isFault(error) || !error.code.startsWith('export-') || received === undefined) throw error;
      throw (await explainRows(batch, received.header.lines)) ?? error;
    };
    if (received?.oddRecord !== undefined)
      await explain(
        fault('export-row-invalid', `row ${received.oddRecord} has another width than the header`),
      );
    const landed = await means.warehouse.logs.landWindow(batch, means.signal).catch(explain);
    means.log.info('call log window landed', {
      window: windowText(window),
      rows: landed.rows,
      replaced: landed.replaced,
      quota: landed.quota,
      bytes: received?.received ?? 0,
    });
    return landed;
  });

/**
 * Pulls the call log into the warehouse, window by window, each whole or not at all; never filtered by status, vendor or
 * model. Running again changes nothing. @throws faults export-*, disk-full, path-unwritable and those of fetchLogs.
 */
export const pullLogs = async (request: LogPull & LogPullMeans): Promise<PullSummary> => {
  const { warehouse, log, progress, signal, account } = request;
  const forced = request.from !== undefined || request.to !== undefined;
  await warehouse.logs.takeBackFuture(account);
  const covered = await warehouse.logs.reach(account);
  const pending = [...planLogPull({ ...request, cursor: covered?.end, origin: covered?.start })];
  const first = pending[0];
  if (first === undefined)
    return { windows: 0, rows: 0, quota: zero, bytes: 0, reached: covered?.end, columns: [] };

  let [windows, rows, bytes, quota] = [0, 0, 0, zero];
  const tell = (detail: string): void =>
    progress({
      step: 'pulling call logs',
      done: windows,
      total: windows + pending.length,
      rows,
      bytes,
      detail,
    });
  const onBytes = (count: number): void => {
    bytes += count;
  };
  const habits = await learnLogs(
    async (ask) =>
      inSpoolFolder(request.spoolDirectory, async (folder) => {
        const { body } = await request.fetchLogs({ ...ask, columns: [], currency: request.currency }, signal);
        return receiveLogs(body, folder, request.openFile ?? openSpoolFile, onBytes);
      }),
    first.start,
    request.until,
    log,
  );
  let [asked, ...instead] = columnsToAsk(habits.columns, request.columns, habits.endsLines);
  /** What is refused before anything has landed may be the names of columns: asked again with fewer. */
  const orAskForLess = (error: unknown): 'refused' => {
    const [next, ...others] = windows === 0 && hasCode(error, 'gateway-refused') ? instead : [];
    if (next === undefined) throw error;
    log.warn('the gateway refused the export; asking for fewer columns', { columns: next.join(',') });
    [asked, instead] = [next, others];
    return 'refused';
  };

  for (let window = pending[0]; window !== undefined; window = pending[0]) {
    signal?.throwIfAborted();
    tell(windowText(window));
    const landed = await pullWindow(
      window,
      { ...request, opensSpan: !forced },
      asked,
      habits,
      request,
      onBytes,
    ).catch(orAskForLess);
    if (landed === 'refused') continue;
    if (landed === 'capped') {
      const halves = splitLogWindow(window, request.profile);
      if (halves === undefined)
        throw fault(
          'export-capped',
          `the export of ${windowText(window)} looks capped and can be cut no further`,
        );
      log.info('a suspiciously round number of rows: asking again in halves', { window: windowText(window) });
      // What lies before the covered span is pulled from its end backwards: each window widens the span.
      const backwards = covered !== undefined && window.end <= covered.start;
      pending.splice(0, 1, ...(backwards ? halves.toReversed() : halves));
      continue;
    }
    pending.shift();
    windows += 1;
    rows += landed.rows;
    quota = addMoney(quota, landed.quota);
    tell(windowText(window));
  }
  const reached = (await warehouse.logs.reach(account))?.end;
  return { windows, rows, quota, bytes, reached, columns: asked };
};
