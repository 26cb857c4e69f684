import type { Fault, Money, Progress, UnixMillis, UnixSeconds } from '../../core/index.ts';
import type { ApiKey } from '../../gateway/index.ts';
import type { ExpiryNotice } from './alert.ts';
import type { KeyFields, NotedUse } from './event-fields.ts';
import type { RotationTerms } from './terms.ts';

/** A key that a sink holds and that the gateway no longer accepts. */
export type DeadKey = {
  readonly service: string;
  readonly place: string;
  readonly keyId: number;
  readonly name: string;
  readonly state: 'deleted' | 'expired' | 'disabled';
  /** When the sink was read. */
  readonly since: UnixMillis;
};

/** A service whose journal is older than the gateway or its sinks, or for which another program creates keys. */
export type OutdatedService = {
  readonly service: string;
  readonly since: UnixMillis;
  /** What the journal does not know, one line each. */
  readonly differences: readonly string[];
};

/** One of several valid keys of a service whose consumers may hold any of them; `places`: the sinks that hold it. */
export type CurrentCandidate = {
  readonly keyId: number;
  readonly name: string;
  /** As the gateway serves it. */
  readonly mask?: string;
  readonly places: readonly string[];
};

/** A listed key with its position in the lineage of its service. */
export type SurveyedKey = {
  readonly key: ApiKey;
  readonly service: string;
  readonly generation: number;
  /** The lineage contains this id; otherwise service and generation come from the name. */
  readonly known: boolean;
  /** It has left the lineage; only a person returns it. */
  readonly retired?: boolean | undefined;
  /** A sink may hold it: its delivery began and never reached every sink. */
  readonly unfinished?: boolean;
  readonly retained?: string | undefined;
  /** A delivery began since the last cutover, so the sinks of the service may hold different keys. */
  readonly split?: boolean;
  /** The valid keys of its service when the journal does not show which of them consumers hold, so that a person must decide. */
  readonly candidates?: readonly CurrentCandidate[] | undefined;
  readonly rotation?:
    | { readonly id: string; readonly stage: RotationStage; readonly part: RotationPart }
    | undefined;
};

export type KeySurvey = { readonly at: UnixMillis; readonly keys: readonly SurveyedKey[] };

/** The role of a key in a rotation: `old` is to be replaced; it is `leaving` once its `successor` is in every sink, or `kept` when retained. */
export type RotationPart = 'old' | 'leaving' | 'kept' | 'successor';

export type RotationStage =
  | 'planned'
  | 'creating'
  | 'created'
  | 'verified'
  | 'delivering'
  | 'delivered'
  | 'current'
  | 'retiring'
  | 'waiting'
  | 'done'
  | 'given-up';

export type PlannedRotation = {
  readonly service: string;
  /** `split`: the last rotation was given up, so the sinks may hold different keys. */
  readonly why: 'age' | 'split' | 'hand' | 'leak' | 'new';
  readonly terms: RotationTerms;
  readonly old?:
    | {
        readonly keyId: number;
        readonly generation: number;
        readonly name: string;
        readonly remainQuota: Money;
        readonly unlimitedQuota: boolean;
        /** The creation time; undefined if the gateway does not state it. */
        readonly born?: UnixMillis;
      }
    | undefined;
  /** The fields of the first key of a service. */
  readonly fresh?: KeyFields | undefined;
};

export type PlannedExpiry = {
  readonly keyId: number;
  readonly generation: number;
  readonly name: string;
  readonly service: string;
  readonly action:
    /** `stage` identifies the notice and is its English text. */
    | { readonly kind: 'warn'; readonly stage: string; readonly notice?: ExpiryNotice | undefined }
    /** `at` is on the gateway's clock. */
    | { readonly kind: 'expire'; readonly at: UnixSeconds }
    /** Milliseconds from now; 0: immediately, on every clock of the gateway. */
    | { readonly kind: 'expire'; readonly in: number }
    | { readonly kind: 'delete' };
  /** A person requests it, even if every sink holds the key and its rotation is open. */
  readonly evenIfCurrent?: boolean;
  /** The key ends because the call log shows no call, so the evidence is renewed right before. */
  readonly ifUnused?: boolean;
};

export type EndedKey = {
  readonly account: string;
  readonly keyId: number;
  readonly name: string;
  readonly done: boolean;
  readonly message: string;
};

export type RotationView = {
  readonly id: string;
  readonly account: string;
  readonly service: string;
  readonly stage: RotationStage;
  readonly since: UnixMillis;
  /** One sentence: what the rotation waits for, or what is wrong and what to do. */
  readonly message: string;
  readonly old?: { readonly keyId: number; readonly name: string } | undefined;
  readonly candidate?: { readonly keyId: number; readonly name: string };
  readonly cutOver?: boolean;
  readonly tries: number;
  /** Consecutive failed attempts after which the rotation pauses. */
  readonly triesAllowed?: number;
  /** The earliest time of the next attempt; undefined if no step failed, and while the rotation is paused. */
  readonly nextTry?: UnixMillis;
  /** An old key is past its overlap and is, or may be, still in use. */
  readonly escalated?: boolean;
  /** An old key is retained because a place may hold it, until a person declares or forgets the place. */
  readonly isHeldByPlace?: boolean;
  /** The use of an old key in the last notification to its owner, seconds UTC; without calls: that it is unused. */
  readonly oldUse?: NotedUse & { readonly keyId: number; readonly name: string };
  /** Why its last step failed. */
  readonly fault?: { readonly code: string; readonly message: string; readonly advice: string } | undefined;
};

/** What an operation on keys of an account did. */
export type KeyOutcome = {
  readonly rotations: readonly RotationView[];
  readonly changes: readonly EndedKey[];
  readonly notes: readonly string[];
  /** Changes since the plan was made; if there are any, nothing was done. */
  readonly stale?: readonly string[];
  /** No step failed, and nothing is paused. */
  readonly good: boolean;
};

export type Advanced = {
  readonly view: RotationView;
  readonly moved: boolean;
  readonly fault?: Fault | undefined;
};

export type AdvanceOptions = {
  /** All open rotations if omitted. */
  readonly ids?: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** Whether a failed delivery is retried within the call, with the same key. */
  readonly retries?: boolean;
  /** Whether rotations that moved are advanced again; one with a fault is left to its next attempt. */
  readonly untilIdle?: boolean;
};

/** What the journal of a service does not know, and what it adopts, in sentences. */
export type ReconciledService = {
  readonly service: string;
  readonly differences: readonly string[];
  readonly changes: readonly string[];
  readonly applied: boolean;
  /** Sinks that hold a key that no longer works, in sentences. */
  readonly faults: readonly string[];
};

export type Refusal = {
  /** When a call was first refused; undefined if all calls were accepted. */
  readonly refusedAt?: UnixMillis;
  readonly calledAt: UnixMillis;
};
