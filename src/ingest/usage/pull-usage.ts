import {
  addMoney,
  fault,
  sumMoney,
  toSeconds,
  withDecimals,
  zero,
  type Clock,
  type GatewayProfile,
  type Log,
  type Money,
  type Progress,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import type { UsageValue, Warehouse } from '../../warehouse/index.ts';
import { createPullMeter } from '../pull-meter.ts';
import { announceRetry, type RetryRead } from '../reread-export.ts';
import { askForUsageWindows, usageExportName, type PlannedUsage } from './ask-usage.ts';
import { inWindow, windowText, type FetchUsage } from './fetch-usage.ts';
import type { ReceivedUsage } from './receive-usage.ts';
import { planUsagePull, type Granularity, type UsageWindow } from './usage-windows.ts';

/** What to pull. */
export type UsagePull = {
  readonly account: string;
  /** `group_by` accepts one, so each is requested separately. */
  readonly dimensions: readonly string[];
  readonly metric: string;
  readonly granularity: Granularity;
  /** The number of entries that the gateway returns; a full result is an error, never silently less data. */
  readonly topN: number;
  readonly since: UnixMillis;
  readonly until: UnixMillis;
  /**
   * A range to pull again, whatever landed before, cut to `since` and `until`. It never begins the covered range, but
   * extends one that it touches.
   */
  readonly from?: UnixMillis | undefined;
  readonly to?: UnixMillis | undefined;
  readonly revisitDays?: number;
  readonly profile: GatewayProfile;
};

export type UsagePullDeps = {
  readonly fetchUsage: FetchUsage;
  readonly warehouse: { readonly usage: Pick<Warehouse['usage'], 'landWindow' | 'watermark'> };
  readonly spoolDirectory: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly progress: Progress;
  readonly signal?: AbortSignal | undefined;
  readonly retryRead?: RetryRead;
  /** Called for an export without any spend: returns why it cannot be complete. */
  readonly contradiction?: (window: UsageWindow, granularity: Granularity) => Promise<string | undefined>;
};

/** A window that did not land, since other sources contradict every export of it. */
export type OpenUsageWindow = {
  readonly dimension: string;
  readonly window: UsageWindow;
  readonly reason: string;
};

export type UsageSummary = {
  readonly windows: number;
  readonly rows: number;
  /** Sum of the values of the first dimension: each dimension splits the same total. */
  readonly quota: Money;
  readonly bytes: number;
  /** The earliest watermark of all dimensions, seconds UTC. */
  readonly watermark: UnixSeconds | undefined;
  readonly columns: readonly string[];
  readonly open: readonly OpenUsageWindow[];
};

/** How often a window is requested whose exports have no spend although other sources have some. */
const maxEmpty = 3;

const checkTail = (received: ReceivedUsage, pull: UsagePull, dimension: string): void => {
  if (received.table === undefined) return;
  const { values, rests, shortBuckets } = received.table;
  const cut = (reason: string): never => {
    throw fault('usage-tail-cut', `usage by ${dimension}: ${reason} at top_n ${pull.topN}`);
  };
  if (rests.length > 0)
    cut(`${sumMoney(rests.map(({ value }) => value))} was combined into an entry for the rest`);
  if (shortBuckets.length > 0)
    cut(`the total of ${shortBuckets.length} buckets is larger than the sum of their entries`);
  const entries = new Set(values.map(({ entry }) => entry)).size;
  if (entries >= pull.topN) cut(`${entries} entries were returned`);
};

/** Amounts with more decimals than `gateway.round_amounts` allows, half to even. */
const rounded = (
  values: readonly UsageValue[],
  { metric, profile: { roundAmounts: decimals } }: Pick<UsagePull & UsagePullDeps, 'metric' | 'profile'>,
): readonly UsageValue[] =>
  decimals === undefined || metric !== 'spend'
    ? values
    : values.map((one) => ({ ...one, value: withDecimals(one.value, decimals) }));

/**
 * Pulls the usage export into the warehouse, dimension by dimension and window by window, each all or nothing. A window
 * that is not answered because of its length, or looks capped, is split and requested again.
 * @throws faults usage-tail-cut, usage-layout-unknown, export-*, disk-full and those of fetchUsage.
 */
export const pullUsage = async (request: UsagePull & UsagePullDeps): Promise<UsageSummary> => {
  const { account, dimensions, metric, granularity, profile, warehouse, log } = request;
  const forced = request.from !== undefined || request.to !== undefined;
  const coveredBy = async (dimension: string) =>
    warehouse.usage.watermark({ account, dimension, metric, granularity });
  const pending: PlannedUsage[] = [];
  for (const dimension of dimensions) {
    const covered = await coveredBy(dimension);
    const windows = planUsagePull({ ...request, cursor: covered?.end, origin: covered?.start });
    pending.push(...windows.map((window) => ({ dimension, window })));
  }
  const meter = createPullMeter('pulling usage', request);
  let [windows, rows, quota] = [0, 0, zero];
  const open: OpenUsageWindow[] = [];
  let empty = 0;
  const query = { ...request, zone: profile.usageZone };
  for await (const [planned, received] of askForUsageWindows(pending, query, { ...request, meter })) {
    const { dimension, window } = planned;
    checkTail(received, request, dimension);
    const values = rounded(inWindow(received.table?.values ?? [], window), request);
    const isEmpty = metric === 'spend' && values.every(({ value }) => value === zero);
    const reason = isEmpty ? await request.contradiction?.(window, granularity) : undefined;
    empty = reason === undefined ? 0 : empty + 1;
    if (reason !== undefined && empty < maxEmpty) {
      announceRetry(usageExportName, fault('export-truncated', reason), 0, request);
      pending.unshift(planned);
      continue;
    }
    if (reason !== undefined) {
      log.warn('an empty usage export contradicts other data; its window stays open', {
        dimension,
        window: windowText(window),
        reason,
      });
      open.push({ dimension, window, reason });
      // Later windows of the dimension would leave a gap.
      pending.splice(0, pending.length, ...pending.filter((plan) => plan.dimension !== dimension));
      empty = 0;
      continue;
    }
    const landed = await warehouse.usage.landWindow({
      account,
      dimension,
      metric,
      granularity,
      window,
      values,
      layout: received.table?.layout ?? 'empty',
      bytes: received.bytes,
      unitsPerCurrency: profile.unitsPerCurrency,
      opensRange: !forced,
    });
    windows += 1;
    rows += landed.rows;
    if (dimension === dimensions[0]) quota = addMoney(quota, landed.total);
    meter.landed(landed.rows, window.end - window.start);
    log.info('landed a usage window', {
      dimension,
      window: windowText(window),
      rows: landed.rows,
      ...meter.fields(),
    });
  }
  const ends: UnixMillis[] = [];
  for (const dimension of dimensions) {
    const covered = await coveredBy(dimension);
    if (covered !== undefined) ends.push(covered.end);
  }
  const [earliest] = ends.toSorted((left, right) => left - right);
  const whole = ends.length === dimensions.length && earliest !== undefined;
  return {
    windows,
    rows,
    quota,
    bytes: meter.bytes(),
    watermark: whole ? toSeconds(earliest) : undefined,
    columns: dimensions,
    open,
  };
};
