import {
  clockOffset,
  unixMillis,
  unixSeconds,
  type GatewayClock,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import type { Attempt, Rotation } from '../rotation.ts';
import type { Cycle } from './cycle.ts';
import { comparedClock } from './key-clock.ts';

/** Milliseconds for which a measurement is good: our own clock may have been set since. */
const freshFor = 300_000;

/** The gateway's time now; ours where its clock is not known. */
export const gatewayNow = ({ deps: { clock, gatewayClock } }: Pick<Cycle, 'deps'>): UnixMillis =>
  unixMillis(clock.now() + clockOffset(gatewayClock?.()));

/** What is written down of the gateway's clock with a step. */
export const gatewayMoment = (
  cycle: Pick<Cycle, 'deps'>,
): { readonly at: UnixMillis; readonly since: UnixMillis } | undefined => {
  const known = cycle.deps.gatewayClock?.();
  return known === undefined ? undefined : { at: gatewayNow(cycle), since: known.since };
};

/** Moments in milliseconds UTC on the gateway's clock. */
export type GatewayTimes = {
  readonly clock: GatewayClock | undefined;
  readonly now: UnixMillis;
  /** The cutover; where a clock was set since, the moment since which it is known not to have been. */
  readonly cutover: UnixMillis;
  /** On our own clock: since when inventories tell of names. */
  readonly shownSince: UnixMillis;
};

/** The moments that a retirement is judged by. What was measured long ago, or before our clock was set back, is measured again. */
export const gatewayTimes = async (cycle: Cycle, rotation: Rotation): Promise<GatewayTimes> => {
  const { clock, gatewayClock } = cycle.deps;
  const known = gatewayClock?.();
  if (known !== undefined && Math.abs(clock.now() - known.at) > freshFor) await cycle.look();
  const { clock: current } = await comparedClock(cycle);
  const { cutover = unixMillis(0), cutoverAtGateway: noted } = rotation;
  const now = gatewayNow(cycle);
  const shownSince = unixMillis(Math.min(cutover, noted?.at ?? cutover, now));
  if (current === undefined) return { clock: undefined, now, cutover, shownSince };
  const at = noted?.at ?? unixMillis(cutover + clockOffset(current));
  // Stamps of before a clock was set cannot be compared with those behind it.
  const isSame = noted === undefined ? current.since <= at : noted.since === current.since;
  return { clock: current, now, cutover: isSame ? at : current.since, shownSince };
};

/**
 * What the first call by a new key tells: nobody has the key before it is made, and the first to call with it is our own
 * verification. Its stamp shows how far the log's clock is behind (milliseconds), and up to which second calls may be ours.
 */
export const ownCalls = (
  { cutover = unixMillis(0), cutoverAtGateway: noted }: Rotation,
  { madeAt }: Attempt,
  cutoverAtGateway: UnixMillis,
  first: UnixSeconds | undefined,
): { readonly logBehind: number; readonly ownUntil: UnixSeconds } => {
  if (first === undefined || madeAt === undefined || cutover < madeAt)
    return { logBehind: 0, ownUntil: unixSeconds(0) };
  const took = cutover - madeAt;
  const ownUntil = unixSeconds(first + Math.ceil(took / 1000) + 1);
  // Where a clock was set since, the moment that it was made at is not known on the gateway's clock of now.
  if (noted !== undefined && noted.at !== cutoverAtGateway) return { logBehind: 0, ownUntil };
  const behind = cutoverAtGateway - took - (first + 1) * 1000;
  return { logBehind: behind > 5000 ? behind : 0, ownUntil };
};
