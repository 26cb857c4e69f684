import { isDeepStrictEqual } from 'node:util';
import { fault, hasCode, unixSeconds, type GatewayProfile } from '../../core/index.ts';
import { createFetchAhead } from './fetch-ahead.ts';
import {
  checkColumns,
  fetchLogWindow,
  logExportName,
  probeLogExport,
  type FetchedLogs,
  type FetchDeps,
} from './fetch-logs.ts';
import { columnsToAsk, type WantedColumns } from './log-header.ts';
import type { PlannedWindow } from './log-plan.ts';
import { cutLogWindow, splitLogWindow, type LogWindow } from './log-windows.ts';
import type { PullMeter } from '../pull-meter.ts';
import type { ExportFormat } from './receive-logs.ts';
import type { RereadDeps } from '../reread-export.ts';
import { askInOrder, type WindowLoop } from '../window-loop.ts';
import { afterAnswer, afterCap, freshPace, lengthAllowed, looksCapped, type Pace } from '../window-pace.ts';

export type AskDeps = FetchDeps &
  RereadDeps & {
    readonly columns: WantedColumns;
    readonly currency: 'USD' | 'CNY';
    readonly profile: GatewayProfile;
    readonly exportFormat: ExportFormat;
    /** How many windows are fetched while one lands. */
    readonly ahead: number;
    /** Bytes on disk above which no window is fetched ahead. */
    readonly spoolBytes: number;
    readonly meter: PullMeter;
    /** What one call learns about the gateway; the next call starts from it. */
    readonly state: AskState;
    /** How many more requests are allowed; unlimited when omitted. */
    readonly requestsLeft?: (() => number) | undefined;
  };

/** How windows are requested, according to the gateway's answers so far. */
export type AskState = {
  /** The columns that the gateway serves by default, the names to request, and the fallbacks when they are refused. */
  shown: ExportFormat['columns'];
  asked: readonly string[];
  instead: readonly (readonly string[])[];
  pace: Pace;
  answered: boolean;
  /** Rows after which the gateway ends an export, as earlier exports showed. */
  rowCap: number | undefined;
};

/** A cap that earlier pulls found, and the window length that stays below it. */
export type KnownRowCap = { readonly rows: number; readonly seconds?: number | undefined };

export const freshAskState = ({
  exportFormat,
  columns,
  profile,
  rowCap,
}: Pick<AskDeps, 'exportFormat' | 'columns' | 'profile'> & {
  readonly rowCap?: KnownRowCap | undefined;
}): AskState => {
  const [asked, ...instead] = columnsToAsk(
    exportFormat.columns,
    columns,
    exportFormat.endsLines,
    profile.logExport?.columns,
  );
  return {
    shown: exportFormat.columns,
    asked,
    instead,
    pace: { ...freshPace, dense: rowCap?.seconds ?? freshPace.dense },
    answered: false,
    rowCap: rowCap?.rows,
  };
};

/** A complete window; its export is on disk until the next one is requested. */
export type AnsweredWindow = {
  readonly planned: PlannedWindow;
  readonly fetched: FetchedLogs;
  /** The requested columns. */
  readonly asked: readonly string[];
};

/** `2026-01-01T00:00:00 to 2026-02-01T00:00:00 UTC`. */
export const windowText = ({ start, end }: LogWindow): string => {
  const text = (moment: number): string => new Date(moment * 1000).toISOString().slice(0, 19);
  return `${text(start)} to ${text(end)} UTC`;
};

export const lengthOf = ({ window }: PlannedWindow): number => window.end - window.start;

/** Time before the covered range is pulled backwards from its start: each window extends the range. */
const inOrder = ({ why }: PlannedWindow, pieces: readonly LogWindow[]): readonly PlannedWindow[] =>
  (why === 'earlier' ? pieces.toReversed() : pieces).map((window) => ({ window, why }));

/**
 * Requests the windows and yields their exports in the order of the plan. A window that is not answered because of its
 * length, or looks capped, is halved and requested again. @throws faults export-* and those of fetchLogs, in the turn
 * of the window.
 */
export async function* askForWindows(
  plan: readonly PlannedWindow[],
  deps: AskDeps,
  /** `every` accepts any row count as complete. */
  accept: 'every' | 'uncapped' = 'uncapped',
): AsyncGenerator<AnsweredWindow, void, undefined> {
  const { log, meter, profile, exportFormat, currency, signal, state } = deps;
  const never = new AbortController().signal;
  const pending = [...plan];

  const fetch = async (window: LogWindow, abort: AbortSignal, onBytes: (bytes: number) => void) =>
    fetchLogWindow(window, { columns: state.asked, currency, exportFormat }, deps, abort, onBytes);
  await using ahead = createFetchAhead({
    fetch: async ({ window }: PlannedWindow, abort, onBytes) =>
      fetch(window, abort, (bytes) => {
        onBytes(bytes);
        meter.received(bytes);
      }),
    spoolBytes: deps.spoolBytes,
    signal,
    onThrottled: (error) =>
      log.info('switching to one window at a time', {
        reason: hasCode(error, 'disk-full') ? 'the disk is full' : 'the gateway applies a rate limit',
      }),
  });
  /** Requests the columns that the gateway serves at the end of the window, if they differ from the earlier ones. */
  const askForShown = async ({ end }: LogWindow): Promise<boolean> => {
    const second = { start: unixSeconds(end - 1), end };
    const columns = (await probeLogExport(second, currency, deps, meter.received))?.columns;
    if (columns === undefined || isDeepStrictEqual(columns, state.shown)) return false;
    state.shown = columns;
    const names = profile.logExport?.columns;
    const [next, ...others] = columnsToAsk(columns, deps.columns, exportFormat.endsLines, names);
    log.warn('the gateway rejected the export and now offers other columns; requesting those', {
      columns: next.join(','),
    });
    [state.asked, state.instead, state.answered] = [next, others, false];
    // Windows fetched ahead were requested with the refused columns: new objects replace them.
    pending.splice(0, pending.length, ...pending.map((one) => ({ ...one })));
    return true;
  };
  const replace = (index: number, planned: PlannedWindow, pieces: readonly LogWindow[]): void => {
    pending.splice(index, 1, ...inOrder(planned, pieces));
  };
  const halve = (planned: PlannedWindow, otherwise: unknown): void => {
    const halves = splitLogWindow(planned.window, profile);
    if (halves === undefined) throw otherwise;
    replace(0, planned, halves);
  };
  /** Cuts a window to a length that is answered; returns whether it was cut. */
  const cutToPace = (index: number, planned: PlannedWindow): boolean => {
    const pieces = cutLogWindow(planned.window, lengthAllowed(state.pace), profile);
    if (pieces.length > 1) replace(index, planned, pieces);
    return pieces.length > 1;
  };
  /** Whether the export may be complete; if not, its halves are requested next. */
  const isWhole = (planned: PlannedWindow, served: number): boolean => {
    if (state.rowCap !== undefined && served > state.rowCap) state.rowCap = undefined;
    const isRound = looksCapped(served);
    const isCapped = accept === 'uncapped' && (isRound || served === state.rowCap);
    // Any count can match the cap by chance. A window that cannot be split lands, and its comparison shows what is
    // missing.
    if (!isCapped || (!isRound && splitLogWindow(planned.window, profile) === undefined)) {
      state.pace = afterAnswer(state.pace, lengthOf(planned), served, state.rowCap);
      return true;
    }
    const window = windowText(planned.window);
    halve(
      planned,
      fault('export-capped', `the export of ${window} appears truncated and cannot be split further`),
    );
    state.pace = afterCap(state.pace, lengthOf(planned));
    log.info('the export may be truncated; splitting the window in half', { window, rows: served });
    return false;
  };

  const requestsLeft = (): number => deps.requestsLeft?.() ?? Number.POSITIVE_INFINITY;
  const loop: WindowLoop<PlannedWindow, FetchedLogs> = {
    exportName: logExportName,
    pending,
    lengthOf,
    textOf: ({ window }) => windowText(window),
    cutToPace: () => {
      for (let index = 0; index <= deps.ahead; index += 1) {
        const next = pending[index];
        if (next !== undefined && !ahead.holds(next)) cutToPace(index, next);
      }
    },
    mayRequest: (planned) => requestsLeft() >= 1 || ahead.holds(planned),
    request: async (windows) => {
      const many = Math.max(0, Math.min(state.answered ? deps.ahead : 0, requestsLeft() - 1));
      return ahead.first(windows, many);
    },
    isWhole: async (planned, fetched) => {
      const { received } = fetched;
      let whole = false;
      try {
        if (received !== undefined) checkColumns(received, deps, log);
        state.answered = true;
        whole = isWhole(planned, received?.served ?? 0);
        return whole;
      } finally {
        if (!whole) await fetched[Symbol.asyncDispose]();
      }
    },
    changeFirst: async (planned, error) =>
      // It was started before a shorter one turned out to be too long.
      cutToPace(0, planned) ||
      (state.answered && hasCode(error, 'gateway-refused') && (await askForShown(planned.window))),
    changeInstead: (_, error) => {
      // If nothing was answered yet, the refusal may be due to the column names.
      const [fewer, ...others] = !state.answered && hasCode(error, 'gateway-refused') ? state.instead : [];
      if (fewer === undefined) return false;
      log.warn('the gateway rejected the export; requesting fewer columns', { columns: fewer.join(',') });
      [state.asked, state.instead] = [fewer, others];
      return true;
    },
    shortest:
      ({ window: { start } }) =>
      async () => {
        const second = { start, end: unixSeconds(start + 1) };
        await using _ = await fetch(second, signal ?? never, meter.received);
      },
    pace: () => state.pace,
    shorten: (planned, error, pace) => {
      halve(planned, error);
      state.pace = pace;
      const window = windowText(planned.window);
      log.info('the gateway did not answer for a long window; splitting it in half', { window });
    },
  };
  for await (const [planned, answer] of askInOrder(loop, deps)) {
    await using fetched = answer;
    yield { planned, fetched, asked: state.asked };
  }
}
