import type { Money, UnixMillis, UnixSeconds } from '../../core/index.ts';
import type { PlannedRotation } from './service-types.ts';
import type { KeyFields, NotedUse, QuotaSettled, RetainedReason } from './event-fields.ts';
import type { Fingerprint } from './sink.ts';
import type { RotationTerms } from './terms.ts';

export type GenerationKey = { readonly keyId: number; readonly generation: number; readonly name: string };

/** A key that a rotation requested, under a name that only this attempt has. */
export type Attempt = {
  readonly generation: number;
  readonly name: string;
  readonly askedAt: UnixMillis;
  /** The requested fields; amounts in the unit of answers. */
  readonly spec: KeyFields;
  /**
   * `asked`: no answer is recorded, as after a crash; `lost`: no reliable answer arrived; `delivering`: a sink may hold it; `read-back`: every sink
   * holds it; `superseded`: a sink may hold it, and its plaintext is lost; `clearing`: an orphan whose deletion began; `retained`: an orphan that may
   * be in use.
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
  /** When its deletion was first requested. */
  readonly clearingAt?: UnixMillis;
  /** Places to which a delivery began, whether it completed, and the proof that the sink or a person gave. */
  readonly places: Readonly<
    Record<string, { readonly done: boolean; readonly proof?: Fingerprint | undefined }>
  >;
};

/** A key that ends once the successor is in every sink. */
export type OldKey = GenerationKey & {
  readonly state: 'working' | 'retiring' | 'deleting' | 'over';
  /** It leaked, not every sink ever held it, or consumers may hold it although it was not chosen to be replaced. */
  readonly doubtful?: 'leaked' | 'unfinished' | 'unclear';
  /** Its remaining quota at the cutover, as served; undefined if unlimited. */
  readonly remain?: Money;
  readonly expiry?: { readonly at: UnixSeconds; readonly set: boolean };
  readonly retained?:
    | {
        readonly reason: RetainedReason;
        readonly message: string;
        readonly escalated: boolean;
        /** The last call known at that time. */
        readonly usedAt?: UnixSeconds;
      }
    | undefined;
  /** When a hold because of places ended: the overlap restarts then. */
  readonly heldUntil?: UnixMillis;
  readonly idle: boolean;
  /** The names that the evidence covers: log rows carry names. */
  readonly idleNames?: readonly string[] | undefined;
  readonly idleAt?: UnixMillis;
  /** What a limited key had left then. */
  readonly idleRemain?: Money | undefined;
  /** The use of the last notification to its owner; without calls: that it is unused. */
  readonly noted?: NotedUse;
  /** When its deletion was first requested. */
  readonly deletingAt?: UnixMillis;
  /** Its remaining quota when the successor's quota was last settled with it; `valid` until the key is judged again. */
  readonly settled?: { readonly left: Money; readonly valid: boolean };
};

export type QuotaChange = {
  readonly keyId: number;
  readonly before: Money;
  readonly wanted: Money;
  readonly done: boolean;
  readonly settles?: QuotaSettled | undefined;
};

/** The state of a rotation, derived from its recorded steps. Times in milliseconds UTC. */
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
  /** The cutover on the gateway's clock, if known, and the time from which that clock has run undisturbed. */
  readonly cutoverAtGateway?: { readonly at: UnixMillis; readonly since: UnixMillis };
  readonly reloadedAt?: UnixMillis;
  readonly olds: readonly OldKey[];
  readonly quota: readonly QuotaChange[];
  /** Consecutive failed attempts of the next step. */
  readonly tries: number;
  readonly lastFailure?: { readonly at: UnixMillis; readonly step: string; readonly message: string };
  readonly waiting?: string | undefined;
  readonly waitingSince?: UnixMillis;
  readonly over?: 'done' | 'given-up';
  readonly beganAt: UnixMillis;
  readonly changedAt: UnixMillis;
};

const notCounted: ReadonlySet<Attempt['state']> = new Set(['gone', 'superseded', 'lost', 'retained']);

/** The newest attempt that may still become the successor. */
export const candidateOf = ({ attempts }: Rotation): Attempt | undefined =>
  attempts.findLast(({ state: now }) => !notCounted.has(now));

/** Whether the key ends even if it is in use: it leaked, or its rotation replaces a compromised key. */
export const isCompromised = ({ old, terms }: Rotation, { keyId, doubtful }: OldKey): boolean =>
  // Where sinks held different keys, it is unknown which one leaked, so a key that leaked earlier ends too.
  doubtful === 'leaked' ||
  (terms.retire.when === 'now' && (old?.keyId === keyId || doubtful === 'unfinished'));

/** Whether the old key ends after the overlap without evidence of its disuse. */
export const isTimed = ({ terms }: Rotation, { doubtful }: OldKey): boolean =>
  terms.retire.when === 'after-overlap' && doubtful !== 'unclear';

/** Whether the old key is retained because a place may hold it, even if the call log shows no call. */
export const isHeldByPlace = ({ state, retained }: OldKey): boolean =>
  state !== 'over' && (retained?.reason === 'place-undeclared' || retained?.reason === 'sink-holds-it');

/** Whether the rotation owns the quota of the key: it is the replaced key, or one that the rotation created. */
export const isOfRotation = ({ old, attempts }: Rotation, keyId: number): boolean =>
  old?.keyId === keyId || attempts.some((attempt) => attempt.keyId === keyId);
