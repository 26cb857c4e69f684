import type { UnixMillis, UnixSeconds } from '../../core/index.ts';
import type { Cycle } from '../cycle/cycle.ts';
import type { Consumer } from '../cycle/engine-deps.ts';
import { declaredSinks } from '../cycle/known-places.ts';
import type { KeyMatter } from '../model/alert.ts';
import type { Attempt, OldKey, Rotation } from '../model/rotation.ts';
import type { Sink } from '../model/sink.ts';

export type WantedPlace = { readonly place: string; readonly confirmedByPerson: boolean };

export type View = {
  readonly now: UnixMillis;
  /** IANA time zone of times in messages. */
  readonly zone: string;
  /** The gateway's clock, which ends keys; undefined while it is unknown. */
  readonly gatewayNow?: UnixMillis;
  readonly listedAt: UnixMillis;
  readonly isListed: (keyId: number) => boolean;
  readonly isDead: (keyId: number) => boolean;
  readonly nameOf: (keyId: number) => string | undefined;
  /** A listed key with the name of the attempt that belongs to no lineage. */
  readonly orphanOf: (attempt: Attempt) => number | undefined;
  readonly holds: (attempt: Attempt) => boolean;
  /** Undefined when the job or its sinks are no longer declared. */
  readonly places: readonly WantedPlace[] | undefined;
  readonly reloads: boolean;
  /** Places that may hold an old key and that no declared sink reads. */
  readonly undeclaredPlaces: readonly string[];
  readonly isOverlapChecked: (keyId: number) => boolean;
  /** Whether the use of an old key up to this time was looked at; `to` in seconds UTC. */
  readonly isUseLookedAt: (keyId: number, to: UnixSeconds) => boolean;
  /** Milliseconds for which a request without an answer may still reach the gateway. */
  readonly settle: number;
  /** Keys that only a later cycle can handle, with the reason: no list shows their deletion yet, or they stay. */
  readonly resting: (keyId: number) => string | undefined;
  /** Another service with an undelivered key that a crash would orphan; an account has at most one such key. */
  readonly unsettledElsewhere: () => string | undefined;
  /** The cycle has requested a key for this rotation. */
  readonly hasRequested: boolean;
  /** A request by a person skips the pause after a failed step. */
  readonly requested: boolean;
};

/** A notification for operators while a rotation rests: sent from `since` on and repeated each week, because no failed step reports it. */
type Pending = {
  readonly about: KeyMatter;
  /** Part of the notification key. The outbox stores the key for open rotations, so this text must never change. */
  readonly key: string;
  readonly since: UnixMillis;
  readonly atOnce: boolean;
};

/** No step is due. `pending`: what operators must learn; `blocked`: the rotation waits for another one. */
export type Rest = { readonly rest: string; readonly pending?: Pending; readonly blocked?: true };

/** What the steps of an attempt depend on. */
export type OfAttempt = {
  readonly rotation: Rotation;
  readonly view: View;
  readonly attempt: Attempt;
  /** An undelivered key can no longer be delivered. */
  readonly isUnusable: boolean;
  readonly places: readonly WantedPlace[];
};

/** What the steps of an old key depend on; `attempt`: its successor. */
export type OfOld = {
  readonly rotation: Rotation;
  readonly view: View;
  readonly attempt: Attempt;
  readonly old: OldKey;
  readonly cutover: UnixMillis;
};

export type Work = {
  readonly cycle: Cycle;
  /** May throw: its error fails only the steps that need the consumer. */
  readonly consumerOf: () => Consumer | undefined;
};

/** A step of a rotation, for the situation in which it may be due. */
export type Step<Situation> = {
  readonly name: string;
  /** Whether the step is due, or why the rotation rests. Pure. */
  readonly due: (situation: Situation) => boolean | Rest;
  readonly run: (work: Work, situation: Situation) => Promise<void>;
  /** The sinks are read again before it, because another program may have written there since the cycle began. */
  readonly rereadsSinks?: true;
  readonly writesSink?: true;
  /** It runs even if the journal is out of date. */
  readonly evenIfOutdated?: true;
};

/** A step that is due. */
export type DueStep = Pick<Step<never>, 'name' | 'rereadsSinks' | 'writesSink' | 'evenIfOutdated'> & {
  readonly run: (work: Work) => Promise<void>;
};

/** The first step that is due, or why the rotation rests. */
export const firstDue = <Situation>(
  steps: readonly Step<Situation>[],
  situation: Situation,
): DueStep | Rest | undefined => {
  for (const step of steps) {
    const due = step.due(situation);
    if (due === true) return { ...step, run: (work) => step.run(work, situation) };
    if (due !== false) return due;
  }
  return undefined;
};

/** @throws RangeError */
export const neverCalled = (what: string): never => {
  throw new RangeError(`${what} is missing`);
};

export const consumerOf = ({ consumerOf: find }: Work, { terms }: Rotation): Consumer =>
  find() ?? neverCalled(`the job ${terms.job}`);

/** The sinks that the current configuration declares for the service. */
export const sinksOf = ({ cycle, consumerOf: find }: Work, rotation: Rotation): readonly Sink[] =>
  declaredSinks(cycle, rotation, find);
