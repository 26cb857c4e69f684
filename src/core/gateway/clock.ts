import { unixMillis, type UnixMillis } from '../units.ts';

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

/** What is known about the clock that a gateway stamps keys and calls with. */
export type GatewayClock = ClockReading & {
  /** Gateway time since which neither clock was observed to be set. */
  readonly since: UnixMillis;
  /** By how much one of the clocks was set then; 0 if none was. */
  readonly jump: number;
  /**
   * Local time from which on stamps can be compared with this clock: it is later than when one of the clocks was set, also by
   * the local clock of before.
   */
  readonly stampsFrom: UnixMillis;
  /** What the `Date` header says instead, where stamps contradict it. */
  readonly date?: ContradictedDate | undefined;
};

export type ContradictedDate = {
  readonly offset: number;
  /** Whether the call log confirms the times of the key list. */
  readonly isConfirmed: boolean;
};

/** How far a `Date` header that stamps contradicted is from them. */
export type DateError = {
  /** Milliseconds by which the header is ahead of the stamps; 0 while that is open. */
  readonly error: number;
  readonly isConfirmed: boolean;
  /** When it was found, by the stamps. */
  readonly foundAt: UnixMillis;
};

/** What is measured of a gateway's clock by the `Date` header. */
export type MeasuredClock = Omit<GatewayClock, 'date'> & { readonly dateError?: DateError | undefined };

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
  readonly clock: MeasuredClock;
  /** If one of the clocks was set: the first gateway moment that may have been stamped twice or not at all. */
  readonly suspectFrom?: UnixMillis;
};

/** Milliseconds after the last reading that is stored within which another one may have been lost. */
const unread = 120_000;

/** Milliseconds within which two clocks agree. */
const agreed = 60_000;

/** What is known of a header that jumps: one that was wrong is trusted again only where it agrees with the local clock. */
const errorAfterJump = (
  before: DateError | undefined,
  { at, offset, uncertainty }: ClockReading,
): DateError | undefined =>
  before === undefined || Math.abs(offset) <= agreed + uncertainty
    ? undefined
    : { error: 0, isConfirmed: false, foundAt: unixMillis(at + offset) };

/** The state after one more reading. Pure. */
export const afterReading = (before: MeasuredClock | undefined, reading: ClockReading): ClockChange => {
  const now = unixMillis(reading.at + reading.offset);
  if (before === undefined) return { clock: { ...reading, since: now, jump: 0, stampsFrom: reading.at } };
  const shift = reading.offset - before.offset;
  const allowed = before.uncertainty + reading.uncertainty + 1000 + driftOf(reading.at - before.at);
  const own = ownJump(before, reading);
  const set = Math.abs(shift) > allowed ? shift : 0;
  if (set === 0 && own === 0) {
    // A slow answer is less precise than a fast one shortly before.
    const isBetter =
      reading.uncertainty <= 2 * before.uncertainty || Math.abs(reading.at - before.at) > 600_000;
    const measured = isBetter ? {} : { offset: before.offset, uncertainty: before.uncertainty };
    const { since, jump, stampsFrom, dateError } = before;
    return { clock: { ...reading, ...measured, since, jump, stampsFrom, dateError } };
  }
  return {
    clock: {
      ...reading,
      since: now,
      jump: Math.max(Math.abs(set), Math.abs(own)),
      stampsFrom: unixMillis(Math.max(before.stampsFrom, before.at + unread, reading.at)),
      dateError: errorAfterJump(before.dateError, reading),
    },
    suspectFrom: unixMillis(
      before.at + before.offset - Math.max(0, before.dateError?.error ?? 0) + Math.min(set, own, 0),
    ),
  };
};

/**
 * How far the gateway's clock is ahead of the local one, in milliseconds; 0 when the measurement allows that it is
 * right.
 */
export const clockOffset = (clock: Pick<GatewayClock, 'offset' | 'uncertainty'> | undefined): number =>
  clock === undefined || Math.abs(clock.offset) <= clock.uncertainty + 1000 ? 0 : clock.offset;

/** How far a clock is ahead of the local one, in milliseconds: between these two values. */
export type OffsetRange = { readonly low: number; readonly high: number };

/**
 * How far the clock that stamps keys and calls is ahead: by the creation time of a key of our own in the key list, and by
 * our first call with it in the call log. Missing where nothing of our own is listed or logged.
 */
export type OwnStamps = { readonly list?: OffsetRange | undefined; readonly log?: OffsetRange | undefined };

/** A smaller error is within the delay of late rows (docs/gateway.md G16.1). */
const tolerated = 600_000;

/** A creation that took longer says too little. */
const maxWidth = 120_000;

/** Calls are stamped when they begin or when they are booked. */
const slack = 30_000;

const contains = ({ low, high }: OffsetRange, offset: number): boolean =>
  offset >= low - slack && offset <= high + slack;

/** By how much the list contradicts the header, 0 where it does not; undefined where the list does not tell. */
const contradiction = ({ offset }: MeasuredClock, { list }: OwnStamps): number | undefined => {
  if (list === undefined || list.high - list.low > maxWidth) return undefined;
  const error = offset - Math.round((list.low + list.high) / 2);
  return Math.abs(error) <= tolerated ? 0 : error;
};

/** Which of the two the call log agrees with; where that is open, pulls that end too early lose nothing. */
const usedError = ({ offset }: MeasuredClock, { log }: OwnStamps, error: number): number => {
  if (log === undefined) return Math.max(0, error);
  return contains(log, offset - error) && !contains(log, offset) ? error : 0;
};

/** The state after stamps of our own were read at this local time; undefined where it stays as it is. Pure. */
export const afterStamps = (
  before: MeasuredClock,
  stamps: OwnStamps,
  at: UnixMillis,
): MeasuredClock | undefined => {
  const contradicts = contradiction(before, stamps);
  if (contradicts === undefined) return undefined;
  const { dateError: known } = before;
  const error = usedError(before, stamps, contradicts);
  const isConfirmed = stamps.log !== undefined && contains(stamps.log, before.offset - error);
  if (contradicts === 0 || (error === 0 && isConfirmed))
    return known && { ...before, since: unixMillis(at + before.offset), dateError: undefined };
  const isApplied =
    known !== undefined &&
    (Math.abs(known.error - error) <= tolerated ||
      (stamps.log === undefined && Math.abs(known.error - contradicts) <= tolerated));
  if (isApplied)
    return isConfirmed && !known.isConfirmed
      ? { ...before, dateError: { ...known, isConfirmed } }
      : undefined;
  return {
    ...before,
    dateError: { error, isConfirmed, foundAt: unixMillis(at + before.offset - error) },
  };
};

/** The clock that stamps keys and calls: that of the `Date` header, unless stamps contradict it. Pure. */
export const stampClock = ({ dateError, ...measured }: MeasuredClock): GatewayClock => {
  if (dateError === undefined) return measured;
  const { error, isConfirmed, foundAt } = dateError;
  const { offset, since, jump } = measured;
  return {
    ...measured,
    offset: offset - error,
    since: unixMillis(Math.max(since - error, foundAt)),
    jump: Math.max(jump, Math.abs(error)),
    date: { offset, isConfirmed },
  };
};
