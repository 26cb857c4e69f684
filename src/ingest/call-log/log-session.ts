import type { Clock, GatewayProfile, Log, Progress, UnixSeconds } from '../../core/index.ts';
import type { Warehouse } from '../../warehouse/index.ts';
import { askForWindows, freshAskState, lengthOf, windowText } from './ask-logs.ts';
import type { AnsweredWindow, KnownRowCap } from './ask-logs.ts';
import { logExportName, probeLogExport } from './fetch-logs.ts';
import type { FetchDeps } from './fetch-logs.ts';
import { landFetched } from './land-logs.ts';
import type { BadRows, LandedLogs } from './land-logs.ts';
import { learnLogs } from '../format/learn-logs.ts';
import { createLogObservations } from '../format/log-observations.ts';
import type { ObservationDeps } from '../format/log-observations.ts';
import type { PlannedWindow } from './log-plan.ts';
import type { RevisitRule } from './log-revisits.ts';
import { createPullMeter } from '../pull-meter.ts';
import { announceRetry } from '../reread-export.ts';
import type { RetryRead } from '../reread-export.ts';
import { breaksOff } from '../window-pace.ts';

/** What to pull. */
export type LogPull = {
  readonly account: string;
  readonly since: UnixSeconds;
  /** Now less the lag. */
  readonly until: UnixSeconds;
  /** A span to pull again, whatever was landed before, cut to `since` and `until`. Opens no covered span, but widens one that it touches. */
  readonly from?: UnixSeconds | undefined;
  readonly to?: UnixSeconds | undefined;
  /** Which closed days are pulled again; none when left out, nor while a span is. */
  readonly revisit?: RevisitRule | undefined;
  readonly windowSeconds: number;
  readonly columns: 'detailed' | 'all' | readonly string[];
  readonly currency: 'USD' | 'CNY';
  readonly profile: GatewayProfile;
  /** `fail` when left out. */
  readonly badRows?: BadRows | undefined;
  /** How many windows are fetched while one is landed; none when left out. */
  readonly ahead?: number | undefined;
  /** Bytes on disk from which on nothing more is fetched ahead; 1 GB when left out. */
  readonly spoolBytes?: number | undefined;
  readonly rowCap?: KnownRowCap | undefined;
};

export type LogPullDeps = FetchDeps & {
  readonly warehouse: ObservationDeps['warehouse'] & {
    readonly logs: Pick<Warehouse['logs'], 'landWindow' | 'landings' | 'watermark' | 'removeFutureRows'>;
  };
  readonly clock: Clock;
  readonly log: Log;
  readonly progress: Progress;
  readonly signal?: AbortSignal | undefined;
  readonly retryRead?: RetryRead;
  /** How many more requests the run may make; any number where it is missing. */
  readonly requestsLeft?: () => number;
};

/** A window that has landed. */
export type LandedWindowOf = LandedLogs & {
  readonly planned: PlannedWindow;
  /** Rows of the whole answer, which is a little wider than the window. */
  readonly served: number;
  /** Rows that the window held before. */
  readonly replaced: number;
};

/** Requests and landings of one run, over what its first request has shown of the gateway's exports. */
export type LogSession = {
  /** Lands windows in the order of the plan, each whole or not at all; ends early where no requests are left. */
  readonly land: (
    plan: readonly PlannedWindow[],
    accept?: 'every' | 'uncapped',
  ) => AsyncGenerator<LandedWindowOf, void, undefined>;
  /** Rows after which the gateway ends an export; missing where none is known, or a longer export has refuted it. */
  readonly rowCap: () => number | undefined;
  readonly learnRowCap: (rows: number) => void;
  /** Names of the columns asked for last. */
  readonly columns: () => readonly string[];
  readonly bytes: () => number;
  /** To be called when the work ends, well or not; may be called again. */
  readonly end: () => Promise<void>;
};

const defaultSpoolBytes = 1_000_000_000;

/** How often one window is requested whose export turns out too short when it lands. */
const maxLandings = 3;

/**
 * Probes the log export at a moment and gives what lands windows of it. @throws faults export-*, disk-full, path-unwritable
 * and those of fetchLogs.
 */
export const openLogSession = async (
  request: LogPull & LogPullDeps,
  first: UnixSeconds,
): Promise<LogSession> => {
  const { log } = request;
  const meter = createPullMeter('pulling call logs', request);
  const probed = await learnLogs(
    async (ask) => probeLogExport(ask, request.currency, request, meter.received),
    first,
    request.until,
    log,
    request.profile.logExport,
  );
  const { ahead = 0, spoolBytes = defaultSpoolBytes } = request;
  const state = freshAskState({ ...request, exportFormat: probed });
  const deps = { ...request, ahead, spoolBytes, exportFormat: probed, meter, state };
  const observations = createLogObservations(probed, request);
  let columns: readonly string[] = [];

  async function* landAnswered(
    { planned, fetched, asked }: AnsweredWindow,
    accept: 'every' | 'uncapped' | undefined,
    attempt: number,
  ): AsyncGenerator<LandedWindowOf, void, undefined> {
    const { window, why } = planned;
    const opensRange = why === 'new' || why === 'earlier';
    let landed: Awaited<ReturnType<typeof landFetched>>;
    try {
      landed = await landFetched(window, fetched, { ...request, opensRange }, request);
    } catch (error) {
      // What its own total line, or the rows that are there, prove too short may be whole the next time.
      if (!breaksOff(error) || attempt >= maxLandings) throw error;
      announceRetry(logExportName, error, 0, request);
      for await (const answered of askForWindows([planned], deps, accept))
        yield* landAnswered(answered, accept, attempt + 1);
      return;
    }
    columns = asked;
    await observations.landed({ window, fetched, asked, ...landed });
    meter.landed(landed.rows, lengthOf(planned));
    log.info(why === 'revisit' ? 'landed a call log window again' : 'landed a call log window', {
      window: windowText(window),
      rows: landed.rows,
      replaced: landed.replaced,
      quota: landed.quota,
      bytes: fetched.received?.received ?? 0,
      ...(landed.restated === 0 ? {} : { restated: landed.restated }),
      ...(landed.quarantined === 0 ? {} : { quarantined: landed.quarantined }),
      ...meter.fields(),
    });
    yield { planned, served: fetched.received?.served ?? 0, ...landed };
  }
  async function* land(
    plan: readonly PlannedWindow[],
    accept?: 'every' | 'uncapped',
  ): AsyncGenerator<LandedWindowOf, void, undefined> {
    for await (const answered of askForWindows(plan, deps, accept)) yield* landAnswered(answered, accept, 1);
  }
  return {
    land,
    rowCap: () => state.rowCap,
    learnRowCap: (rows) => {
      state.rowCap = rows;
    },
    columns: () => columns,
    bytes: meter.bytes,
    end: observations.end,
  };
};
