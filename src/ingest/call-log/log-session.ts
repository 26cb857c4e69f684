import {
  hasCode,
  type Clock,
  type Fault,
  type GatewayProfile,
  type Interval,
  type Log,
  type Progress,
  type UnixSeconds,
} from '../../core/index.ts';
import type { Warehouse } from '../../warehouse/index.ts';
import { askForWindows, freshAskState, lengthOf, windowText, type KnownRowCap } from './ask-logs.ts';
import { logExportName, probeLogExport, type FetchDeps } from './fetch-logs.ts';
import { landFetched, type BadRows, type LandedLogs } from './land-logs.ts';
import { learnLogs } from '../format/learn-logs.ts';
import { createLogObservations, type ObservationDeps } from '../format/log-observations.ts';
import type { PlannedWindow } from './log-plan.ts';
import type { RevisitRule } from './log-revisits.ts';
import { createPullMeter } from '../pull-meter.ts';
import { announceRetry, type RetryRead } from '../reread-export.ts';
import { breaksOff } from '../window-pace.ts';

/** What to pull. */
export type LogPull = {
  readonly account: string;
  readonly since: UnixSeconds;
  /** Now minus the lag. */
  readonly until: UnixSeconds;
  /**
   * A range to pull again, whatever landed before, cut to `since` and `until`. It never begins the covered range, but
   * extends one that it touches.
   */
  readonly from?: UnixSeconds | undefined;
  readonly to?: UnixSeconds | undefined;
  /** Which closed days are pulled again; none when omitted, or when a range is. */
  readonly revisit?: RevisitRule | undefined;
  readonly windowSeconds: number;
  readonly columns: 'detailed' | 'all' | readonly string[];
  readonly currency: 'USD' | 'CNY';
  readonly profile: GatewayProfile;
  /** Default: `fail`. */
  readonly badRows?: BadRows | undefined;
  /** How many windows are fetched while one lands; default: none. */
  readonly ahead?: number | undefined;
  /** Bytes on disk above which no window is fetched ahead; default 1 GB. */
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
  /** Called for a window that has stored rows, and none in any export. @throws unless these may be removed */
  readonly judgeEmptied?: (window: Interval<UnixSeconds>, found: Fault) => Promise<void>;
  /** How many more requests the run may make; unlimited when omitted. */
  readonly requestsLeft?: () => number;
};

/** A window that has landed. */
export type LandedWindowOf = LandedLogs & {
  readonly planned: PlannedWindow;
  /** Rows of the whole answer, which is slightly wider than the window. */
  readonly served: number;
  /** Rows that the window contained before. */
  readonly replaced: number;
};

/** Requests and landings of one run, based on what its first request showed of the gateway's exports. */
export type LogSession = {
  /** Lands windows in the order of the plan, each all or nothing; ends early when no requests are left. */
  readonly land: (
    plan: readonly PlannedWindow[],
    accept?: 'every' | 'uncapped',
  ) => AsyncGenerator<LandedWindowOf, void, undefined>;
  /** Rows after which the gateway ends an export; undefined while unknown, or when a longer export refuted it. */
  readonly rowCap: () => number | undefined;
  readonly learnRowCap: (rows: number) => void;
  /** Names of the columns requested last. */
  readonly columns: () => readonly string[];
  readonly bytes: () => number;
  /** Call it when the work ends, successful or not; further calls have no effect. */
  readonly end: () => Promise<void>;
};

const defaultSpoolBytes = 1_000_000_000;

/** How often a window is requested whose export turns out too short when it lands. */
const maxLandings = 3;

/**
 * Probes the log export at a moment and returns a session that lands its windows. @throws faults export-*, disk-full,
 * path-unwritable and those of fetchLogs.
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

  async function* land(
    plan: readonly PlannedWindow[],
    accept?: 'every' | 'uncapped',
    attempt = 1,
  ): AsyncGenerator<LandedWindowOf, void, undefined> {
    for await (const { planned, fetched, asked } of askForWindows(plan, deps, accept)) {
      const { window, why } = planned;
      const opensRange = why === 'new' || why === 'earlier';
      let landed: Awaited<ReturnType<typeof landFetched>>;
      try {
        landed = await landFetched(window, fetched, { ...request, opensRange }, request);
      } catch (error) {
        // An export whose total line or existing rows prove it too short may be complete on the next request.
        if (!breaksOff(error)) throw error;
        if (attempt < maxLandings) {
          announceRetry(logExportName, error, 0, request);
          yield* land([planned], accept, attempt + 1);
          continue;
        }
        if (!hasCode(error, 'export-emptied') || request.judgeEmptied === undefined) throw error;
        await request.judgeEmptied(window, error);
        landed = await landFetched(window, fetched, { ...request, opensRange, acceptsEmpty: true }, request);
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
