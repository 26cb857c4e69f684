import {
  clockOffset,
  unixMillis,
  unixSeconds,
  type GatewayClock,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import type { Attempt, Rotation } from '../model/rotation.ts';
import type { Cycle } from './cycle.ts';
import { comparedClock, widestSkew } from './key-clock.ts';

/** Milliseconds for which a measurement is valid: our own clock may be set at any time. */
const freshFor = 300_000;

/** The current time of the gateway; our own where its clock is unknown. */
export const gatewayNow = ({ deps: { clock, gatewayClock } }: Pick<Cycle, 'deps'>): UnixMillis =>
  unixMillis(clock.now() + clockOffset(gatewayClock?.()));

export const gatewayMoment = (
  cycle: Pick<Cycle, 'deps'>,
): { readonly at: UnixMillis; readonly since: UnixMillis } | undefined => {
  const known = cycle.deps.gatewayClock?.();
  return known === undefined ? undefined : { at: gatewayNow(cycle), since: known.since };
};

/** Times in milliseconds UTC on the gateway's clock. */
export type GatewayTimes = {
  readonly clock: GatewayClock | undefined;
  readonly now: UnixMillis;
  /** The cutover; after a clock was set, the time from which it has run undisturbed. */
  readonly cutover: UnixMillis;
  /** On our own clock: the time from which the inventory contains names. */
  readonly shownSince: UnixMillis;
};

/** Returns the times that a retirement is judged by. Measures again if the measurement is old, or from before our clock was set back. */
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
  // Stamps from before and after a clock was set are not comparable.
  const isSame = noted === undefined ? current.since <= at : noted.since === current.since;
  return { clock: current, now, cutover: isSame ? at : current.since, shownSince };
};

/**
 * What the first call of a new key proves: no consumer has the key before its creation, and our verification is the first to call with it. `logBehind`:
 * milliseconds by which the log's clock is behind; `ownUntil`: the second up to which calls may be our own.
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
  // After a clock was set, the creation time is unknown on the gateway's current clock.
  if (noted !== undefined && noted.at !== cutoverAtGateway) return { logBehind: 0, ownUntil };
  const behind = cutoverAtGateway - took - (first + 1) * 1000;
  return { logBehind: behind > 5000 ? behind : 0, ownUntil };
};

/** Whether the call log has a call with the new key, later than our own verification of it. */
export const isSeenInUse = async (
  { account, evidence }: Pick<Cycle['deps'], 'account' | 'evidence'>,
  rotation: Rotation,
): Promise<boolean> => {
  const { cutover } = rotation;
  const attempt = rotation.attempts.find(({ state }) => state === 'current');
  if (cutover === undefined || attempt === undefined || evidence.firstCall === undefined) return false;
  const from = unixSeconds(Math.max(0, Math.floor(cutover / 1000) - widestSkew));
  const first = await evidence.firstCall(account, attempt.name, from);
  if (first === undefined) return false;
  const { ownUntil } = ownCalls(rotation, attempt, cutover, first);
  // Zero: it is unknown which calls are our own.
  return ownUntil > 0 && (await evidence.firstCall(account, attempt.name, ownUntil)) !== undefined;
};
