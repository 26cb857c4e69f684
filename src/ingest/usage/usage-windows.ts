import {
  hourMillis,
  dayMillis,
  addDays,
  dateAt,
  interval,
  startOfDay,
  startOfWeek,
  toMillis,
  toSeconds,
  unixMillis,
  type GatewayProfile,
  type Interval,
  type LocalDate,
  type UnixMillis,
} from '../../core/index.ts';

export type Granularity = 'hour' | 'day' | 'week';

export type UsageWindow = Interval<UnixMillis>;

export type UsagePlanRequest = {
  readonly since: UnixMillis;
  readonly until: UnixMillis;
  /**
   * A range whose buckets are pulled again, whatever landed before, cut to `since` and `until`; each end is optional.
   */
  readonly from?: UnixMillis | undefined;
  readonly to?: UnixMillis | undefined;
  readonly granularity: Granularity;
  /** The end of the range covered without a gap. */
  readonly cursor?: UnixMillis | undefined;
  /** Its start; with an earlier `since` the plan begins again from there. */
  readonly origin?: UnixMillis | undefined;
  /** Days before the cursor that are pulled again, since figures arrive late; default 2. */
  readonly revisitDays?: number | undefined;
  /** The longest range of one request, overlap included; default 180 (docs/gateway.md G7.3). */
  readonly longestDays?: number | undefined;
  readonly profile: GatewayProfile;
};

/** Buckets begin at UTC hours, or at days or Mondays of the gateway's zone (docs/gateway.md G7.6). */
type Buckets = {
  readonly at: (moment: UnixMillis) => UnixMillis;
  readonly after: (bucket: UnixMillis) => UnixMillis;
  readonly before: (bucket: UnixMillis) => UnixMillis;
};

const hours: Buckets = {
  at: (moment) => unixMillis(Math.floor(moment / hourMillis) * hourMillis),
  after: (bucket) => unixMillis(bucket + hourMillis),
  before: (bucket) => unixMillis(bucket - hourMillis),
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

/**
 * Adds one bucket on either side, so that the window is complete whichever range ends and time zone the gateway uses.
 */
export const askForUsage = (window: UsageWindow, granularity: Granularity, zone: string): UsageWindow => {
  const buckets = bucketsOf(granularity, zone);
  return interval(buckets.before(window.start), buckets.after(window.end));
};

/** Tiles the range with windows whose requests have at most this length. */
export const cutUsage = (
  range: UsageWindow,
  granularity: Granularity,
  zone: string,
  longestDays: number,
): readonly UsageWindow[] => {
  const buckets = bucketsOf(granularity, zone);
  const windows: UsageWindow[] = [];
  for (let start = range.start; start < range.end;) {
    // Up to the maximum request length, minus the bucket requested after the window; at least one bucket.
    const latest = buckets.at(unixMillis(buckets.before(start) + longestDays * dayMillis));
    const end = unixMillis(Math.min(range.end, Math.max(buckets.before(latest), buckets.after(start))));
    windows.push(interval(start, end));
    start = end;
  }
  return windows;
};

/** The ends of the range that a plan tiles; empty unless the end is after the start. */
type Ends = { readonly start: UnixMillis; readonly end: UnixMillis };

/** The default range of a pull: from `since`, or some days before the cursor, to the last bucket that is over. */
const ownEnds = (request: UsagePlanRequest, buckets: Buckets): Ends & { readonly revisited: UnixMillis } => {
  const { since, until, cursor, origin } = request;
  const first = buckets.at(since);
  // A clock that ran ahead may have moved the cursor to a time that cannot have been pulled yet.
  const reached = cursor === undefined ? first : Math.min(cursor, until);
  const again = unixMillis(reached - (request.revisitDays ?? 2) * dayMillis);
  const revisited = again < first ? first : buckets.at(again);
  const reachesBack = origin !== undefined && first < origin;
  return { start: reachesBack ? first : revisited, end: buckets.at(until), revisited };
};

/** The buckets that touch the range to pull again, as far as they are over and not before `since`. */
const forcedEnds = (request: UsagePlanRequest, buckets: Buckets): Ends => {
  const { since, until, cursor } = request;
  const [from, to] = [request.from ?? since, request.to ?? until];
  if (to <= from) return { start: from, end: from };
  const { revisited, end: over } = ownEnds(request, buckets);
  const start = unixMillis(Math.max(buckets.at(from), buckets.at(since)));
  const end = unixMillis(Math.min(buckets.after(buckets.at(unixMillis(to - 1))), over));
  // Advancing the cursor requires revisiting the days before it, or their late figures would be missed.
  const advances = cursor !== undefined && start <= cursor && end > cursor;
  return { start: advances && revisited < start ? revisited : start, end };
};

/**
 * The windows of one pull of one dimension, in milliseconds: half-open, aligned to buckets, tiling the range from
 * `since` (or some days before the cursor) to the last bucket that is over, or the range to pull again. Pure.
 */
export const planUsagePull = (request: UsagePlanRequest): readonly UsageWindow[] => {
  const { granularity, profile } = request;
  const buckets = bucketsOf(granularity, profile.usageZone);
  const forced = request.from !== undefined || request.to !== undefined;
  const { start, end } = forced ? forcedEnds(request, buckets) : ownEnds(request, buckets);
  if (end <= start) return [];
  return cutUsage(interval(start, end), granularity, profile.usageZone, request.longestDays ?? 180);
};
