import { daySeconds } from '../core/index.ts';
/** An interval in which a zone has one constant UTC offset. All in seconds; `end` is excluded. */
export type OffsetPeriod = {
  readonly start: number;
  readonly end: number;
  /** Wall clock minus UTC. */
  readonly offset: number;
  /**
   * The first wall-clock time not yet shown or skipped before the period: later than its start when clocks went back,
   * earlier when they went forward.
   */
  readonly fresh: number;
};

/** Offset periods are computed for so many seconds at a time. */
const blockSeconds = 400 * daySeconds;
/** Offsets are sampled once a day: since 1970, no zone has changed its offset twice within a week. */
const probeSeconds = daySeconds;
/** The largest offset change: Samoa's move over the date line was one day. */
export const largestChange = 2 * daySeconds;

const offsetPattern = /GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/;

const secondsOf = (text: string): number => {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = offsetPattern.exec(text) ?? [];
  const size = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -size : size;
};

/** Wall clock minus UTC at an instant, both in seconds. */
export type OffsetAt = (instant: number) => number;

type Zone = {
  readonly offsetAt: OffsetAt;
  readonly blocks: Map<number, readonly OffsetPeriod[]>;
};

const zones = new Map<string, Zone>();

/** @throws RangeError when there is no such zone. */
const zoneOf = (name: string): Zone => {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  const zone: Zone = {
    offsetAt: (instant) => secondsOf(format.format(instant * 1000)),
    blocks: new Map(),
  };
  zones.set(name, zone);
  return zone;
};

/** The first second after `low`, up to `high`, whose offset differs from that of `low`. */
const changeIn = (offsetAt: OffsetAt, low: number, high: number): number => {
  const offset = offsetAt(low);
  let same = low;
  let other = high;
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetAt(middle) === offset) same = middle;
    else other = middle;
  }
  return other;
};

/** The offset periods of a block; includes clocks before it, since a DST overlap may extend into it. */
export const offsetPeriodsIn = (offsetAt: OffsetAt, start: number, end: number): readonly OffsetPeriod[] => {
  const found: { start: number; end: number; offset: number }[] = [];
  let current = { start: start - 2 * largestChange, offset: offsetAt(start - 2 * largestChange) };
  for (let probe = current.start; probe < end;) {
    const next = Math.min(probe + probeSeconds, end);
    if (offsetAt(next) === current.offset) {
      probe = next;
      continue;
    }
    probe = changeIn(offsetAt, probe, next);
    found.push({ ...current, end: probe });
    current = { start: probe, offset: offsetAt(probe) };
  }
  found.push({ ...current, end });
  return found
    .map((offsetPeriod, index) => {
      // The block starts a new period, although the offset may have been the same before.
      const from = Math.max(offsetPeriod.start, start);
      const shown = from > offsetPeriod.start ? from + offsetPeriod.offset : -Infinity;
      const before = found.slice(0, index).filter((other) => from - other.end < largestChange);
      return {
        start: from,
        end: offsetPeriod.end,
        offset: offsetPeriod.offset,
        fresh: Math.max(shown, ...before.map((other) => other.end + other.offset)),
      };
    })
    .filter((offsetPeriod) => offsetPeriod.end > offsetPeriod.start);
};

/** The offset period that contains the instant. @throws RangeError when there is no such zone. */
export const offsetPeriodAt = (name: string, instant: number): OffsetPeriod => {
  const zone = zoneOf(name);
  const number = Math.floor(instant / blockSeconds);
  let block = zone.blocks.get(number);
  if (block === undefined) {
    block = offsetPeriodsIn(zone.offsetAt, number * blockSeconds, (number + 1) * blockSeconds);
    zone.blocks.set(number, block);
  }
  const offsetPeriod = block.find(({ end }) => instant < end);
  if (offsetPeriod === undefined) throw new RangeError(`no offset period of ${name} contains ${instant}`);
  return offsetPeriod;
};
