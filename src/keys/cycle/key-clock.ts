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
import type { KeyEvent } from '../events/key-event.ts';
import type { Cycle } from './cycle.ts';

/** Seconds before its expected time from which a stamp is searched for in the log. */
export const widestSkew = 26 * 3600;

const requestedAt = (
  history: readonly KeyEvent[],
  name: string,
  answeredAt: UnixMillis,
): UnixMillis | undefined =>
  history.findLast((event) => event.what === 'creating' && event.name === name && event.at <= answeredAt)?.at;

/** The offset of the clock that stamps keys, from our newest listed key with a creation time. */
const listRange = (cycle: Cycle, history: readonly KeyEvent[], since: number): OffsetRange | undefined => {
  const created = history.findLast((event) => event.what === 'created' && cycle.keys().has(event.keyId));
  if (created?.what !== 'created' || created.at < since) return undefined;
  const asked = requestedAt(history, created.name, created.at);
  const stamp = cycle.keys().get(created.keyId)?.createdTime;
  if (asked === undefined || stamp === undefined || stamp <= 0) return undefined;
  return { low: stamp * 1000 - created.at, high: (stamp + 1) * 1000 - asked };
};

/** The offset of the clock that stamps the call log, from the first call of our newest verified key. */
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

/** Cached per cycle, because it reads the whole history. */
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

export const comparedClock = async (
  cycle: Cycle,
): Promise<{ readonly clock: GatewayClock | undefined; readonly stamps: OwnStamps }> => {
  const { gatewayClock } = cycle.deps;
  const stamps = await readStamps(cycle, gatewayClock?.()?.stampsFrom ?? 0);
  return { clock: gatewayClock?.(), stamps };
};

/** Converts times of this host to the clock by which the gateway ends keys. */
export type KeyClock = {
  /** Milliseconds by which the clock that ends keys is ahead: by the `Date` header, unless the times of listed keys contradict it. */
  readonly offset: number;
  /** One second before now on this host's clock and on every known clock of the gateway, less their uncertainty. */
  readonly past: UnixSeconds;
};

/** What is known of the clock that ends keys. Stamps from before a clock was set do not count. */
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

/** The expiry to send so that a key ends at this time of the host, never earlier. */
export const endAt = ({ offset }: KeyClock, moment: number): UnixSeconds =>
  unixSeconds(Math.ceil((moment + offset) / 1000));

/** The time of this host at which a key with this expiry ends. */
export const hostMoment = ({ offset }: KeyClock, expiredTime: UnixSeconds): UnixMillis =>
  unixMillis(expiredTime * 1000 - offset);
