import type { Money, UnixMillis, UnixSeconds } from '../core/index.ts';
import type { PlannedRotation } from './service-types.ts';
import type { retainedReasons, KeyFields } from './key-event.ts';
import type { Fingerprint } from './sink.ts';
import type { RotationTerms } from './terms.ts';

export type RetainedReason = (typeof retainedReasons)[number];

export type GenerationKey = { readonly keyId: number; readonly generation: number; readonly name: string };

/** A key that was asked for on behalf of a rotation, under a name that only this attempt has. */
export type Attempt = {
  readonly generation: number;
  readonly name: string;
  readonly askedAt: UnixMillis;
  /** What it was asked for with; amounts in the unit of answers. */
  readonly spec: KeyFields;
  /**
   * `asked`: no answer is written down, as when we died; `lost`: none came that could be believed; `made`, `verified`;
   * `delivering`: a sink may hold it; `read-back`: every sink does; `superseded`: a sink may, and its plaintext is gone;
   * `clearing`: an orphan that is being deleted; `retained`: an orphan that may be in use; `gone`.
   */
  readonly state:
    | 'asked'
    | 'lost'
    | 'made'
    | 'verified'
    | 'delivering'
    | 'read-back'
    | 'current'
    | 'superseded'
    | 'clearing'
    | 'retained'
    | 'gone';
  readonly keyId?: number;
  readonly fingerprint?: Fingerprint | undefined;
  readonly madeAt?: UnixMillis;
  /** When its deletion was first asked for. */
  readonly clearingAt?: UnixMillis;
  /** Places that a delivery was begun to, and whether it was seen through; with what the sink, or a person, answered. */
  readonly places: Readonly<
    Record<string, { readonly done: boolean; readonly proof?: Fingerprint | undefined }>
  >;
};

/** A key that is to go once the successor is in every sink. */
export type OldKey = GenerationKey & {
  readonly state: 'working' | 'retiring' | 'deleting' | 'over';
  /** It leaked, not every sink ever held it, or consumers may hold it although it was not chosen to be replaced. */
  readonly doubtful?: 'leaked' | 'unfinished' | 'unclear';
  /** What it had left at the cutover, as served; nothing when unlimited. */
  readonly remain?: Money;
  readonly expiry?: { readonly at: UnixSeconds; readonly set: boolean };
  readonly retained?:
    | {
        readonly reason: RetainedReason;
        readonly message: string;
        readonly escalated: boolean;
        /** The last call that was seen then. */
        readonly usedAt?: UnixSeconds;
      }
    | undefined;
  /** When a hold for the sake of places ended: its overlap begins again. */
  readonly heldUntil?: UnixMillis;
  readonly idle: boolean;
  /** The names it was proven by: log rows carry names. */
  readonly idleNames?: readonly string[] | undefined;
  /** When it was last proven that nobody uses it. */
  readonly idleAt?: UnixMillis;
  /** What a limited key had left then. */
  readonly idleRemain?: Money | undefined;
  /** When its deletion was first asked for. */
  readonly deletingAt?: UnixMillis;
  /** What it had left when the successor's quota was last settled with it; `valid` until it is judged again. */
  readonly settled?: { readonly left: Money; readonly valid: boolean };
};

/** An old key that a successor's quota is settled with, and what it has left. */
export type QuotaSettled = { readonly keyId: number; readonly left: Money };

/** A figure that is about to be written, or was. */
export type QuotaChange = {
  readonly keyId: number;
  readonly before: Money;
  readonly wanted: Money;
  readonly done: boolean;
  readonly settles?: QuotaSettled | undefined;
};

/** A rotation as the steps that were written down make it. Moments in milliseconds UTC. */
export type Rotation = {
  readonly id: string;
  readonly account: string;
  readonly service: string;
  readonly why: PlannedRotation['why'];
  readonly who: string;
  readonly terms: RotationTerms;
  readonly old?: PlannedRotation['old'] | undefined;
  readonly fresh?: KeyFields | undefined;
  readonly attempts: readonly Attempt[];
  readonly cutover?: UnixMillis;
  /** The same by the gateway's clock, where it was known, and since when that clock had not been set. */
  readonly cutoverAtGateway?: { readonly at: UnixMillis; readonly since: UnixMillis };
  /** When the consumer was told to take the new key up. */
  readonly reloadedAt?: UnixMillis;
  readonly olds: readonly OldKey[];
  readonly quota: readonly QuotaChange[];
  /** Failed tries in a row of the step it stands before. */
  readonly tries: number;
  readonly lastFailure?: { readonly at: UnixMillis; readonly step: string; readonly message: string };
  readonly waiting?: string | undefined;
  readonly waitingSince?: UnixMillis;
  readonly over?: 'done' | 'given-up';
  readonly beganAt: UnixMillis;
  readonly changedAt: UnixMillis;
};

const notCounted: ReadonlySet<Attempt['state']> = new Set(['gone', 'superseded', 'lost', 'retained']);

/** The newest attempt that still counts. */
export const candidateOf = ({ attempts }: Rotation): Attempt | undefined =>
  attempts.findLast(({ state: now }) => !notCounted.has(now));

/** Whether the key is not kept for anybody: it leaked, or its rotation replaces a compromised key. */
export const isCompromised = ({ old, terms }: Rotation, { keyId, doubtful }: OldKey): boolean =>
  // Where sinks held different keys, it is unknown which one leaked: a key that leaked before is not spared now.
  doubtful === 'leaked' ||
  (terms.retire.when === 'now' && (old?.keyId === keyId || doubtful === 'unfinished'));

/** Whether the old key ends after the overlap without evidence that it is unused. */
export const isTimed = ({ terms }: Rotation, { doubtful }: OldKey): boolean =>
  terms.retire.when === 'after-overlap' && doubtful !== 'unclear';

/** Whether the old key stays because a place may hold it, also if the call log shows no call. */
export const isHeldByPlace = ({ state, retained }: OldKey): boolean =>
  state !== 'over' && (retained?.reason === 'place-undeclared' || retained?.reason === 'sink-holds-it');

/** Whether the quota of the key is the rotation's: the key that is replaced, or one that was made for it and superseded. */
export const isOfRotation = ({ old, attempts }: Rotation, keyId: number): boolean =>
  old?.keyId === keyId || attempts.some((attempt) => attempt.keyId === keyId);
