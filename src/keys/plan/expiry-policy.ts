import {
  toSeconds,
  unixSeconds,
  type Interval,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import type { KeyEvent, KeyUse } from '../key-event.ts';
import { maxLag } from '../lag.ts';
import type { LogCompleteness } from '../ports.ts';
import type { Limits } from './limits.ts';
import type { KeySelection } from './select.ts';

/** What counts the time towards the stages: since the key was made, used last, expired, or was used last while it had no quota left. */
export const expiryClocks = ['age', 'idle', 'expired', 'exhausted'] as const;
export type ExpiryClock = (typeof expiryClocks)[number];

/** Milliseconds on the clock; a stage that is left out is skipped. */
export type ExpiryStages = {
  readonly warn?: number | undefined;
  readonly expire?: number | undefined;
  readonly delete?: number | undefined;
};

export type ExpiryPolicy = {
  /** The job it is of; what others warned of is theirs. */
  readonly job: string;
  readonly select: KeySelection;
  /** Of several the one counts that is furthest. */
  readonly by: readonly ExpiryClock[];
  readonly stages: ExpiryStages;
  /** Milliseconds without a call that are to be proven before a key is set to expire or deleted. */
  readonly quiet: number;
  /** Ends keys that are in use, too. */
  readonly evenIfUsed: boolean;
  /** Ends keys that a sink holds, too. */
  readonly evenIfCurrent: boolean;
  readonly limits: Limits;
  /** Why no key may end now, as a sentence: a wrong clock. */
  readonly suspended?: string;
};

/** What was done to a key before. */
export type PastSteps = { readonly warned?: UnixMillis; readonly expirySet?: UnixMillis };

/** All that is known of the use of the keys; asked for before it is planned. */
export type ExpiryEvidence = {
  /** By id: calls under the key's name since the beginning of `spanAsked` of the longest time. */
  readonly use: ReadonlyMap<number, KeyUse>;
  /** By milliseconds: what the log proves of `spanAsked` of it. */
  readonly log: ReadonlyMap<number, LogCompleteness>;
  /** By name: the ids that had it since the idle time began. */
  readonly idsNamed: ReadonlyMap<string, readonly number[]>;
  /** By id: the names that keys had when the idle time began; missing where no inventory tells. */
  readonly namesThen?: ReadonlyMap<number, string>;
  /** By id: why a sink holds the key, or may hold it. */
  readonly keptBySinks: ReadonlyMap<number, string>;
  /** By id. */
  readonly past: ReadonlyMap<number, PastSteps>;
};

/** What the log is asked about for the last so many milliseconds: as much more as it may lag behind. */
export const rangeAsked = (millis: number, now: UnixMillis, quiet: number): Interval<UnixSeconds> => {
  const end = toSeconds(now);
  return { start: unixSeconds(Math.max(0, end - Math.ceil((millis + maxLag(quiet)) / 1000))), end };
};

const needsLog = (clock: ExpiryClock): boolean => clock === 'idle' || clock === 'exhausted';

/** The times, in milliseconds back from now, that the log must be complete for, the longest last; none where use does not matter. */
export const timesAsked = ({ by, stages, quiet, evenIfUsed }: ExpiryPolicy): readonly number[] => {
  const counted = by.some(needsLog) ? Object.values(stages).filter((time) => time !== undefined) : [];
  const ends = stages.expire !== undefined || stages.delete !== undefined;
  return [...new Set([...counted, ...(evenIfUsed || !ends ? [] : [quiet])])].sort(
    (left, right) => left - right,
  );
};

/** How warnings that begin the end of a key start, as they are written down and told. */
export const warningStage = 'it is to be ended';

const ofJob = 'job ';

/** Whether a step of the journal was taken by a person, or by this job. */
const isOurs = ({ who }: KeyEvent, job: string): boolean => !who.startsWith(ofJob) || who === ofJob + job;

/**
 * What the journal tells of keys that were warned of or set to expire. Another job has other stages: its warning says
 * nothing of what this one does. An expiry is one, whoever set it.
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
