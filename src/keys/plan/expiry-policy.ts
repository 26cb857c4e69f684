import {
  toSeconds,
  unixSeconds,
  type Interval,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import type { KeyEvent } from '../events/key-event.ts';
import type { ClockProblem, KeyUse } from '../model/event-fields.ts';
import { maxLag } from '../model/lag.ts';
import type { LogCompleteness } from '../model/ports.ts';
import type { Limits } from './limits.ts';
import type { KeySelection } from './select.ts';

/** The start of the time towards the stages: creation, last use, expiry, or the last use of a key without quota. */
export const expiryClocks = ['age', 'idle', 'expired', 'exhausted'] as const;
export type ExpiryClock = (typeof expiryClocks)[number];

/** Milliseconds on the clock; an omitted stage is skipped. */
export type ExpiryStages = {
  readonly warn?: number | undefined;
  readonly expire?: number | undefined;
  readonly delete?: number | undefined;
};

export type ExpiryPolicy = {
  /** The job of the policy; warnings by other jobs do not count. */
  readonly job: string;
  /** IANA time zone of times in messages. */
  readonly zone: string;
  readonly select: KeySelection;
  /** The clock that is furthest ahead decides. */
  readonly by: readonly ExpiryClock[];
  readonly stages: ExpiryStages;
  /** Milliseconds without a call that must be proven before a key expires or is deleted. */
  readonly quiet: number;
  readonly evenIfUsed: boolean;
  readonly evenIfCurrent: boolean;
  readonly limits: Limits;
  /** A wrong clock, because of which no key may end now. */
  readonly suspended?: ClockProblem;
};

export type PastSteps = { readonly warned?: UnixMillis; readonly expirySet?: UnixMillis };

export type ExpiryEvidence = {
  /** By id: calls under the key's name since the start of `rangeAsked` for the longest time. */
  readonly use: ReadonlyMap<number, KeyUse>;
  /** By milliseconds: what the log proves for `rangeAsked` of that time. */
  readonly log: ReadonlyMap<number, LogCompleteness>;
  /** By name: the ids that had it since the start of the idle time. */
  readonly idsNamed: ReadonlyMap<string, readonly number[]>;
  /** By id: the names at the start of the idle time; undefined without an inventory. */
  readonly namesThen?: ReadonlyMap<number, string>;
  readonly keptBySinks: ReadonlyMap<number, string>;
  /** By id. */
  readonly past: ReadonlyMap<number, PastSteps>;
};

/** The interval of the log to query for the last `millis` milliseconds, extended by the allowed lag. */
export const rangeAsked = (millis: number, now: UnixMillis, quiet: number): Interval<UnixSeconds> => {
  const end = toSeconds(now);
  return { start: unixSeconds(Math.max(0, end - Math.ceil((millis + maxLag(quiet)) / 1000))), end };
};

const needsLog = (clock: ExpiryClock): boolean => clock === 'idle' || clock === 'exhausted';

/** The times, in milliseconds before now, for which the log must be complete, the longest last; empty if use does not matter. */
export const timesAsked = ({ by, stages, quiet, evenIfUsed }: ExpiryPolicy): readonly number[] => {
  const counted = by.some(needsLog) ? Object.values(stages).filter((time) => time !== undefined) : [];
  const ends = stages.expire !== undefined || stages.delete !== undefined;
  return [...new Set([...counted, ...(evenIfUsed || !ends ? [] : [quiet])])].sort(
    (left, right) => left - right,
  );
};

/** The prefix of expiry warnings in the journal and in notifications. */
export const warningStage = 'it is to be ended';

const ofJob = 'job ';

const isOurs = ({ who }: KeyEvent, job: string): boolean => !who.startsWith(ofJob) || who === ofJob + job;

/**
 * Earlier warnings and expiries per key. Jobs differ in their stages, so a warning counts only for its own job; an expiry counts no matter who set
 * it.
 */
export const pastSteps = (history: readonly KeyEvent[], job: string): ReadonlyMap<number, PastSteps> => {
  const past = new Map<number, PastSteps>();
  for (const event of history) {
    if (event.what === 'warned' && isOurs(event, job) && event.stage.startsWith(warningStage))
      past.set(event.keyId, { ...past.get(event.keyId), warned: event.at });
    if (event.what === 'expiry-set') past.set(event.keyId, { ...past.get(event.keyId), expirySet: event.at });
  }
  return past;
};
