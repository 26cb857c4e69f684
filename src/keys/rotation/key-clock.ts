import { clockOffset, unixMillis, unixSeconds } from '../../core/index.ts';
import type { UnixMillis, UnixSeconds } from '../../core/index.ts';
import type { KeyEvent } from '../key-event.ts';
import type { Cycle, OffsetRange, OwnStamps } from './cycle.ts';
import { widestSkew } from './gateway-time.ts';

/** The newest key of our own that is listed with its creation time: it tells by which clock the gateway stamps keys. */
const listRange = (cycle: Cycle, history: readonly KeyEvent[], since: number): OffsetRange | undefined => {
  const created = history.findLast((event) => event.what === 'created' && cycle.keys().has(event.keyId));
  if (created?.what !== 'created' || created.at < since) return undefined;
  const asked = history.findLast(
    (event) => event.what === 'creating' && event.name === created.name && event.at <= created.at,
  );
  const stamp = cycle.keys().get(created.keyId)?.createdTime;
  if (asked === undefined || stamp === undefined || stamp <= 0) return undefined;
  return { low: stamp * 1000 - created.at, high: (stamp + 1) * 1000 - asked.at };
};

/** Our first call with the newest key of our own tells by which clock the gateway stamps the call log. */
const logLow = async (
  { deps: { account, evidence } }: Cycle,
  history: readonly KeyEvent[],
  since: number,
): Promise<number | undefined> => {
  const verified = history.findLast((event) => event.what === 'verified');
  if (verified?.what !== 'verified' || verified.at < since) return undefined;
  const from = unixSeconds(Math.max(0, Math.floor(verified.at / 1000) - widestSkew));
  const first = await evidence.firstCall?.(account, verified.name, from);
  return first === undefined ? undefined : first * 1000 - verified.at;
};

/** Milliseconds by which a moment of this host is moved, so that the gateway ends a key then. */
export type KeyClock = {
  /** How far the clock that ends keys is ahead: by the `Date` header, unless the times of listed keys contradict it. */
  readonly offset: number;
  /** A second before now on this host's clock and on each clock of the gateway that is known, less their uncertainty. */
  readonly past: UnixSeconds;
};

/** What the stamps of our own keys and calls tell; read once a cycle, since it takes the whole history. */
const ownStamps = (cycle: Cycle, since: number): Promise<OwnStamps> => {
  const known = cycle.ownStamps.get(since);
  if (known !== undefined) return known;
  const { account, journal } = cycle.deps;
  const read = async (): Promise<OwnStamps> => {
    const history = await journal.history({ account });
    return { list: listRange(cycle, history, since), log: await logLow(cycle, history, since) };
  };
  const stamps = read();
  cycle.ownStamps.set(since, stamps);
  return stamps;
};

/** What is known of the clock that ends keys. Keys and calls of before a clock was set do not count. */
export const keyClock = async (cycle: Cycle): Promise<KeyClock> => {
  const { clock, gatewayClock } = cycle.deps;
  const date = gatewayClock?.();
  const { list, log } = await ownStamps(cycle, date === undefined ? 0 : date.since - date.offset);
  const now = clock.now();
  const lows = [
    0,
    ...(date === undefined ? [] : [date.offset - date.uncertainty]),
    ...(list === undefined ? [] : [list.low]),
    ...(log === undefined ? [] : [log]),
  ];
  const past = Math.floor((now + Math.min(...lows)) / 1000) - 1;
  const byDate = clockOffset(date);
  const slack = (date?.uncertainty ?? 0) + 1000;
  const isContradicted = list !== undefined && (byDate < list.low - slack || byDate > list.high + slack);
  return {
    offset: isContradicted ? Math.round((list.low + list.high) / 2) : byDate,
    past: unixSeconds(Math.max(1, past)),
  };
};

/** The second that the gateway is given so that a key ends at this moment of the host, not before. */
export const endAt = ({ offset }: KeyClock, moment: number): UnixSeconds =>
  unixSeconds(Math.ceil((moment + offset) / 1000));

/** The moment of this host at which a key with this expiry ends. */
export const hostMoment = ({ offset }: KeyClock, expiredTime: UnixSeconds): UnixMillis =>
  unixMillis(expiredTime * 1000 - offset);
