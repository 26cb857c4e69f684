import { addMoney, zero } from '../base/index.ts';
import type { Clock, GatewayProfile, Log, Money, Progress, UnixSeconds } from '../base/index.ts';
import type { Warehouse } from '../warehouse/index.ts';
import { askForWindows, lengthOf, windowText } from './ask-logs.ts';
import { probeLogExport } from './fetch-logs.ts';
import type { FetchMeans } from './fetch-logs.ts';
import { landFetched } from './land-logs.ts';
import type { BadRows } from './land-logs.ts';
import { learnLogs } from './learn-logs.ts';
import { createLogLessons } from './log-lessons.ts';
import type { LessonMeans } from './log-lessons.ts';
import { planLogWork } from './log-plan.ts';
import { revisitsFrom } from './log-revisits.ts';
import type { RevisitRule } from './log-revisits.ts';
import { createPullMeter } from './pull-meter.ts';
import type { RetryRead } from './reread-export.ts';

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
};

export type LogPullMeans = FetchMeans & {
  readonly warehouse: LessonMeans['warehouse'] & {
    readonly logs: Pick<Warehouse['logs'], 'landWindow' | 'landings' | 'reach' | 'takeBackFuture'>;
  };
  readonly clock: Clock;
  readonly log: Log;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
  readonly retryRead?: RetryRead;
};

export type PullSummary = {
  /** Windows that were new or ordered, their rows, and the sum of their amounts as served. */
  readonly windows: number;
  readonly rows: number;
  readonly quota: Money;
  /** Windows of closed days that were pulled again. */
  readonly revisited: number;
  /** Quarter hours landed before whose sums are others now. */
  readonly restated: number;
  /** Rows that could not be read and were put aside: they are in no sum. */
  readonly quarantined: number;
  /** Received. */
  readonly bytes: number;
  /** How far data reaches without a gap, seconds UTC. */
  readonly reached: UnixSeconds | undefined;
  /** Asked for. */
  readonly columns: readonly string[];
};

const usualSpoolBytes = 1_000_000_000;

/**
 * Pulls the call log into the warehouse, window by window, each whole or not at all and in the order of the plan; never
 * filtered by status, vendor or model. Running again changes nothing.
 * @throws faults export-*, disk-full, path-unwritable and those of fetchLogs.
 */
export const pullLogs = async (request: LogPull & LogPullMeans): Promise<PullSummary> => {
  const { warehouse, log, account, revisit } = request;
  await warehouse.logs.takeBackFuture(account);
  const covered = await warehouse.logs.reach(account);
  const landings =
    revisit === undefined || covered === undefined
      ? []
      : await warehouse.logs.landings(account, revisitsFrom(covered, revisit.after));
  const plan = planLogWork({ ...request, cursor: covered?.end, origin: covered?.start, landings });
  let [windows, rows, quota, revisited, restated, quarantined] = [0, 0, zero, 0, 0, 0];
  let columns: readonly string[] = [];
  const [first] = plan;
  if (first === undefined)
    return {
      windows,
      rows,
      quota,
      revisited,
      restated,
      quarantined,
      bytes: 0,
      reached: covered?.end,
      columns,
    };

  const meter = createPullMeter('pulling call logs', request);
  const { logExport } = request.profile;
  const probed = await learnLogs(
    async (ask) => probeLogExport(ask, request.currency, request, meter.received),
    first.window.start,
    request.until,
    log,
    logExport,
  );
  const { ahead = 0, spoolBytes = usualSpoolBytes } = request;
  const means = { ...request, ahead, spoolBytes, habits: probed, meter };
  const lessons = createLogLessons(probed, request);
  try {
    for await (const { planned, fetched, asked } of askForWindows(plan, means)) {
      const { window, why } = planned;
      const opensSpan = why === 'new' || why === 'earlier';
      const landed = await landFetched(window, fetched, { ...request, opensSpan }, request);
      columns = asked;
      await lessons.landed({ window, fetched, asked, rows: landed.rows, quota: landed.quota });
      restated += landed.restated;
      quarantined += landed.quarantined;
      if (why === 'revisit') revisited += 1;
      else [windows, rows, quota] = [windows + 1, rows + landed.rows, addMoney(quota, landed.quota)];
      meter.landed(landed.rows, lengthOf(planned));
      log.info(why === 'revisit' ? 'call log window landed again' : 'call log window landed', {
        window: windowText(window),
        rows: landed.rows,
        replaced: landed.replaced,
        quota: landed.quota,
        bytes: fetched.received?.received ?? 0,
        ...(landed.restated === 0 ? {} : { restated: landed.restated }),
        ...(landed.quarantined === 0 ? {} : { quarantined: landed.quarantined }),
        ...meter.fields(),
      });
    }
  } finally {
    await lessons.end();
  }
  const reached = (await warehouse.logs.reach(account))?.end;
  return { windows, rows, quota, revisited, restated, quarantined, bytes: meter.bytes(), reached, columns };
};
