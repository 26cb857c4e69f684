import {
  dayMillis,
  addMoney,
  fault,
  hasCode,
  sumMoney,
  toSeconds,
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
import { receiveUsage, type ReceivedUsage } from './receive-usage.ts';
import { createPullMeter } from '../pull-meter.ts';
import { announceRetry, type RetryRead } from '../reread-export.ts';
import { createUnansweredJudge } from '../unanswered-window.ts';
import {
  askForUsage,
  bucketsOf,
  cutUsage,
  planUsagePull,
  type Granularity,
  type UsageWindow,
} from './usage-windows.ts';
import { afterAnswer, freshPace, looksCapped, mayBeTooLong } from '../window-pace.ts';

/** One request to the usage export; times in milliseconds UTC. */
export type UsageQuery = {
  readonly start: UnixMillis;
  readonly end: UnixMillis;
  readonly groupBy: string;
  readonly metric: string;
  readonly granularity: Granularity;
  readonly topN: number;
};

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
  readonly fetchUsage: (
    query: UsageQuery,
    signal?: AbortSignal,
  ) => Promise<{ readonly body: AsyncIterable<Uint8Array> }>;
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

/** Some gateways refuse longer ranges (docs/gateway.md G7.3). */
const cautiousDays = 30;

const usageExportName = 'the usage export';

const windowText = ({ start, end }: UsageWindow): string =>
  `${new Date(start).toISOString().slice(0, 16)} to ${new Date(end).toISOString().slice(0, 16)} UTC`;

const inWindow = (values: readonly UsageValue[], window: UsageWindow): readonly UsageValue[] =>
  values.filter(({ bucket }) => bucket >= window.start && bucket < window.end);

/** Maximum shift of buckets that belong to another zone or week start; a larger one means that a time was misread. */
const aside: Readonly<Record<Granularity, number>> = {
  hour: dayMillis,
  day: 2 * dayMillis,
  week: 8 * dayMillis,
};

const checkTimes = (received: ReceivedUsage, asked: UsageWindow, granularity: Granularity): void => {
  const slack = aside[granularity];
  const far = received.table?.values.find(
    ({ bucket }) => bucket < asked.start - slack || bucket > asked.end + slack,
  );
  if (far !== undefined)
    throw fault(
      'export-timestamp-unreadable',
      `the usage export has a bucket at ${new Date(far.bucket).toISOString()}, far outside ${windowText(asked)}`,
    );
};

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

/** The values of the window whatever their order. */
const comparable = (received: ReceivedUsage, window: UsageWindow): string =>
  inWindow(received.table?.values ?? [], window)
    .map(({ bucket, entry, value }) => JSON.stringify([bucket, entry, value]))
    .toSorted((left, right) => left.localeCompare(right))
    .join();

/**
 * An export that is empty or has no final line end may be truncated: it is accepted when two requests return the same.
 */
const receiveWhole = async (
  fetch: () => Promise<ReceivedUsage>,
  window: UsageWindow,
): Promise<ReceivedUsage> => {
  const received = await fetch();
  if (received.ended) return received;
  const again = await fetch();
  if (again.ended || comparable(again, window) === comparable(received, window)) return again;
  throw fault(
    'export-truncated',
    `the usage export of ${windowText(window)} ended early: its last line has no line ending`,
  );
};

/** Whether the gateway may have ended it at a hidden cap, which may or may not count total rows. */
const isCapped = ({ table }: ReceivedUsage): boolean =>
  table !== undefined &&
  (looksCapped(table.rows) || (table.layout === 'long' && looksCapped(table.values.length)));

/** The length of the next request after an unanswered window, in days: half of it, or the common limit. */
const shorter = (error: unknown, asked: UsageWindow): number => {
  const days = (asked.end - asked.start) / dayMillis;
  const refused = hasCode(error, 'gateway-refused') || hasCode(error, 'gateway-http-error');
  return refused && days > cautiousDays ? cautiousDays : days / 2;
};

/**
 * Pulls the usage export into the warehouse, dimension by dimension and window by window, each all or nothing. A window
 * that is not answered because of its length, or looks capped, is split and requested again.
 * @throws faults usage-tail-cut, usage-layout-unknown, export-*, disk-full and those of fetchUsage.
 */
export const pullUsage = async (request: UsagePull & UsagePullDeps): Promise<UsageSummary> => {
  const { account, metric, granularity, topN, profile, warehouse, log, signal } = request;
  const zone = profile.usageZone;
  const buckets = bucketsOf(granularity, zone);
  const forced = request.from !== undefined || request.to !== undefined;
  const plans: { dimension: string; window: UsageWindow }[] = [];
  for (const dimension of request.dimensions) {
    const covered = await warehouse.usage.watermark({ account, dimension, metric, granularity });
    const windows = planUsagePull({ ...request, cursor: covered?.end, origin: covered?.start });
    plans.push(...windows.map((window) => ({ dimension, window })));
  }
  const meter = createPullMeter('pulling usage', request);
  let longestDays = 180;
  let pace = freshPace;
  const judge = createUnansweredJudge(usageExportName, request);
  let [windows, rows, quota] = [0, 0, zero];
  const open: OpenUsageWindow[] = [];
  let empty = 0;

  const fetch = async (dimension: string, window: UsageWindow): Promise<ReceivedUsage> => {
    const ask = askForUsage(window, granularity, zone);
    const received = await receiveWhole(async () => {
      const query = { ...ask, groupBy: dimension, metric, granularity, topN };
      const { body } = await request.fetchUsage(query, signal);
      const export_ = await receiveUsage(body, { dimension, metric, zone });
      meter.received(export_.bytes);
      return export_;
    }, window);
    checkTimes(received, ask, granularity);
    return received;
  };
  const cutFirst = (days: number): boolean => {
    const [planned] = plans;
    const parts = planned === undefined ? [] : cutUsage(planned.window, granularity, zone, days);
    if (planned === undefined || parts.length < 2) return false;
    plans.splice(0, 1, ...parts.map((window) => ({ dimension: planned.dimension, window })));
    return true;
  };
  /** Changes the next request, or throws. */
  const askForLess = async (dimension: string, window: UsageWindow, error: unknown): Promise<void> => {
    signal?.throwIfAborted();
    if (!mayBeTooLong(error)) throw error;
    const { start, end } = window;
    const bucket = { start, end: buckets.after(start) };
    const next = await judge({
      item: window,
      length: end - start,
      error,
      pace,
      shortest: bucket.end < end ? async () => fetch(dimension, bucket) : undefined,
    });
    if (next === 'again') return;
    const days = shorter(error, askForUsage(window, granularity, zone));
    if (next === 'not its length' || !cutFirst(days)) throw error;
    [pace, longestDays] = [next, days];
    log.info('the gateway did not answer for a long time range; splitting it', {
      dimension,
      window: windowText(window),
      days,
    });
  };

  for (let next = plans[0]; next !== undefined; next = plans[0]) {
    signal?.throwIfAborted();
    if (cutFirst(longestDays)) continue;
    const { dimension, window } = next;
    meter.left(
      plans.length,
      plans.reduce((sum, one) => sum + one.window.end - one.window.start, 0),
    );
    meter.at(`by ${dimension}, ${windowText(window)}`);
    let received: ReceivedUsage;
    try {
      received = await fetch(dimension, window);
    } catch (error) {
      await askForLess(dimension, window, error);
      continue;
    }
    if (isCapped(received)) {
      const days = shorter(undefined, askForUsage(window, granularity, zone));
      if (!cutFirst(days))
        throw fault(
          'export-capped',
          `the usage by ${dimension} of ${windowText(window)} appears truncated and cannot be split further`,
        );
      log.info('the number of rows suggests truncation; splitting the time range', { dimension, days });
      continue;
    }
    checkTail(received, request, dimension);
    const values = inWindow(received.table?.values ?? [], window);
    const isEmpty = metric === 'spend' && values.every(({ value }) => value === zero);
    const reason = isEmpty ? await request.contradiction?.(window, granularity) : undefined;
    if (reason !== undefined) {
      empty += 1;
      if (empty < maxEmpty) {
        announceRetry(usageExportName, fault('export-truncated', reason), 0, request);
        continue;
      }
      log.warn('an empty usage export contradicts other data; its window stays open', {
        dimension,
        window: windowText(window),
        reason,
      });
      open.push({ dimension, window, reason });
      // Later windows of the dimension would leave a gap.
      plans.splice(0, plans.length, ...plans.filter((plan) => plan.dimension !== dimension));
      empty = 0;
      continue;
    }
    empty = 0;
    pace = afterAnswer(pace, window.end - window.start, received.table?.rows ?? 0);
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
    plans.shift();
    windows += 1;
    rows += landed.rows;
    if (dimension === request.dimensions[0]) quota = addMoney(quota, landed.total);
    meter.landed(landed.rows, window.end - window.start);
    log.info('landed a usage window', {
      dimension,
      window: windowText(window),
      rows: landed.rows,
      ...meter.fields(),
    });
  }
  const reaches: UnixMillis[] = [];
  for (const dimension of request.dimensions) {
    const covered = await warehouse.usage.watermark({ account, dimension, metric, granularity });
    if (covered !== undefined) reaches.push(covered.end);
  }
  const earliest = reaches.toSorted((left, right) => left - right)[0];
  const whole = reaches.length === request.dimensions.length && earliest !== undefined;
  return {
    windows,
    rows,
    quota,
    bytes: meter.bytes(),
    watermark: whole ? toSeconds(earliest) : undefined,
    columns: request.dimensions,
    open,
  };
};
