import {
  clockOffset,
  unixMillis,
  unixSeconds,
  type GatewayClock,
  type OffsetRange,
  type OwnStamps,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import type { KeyEvent } from '../key-event.ts';
import type { Cycle } from './cycle.ts';

/** Seconds by which a stamp in the log is looked for before its time. */
export const widestSkew = 26 * 3600;

/** When the creation of a key was requested that was answered at a moment; undefined where it is not written down. */
const requestedAt = (
  history: readonly KeyEvent[],
  name: string,
  answeredAt: UnixMillis,
): UnixMillis | undefined =>
  history.findLast((event) => event.what === 'creating' && event.name === name && event.at <= answeredAt)?.at;

/** The newest key of our own that is listed with its creation time: it tells by which clock the gateway stamps keys. */
const listRange = (cycle: Cycle, history: readonly KeyEvent[], since: number): OffsetRange | undefined => {
  const created = history.findLast((event) => event.what === 'created' && cycle.keys().has(event.keyId));
  if (created?.what !== 'created' || created.at < since) return undefined;
  const asked = requestedAt(history, created.name, created.at);
  const stamp = cycle.keys().get(created.keyId)?.createdTime;
  if (asked === undefined || stamp === undefined || stamp <= 0) return undefined;
  return { low: stamp * 1000 - created.at, high: (stamp + 1) * 1000 - asked };
};

/** Our first call with the newest key of our own tells by which clock the gateway stamps the call log. */
const logRange = async (
  { deps: { account, evidence } }: Cycle,
  history: readonly KeyEvent[],
  since: number,
): Promise<OffsetRange | undefined> => {
  const verified = history.findLast((event) => event.what === 'verified');
  if (verified?.what !== 'verified' || verified.at < since) return undefined;
  const from = unixSeconds(Math.max(0, Math.floor(verified.at / 1000) - widestSkew));
  const first = await evidence.firstCall?.(account, verified.name, from);
  if (first === undefined) return undefined;
  const asked = requestedAt(history, verified.name, verified.at) ?? verified.at;
  return { low: first * 1000 - verified.at, high: (first + 1) * 1000 - asked };
};

/** What the stamps of our own keys and calls tell; read once a cycle, since it takes the whole history. */
const readStamps = (cycle: Cycle, since: number): Promise<OwnStamps> => {
  const known = cycle.ownStamps.get(since);
  if (known !== undefined) return known;
  const { account, journal, compareClock, gatewayClock, log } = cycle.deps;
  const read = async (): Promise<OwnStamps> => {
    const history = await journal.history({ account });
    const stamps = {
      list: listRange(cycle, history, since),
      log: await logRange(cycle, history, since),
    };
    if (await compareClock?.(stamps)) {
      const { offset = 0, date } = gatewayClock?.() ?? {};
      const subject = 'the Date header of the gateway';
      const message =
        date === undefined
          ? `${subject} agrees with the times of its keys or of its call log, and is used again`
          : `${subject} contradicts the creation times of its keys; ${date.offset === offset ? 'no key is deleted until the call log shows which of them is right' : 'they are used in its place'}`;
      log.warn(message, { offset, date_offset: date?.offset ?? offset });
    }
    return stamps;
  };
  const stamps = read();
  cycle.ownStamps.set(since, stamps);
  return stamps;
};

/** What is known of the gateway's clock once stamps of our own were compared with it. */
export const comparedClock = async (
  cycle: Cycle,
): Promise<{ readonly clock: GatewayClock | undefined; readonly stamps: OwnStamps }> => {
  const { gatewayClock } = cycle.deps;
  const stamps = await readStamps(cycle, gatewayClock?.()?.stampsFrom ?? 0);
  return { clock: gatewayClock?.(), stamps };
};

/** Milliseconds by which a moment of this host is moved, so that the gateway ends a key then. */
export type KeyClock = {
  /** How far the clock that ends keys is ahead: by the `Date` header, unless the times of listed keys contradict it. */
  readonly offset: number;
  /** A second before now on this host's clock and on each clock of the gateway that is known, less their uncertainty. */
  readonly past: UnixSeconds;
};

/** What is known of the clock that ends keys. Keys and calls of before a clock was set do not count. */
export const keyClock = async (cycle: Cycle): Promise<KeyClock> => {
  const {
    clock,
    stamps: { list, log },
  } = await comparedClock(cycle);
  const now = cycle.deps.clock.now();
  const lows = [
    0,
    ...[clock, clock?.date].flatMap((known) =>
      known === undefined ? [] : [known.offset - (clock?.uncertainty ?? 0)],
    ),
    ...(list === undefined ? [] : [list.low]),
    ...(log === undefined ? [] : [log.low]),
  ];
  const past = Math.floor((now + Math.min(...lows)) / 1000) - 1;
  const measured = clockOffset(clock);
  const slack = (clock?.uncertainty ?? 0) + 1000;
  const isContradicted = list !== undefined && (measured < list.low - slack || measured > list.high + slack);
  return {
    offset: isContradicted ? Math.round((list.low + list.high) / 2) : measured,
    past: unixSeconds(Math.max(1, past)),
  };
};

/** The second that the gateway is given so that a key ends at this moment of the host, not before. */
export const endAt = ({ offset }: KeyClock, moment: number): UnixSeconds =>
  unixSeconds(Math.ceil((moment + offset) / 1000));

/** The moment of this host at which a key with this expiry ends. */
export const hostMoment = ({ offset }: KeyClock, expiredTime: UnixSeconds): UnixMillis =>
  unixMillis(expiredTime * 1000 - offset);
