import {
  addDays,
  dateAt,
  interval,
  startOfDay,
  startOfWeek,
  toMillis,
  toSeconds,
  unixMillis,
} from '../../core/index.ts';
import type { GatewayProfile, Interval, LocalDate, UnixMillis } from '../../core/index.ts';

export type Granularity = 'hour' | 'day' | 'week';

export type UsageWindow = Interval<UnixMillis>;

export type UsagePlanRequest = {
  readonly since: UnixMillis;
  readonly until: UnixMillis;
  /** A span whose buckets are pulled again, whatever was landed before, cut to `since` and `until`; each end may be left out. */
  readonly from?: UnixMillis | undefined;
  readonly to?: UnixMillis | undefined;
  readonly granularity: Granularity;
  /** The end of what is covered without a gap. */
  readonly cursor?: UnixMillis | undefined;
  /** Its start; an earlier `since` makes the plan begin again from there. */
  readonly origin?: UnixMillis | undefined;
  /** Days before the cursor that are pulled again, since figures come late; 2 when left out. */
  readonly revisitDays?: number | undefined;
  /** The longest span one request may ask for, overlap included; 180 when left out (docs/gateway.md G7.3). */
  readonly longestDays?: number | undefined;
  readonly profile: GatewayProfile;
};

const hour = 3_600_000;
const day = 24 * hour;

/** Buckets begin at UTC hours, or at days or Mondays of the gateway's zone (docs/gateway.md G7.6). */
type Buckets = {
  readonly at: (moment: UnixMillis) => UnixMillis;
  readonly after: (bucket: UnixMillis) => UnixMillis;
  readonly before: (bucket: UnixMillis) => UnixMillis;
};

const hours: Buckets = {
  at: (moment) => unixMillis(Math.floor(moment / hour) * hour),
  after: (bucket) => unixMillis(bucket + hour),
  before: (bucket) => unixMillis(bucket - hour),
};

const dated = (zone: string, days: number, snap: (date: LocalDate) => LocalDate): Buckets => {
  const date = (moment: UnixMillis): LocalDate => snap(dateAt(toSeconds(moment), zone));
  const start = (of: LocalDate): UnixMillis => toMillis(startOfDay(of, zone));
  return {
    at: (moment) => start(date(moment)),
    after: (bucket) => start(addDays(date(bucket), days)),
    before: (bucket) => start(addDays(date(bucket), -days)),
  };
};

export const bucketsOf = (granularity: Granularity, zone: string): Buckets => {
  if (granularity === 'hour') return hours;
  return granularity === 'day' ? dated(zone, 1, (date) => date) : dated(zone, 7, startOfWeek);
};

/** One bucket more on either side: whole whatever the gateway makes of its range's ends, and of its days' zone. */
export const askForUsage = (window: UsageWindow, granularity: Granularity, zone: string): UsageWindow => {
  const buckets = bucketsOf(granularity, zone);
  return interval(buckets.before(window.start), buckets.after(window.end));
};

/** Tiles the span with windows whose requests are at most so long. */
export const cutUsage = (
  range: UsageWindow,
  granularity: Granularity,
  zone: string,
  longestDays: number,
): readonly UsageWindow[] => {
  const buckets = bucketsOf(granularity, zone);
  const windows: UsageWindow[] = [];
  for (let start = range.start; start < range.end;) {
    // As far as the request may reach, less the bucket asked for behind the window; one bucket in any case.
    const watermark = buckets.at(unixMillis(buckets.before(start) + longestDays * day));
    const end = unixMillis(Math.min(range.end, Math.max(buckets.before(watermark), buckets.after(start))));
    windows.push(interval(start, end));
    start = end;
  }
  return windows;
};

/** The first and last moment of what a plan tiles; nothing to do unless the end lies behind the start. */
type Ends = { readonly start: UnixMillis; readonly end: UnixMillis };

/** What a pull covers by itself: from `since`, or from some days before the cursor, to the last bucket that is over. */
const ownEnds = (request: UsagePlanRequest, buckets: Buckets): Ends & { readonly revisited: UnixMillis } => {
  const { since, until, cursor, origin } = request;
  const first = buckets.at(since);
  // A clock that ran ahead has moved the cursor to where nothing can have been pulled yet.
  const reached = cursor === undefined ? first : Math.min(cursor, until);
  const again = unixMillis(reached - (request.revisitDays ?? 2) * day);
  const revisited = again < first ? first : buckets.at(again);
  const reachesBack = origin !== undefined && first < origin;
  return { start: reachesBack ? first : revisited, end: buckets.at(until), revisited };
};

/** The buckets that the span to be pulled again touches, as far as they are over and not before `since`. */
const forcedEnds = (request: UsagePlanRequest, buckets: Buckets): Ends => {
  const { since, until, cursor } = request;
  const [from, to] = [request.from ?? since, request.to ?? until];
  if (to <= from) return { start: from, end: from };
  const { revisited, end: over } = ownEnds(request, buckets);
  const start = unixMillis(Math.max(buckets.at(from), buckets.at(since)));
  const end = unixMillis(Math.min(buckets.after(buckets.at(unixMillis(to - 1))), over));
  // Moving the cursor on takes revisiting the days before it, or their late figures would be passed over.
  const advances = cursor !== undefined && start <= cursor && end > cursor;
  return { start: advances && revisited < start ? revisited : start, end };
};

/**
 * The windows of one pull of one dimension, in milliseconds: half-open, aligned to buckets, tiling the span from `since`
 * (or some days before the cursor) to the last bucket that is over, or the span to be pulled again. Pure.
 */
export const planUsagePull = (request: UsagePlanRequest): readonly UsageWindow[] => {
  const { granularity, profile } = request;
  const buckets = bucketsOf(granularity, profile.usageZone);
  const forced = request.from !== undefined || request.to !== undefined;
  const { start, end } = forced ? forcedEnds(request, buckets) : ownEnds(request, buckets);
  if (end <= start) return [];
  return cutUsage(interval(start, end), granularity, profile.usageZone, request.longestDays ?? 180);
};
