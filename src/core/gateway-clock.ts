import { unixMillis } from './units.ts';
import type { UnixMillis } from './units.ts';

/** One measurement of a gateway's clock by the `Date` header of an answer; all in milliseconds. */
export type ClockReading = {
  /** When the answer arrived, on the local clock. */
  readonly at: UnixMillis;
  /** Time since this machine started, independent of its clock; omitted when unknown. */
  readonly uptime?: number | undefined;
  /** How far the gateway's clock is ahead of the local one; negative when it is behind. */
  readonly offset: number;
  /** The possible error of the offset: half of the round trip plus half of the header's second. */
  readonly uncertainty: number;
};

/** What is known about a gateway's clock. */
export type GatewayClock = ClockReading & {
  /** Gateway time since which neither clock was observed to be set. */
  readonly since: UnixMillis;
  /** By how much one of the clocks was set then; 0 if none was. */
  readonly jump: number;
};

/** A gateway that says another century has no clock: windows up to its time would never end. */
const firstTime = Date.UTC(2020, 0, 1);
const lastTime = Date.UTC(2100, 0, 1);

/** The header has whole seconds. */
const halfSecond = 500;

/** Undefined for an answer without a usable `Date`, from a cache, or when the local clock was set back meanwhile. */
export const readClock = (
  headers: Readonly<Record<string, string>>,
  sent: UnixMillis,
  received: UnixMillis,
  uptime: number | undefined,
): ClockReading | undefined => {
  const date = Date.parse(headers['date'] ?? '');
  if (!(date >= firstTime && date < lastTime)) return undefined;
  if (received < sent || Number(headers['age'] ?? 0) > 0) return undefined;
  return {
    at: received,
    uptime,
    offset: Math.round(date + halfSecond - (sent + received) / 2),
    uncertainty: Math.ceil((received - sent) / 2) + halfSecond,
  };
};

/** Maximum clock drift over the elapsed time, at most a minute between two readings. */
const driftOf = (elapsed: number): number => Math.min(60_000, Math.abs(elapsed) / 5000);

/** Uptimes that differ from the clock by more belong to another machine. */
const otherMachine = 26 * 3_600_000;

/** By how much the local clock was set between two readings; 0 when unknown. */
const ownJump = (before: ClockReading, after: ClockReading): number => {
  if (before.uptime === undefined || after.uptime === undefined || after.uptime < before.uptime) return 0;
  const passed = after.uptime - before.uptime;
  const set = after.at - before.at - passed;
  return Math.abs(set) <= 2000 + driftOf(passed) || Math.abs(set) > otherMachine ? 0 : set;
};

export type ClockChange = {
  readonly clock: GatewayClock;
  /** If one of the clocks was set: the first gateway moment that may have been stamped twice or not at all. */
  readonly suspectFrom?: UnixMillis;
};

/** The state after one more reading. Pure. */
export const afterReading = (before: GatewayClock | undefined, reading: ClockReading): ClockChange => {
  const now = unixMillis(reading.at + reading.offset);
  if (before === undefined) return { clock: { ...reading, since: now, jump: 0 } };
  const shift = reading.offset - before.offset;
  const allowed = before.uncertainty + reading.uncertainty + 1000 + driftOf(reading.at - before.at);
  const own = ownJump(before, reading);
  const set = Math.abs(shift) > allowed ? shift : 0;
  if (set === 0 && own === 0) {
    // A slow answer is less precise than a fast one shortly before.
    const isBetter =
      reading.uncertainty <= 2 * before.uncertainty || Math.abs(reading.at - before.at) > 600_000;
    const measured = isBetter ? {} : { offset: before.offset, uncertainty: before.uncertainty };
    return { clock: { ...reading, ...measured, since: before.since, jump: before.jump } };
  }
  return {
    clock: { ...reading, since: now, jump: Math.max(Math.abs(set), Math.abs(own)) },
    suspectFrom: unixMillis(before.at + before.offset + Math.min(set, own, 0)),
  };
};

/**
 * How far the gateway's clock is ahead of the local one, in milliseconds; 0 when the measurement allows that it is
 * right.
 */
export const clockOffset = (clock: Pick<GatewayClock, 'offset' | 'uncertainty'> | undefined): number =>
  clock === undefined || Math.abs(clock.offset) <= clock.uncertainty + 1000 ? 0 : clock.offset;
