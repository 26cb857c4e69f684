import type { Fault, Money, Progress, UnixMillis, UnixSeconds } from '../core/index.ts';
import type { ApiKey } from '../gateway/index.ts';
import type { DeadKey } from './journal/dead-key-memory.ts';
import type { OutdatedService } from './journal/service-memory.ts';
import type { KeyEvent, KeyFields, KeyUse } from './key-event.ts';
import type { RotationTerms } from './terms.ts';

/** One of several valid keys of a service whose consumers may hold any of them; `places` are sinks that hold it. */
export type CurrentCandidate = {
  readonly keyId: number;
  readonly name: string;
  /** As the gateway serves it. */
  readonly mask?: string;
  readonly places: readonly string[];
};

/** A key as the gateway lists it now, with the place it has in its service's line. */
export type SurveyedKey = {
  readonly key: ApiKey;
  readonly service: string;
  readonly generation: number;
  /** In the lineage under this id, whatever it is called; otherwise service and generation are read off its name. */
  readonly known: boolean;
  /** It has left the line: only a person brings it back. */
  readonly retired?: boolean | undefined;
  /** Its delivery was begun, and every sink never held it: a sink may. */
  readonly unfinished?: boolean;
  /** An orphan that is not deleted, and why. */
  readonly retained?: string | undefined;
  /** A delivery to the sinks of its service was begun since the last cutover: they may hold different keys. */
  readonly split?: boolean;
  /** The valid keys of its service, where the journal does not say which of them consumers hold: a person decides. */
  readonly candidates?: readonly CurrentCandidate[] | undefined;
  /** The open rotation it has a part in. */
  readonly rotation?:
    | { readonly id: string; readonly stage: RotationStage; readonly part: RotationPart }
    | undefined;
};

export type KeySurvey = { readonly at: UnixMillis; readonly keys: readonly SurveyedKey[] };

/** What a key is to a rotation: `old` is to be replaced, and is `leaving` once its `successor` is in every sink. */
export type RotationPart = 'old' | 'leaving' | 'kept' | 'successor';

/** How far a rotation is; the last three are at rest. */
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

/** A rotation to begin. */
export type PlannedRotation = {
  readonly service: string;
  /** `split`: the service's sinks may hold different keys, since its last rotation was given up. */
  readonly why: 'age' | 'split' | 'hand' | 'leak' | 'new';
  readonly terms: RotationTerms;
  readonly old?:
    | {
        readonly keyId: number;
        readonly generation: number;
        readonly name: string;
        readonly remainQuota: Money;
        readonly unlimitedQuota: boolean;
        /** When the gateway made it; missing where it does not tell. */
        readonly born?: UnixMillis;
      }
    | undefined;
  /** What the first key of a service is made with. */
  readonly fresh?: KeyFields | undefined;
};

/** One step on a key that is to end. */
export type PlannedExpiry = {
  readonly keyId: number;
  readonly generation: number;
  readonly name: string;
  readonly service: string;
  readonly action:
    | { readonly kind: 'warn'; readonly stage: string }
    /** `at` is on the gateway's clock. */
    | { readonly kind: 'expire'; readonly at: UnixSeconds }
    /** Milliseconds from now; 0: at once, on every clock of the gateway. */
    | { readonly kind: 'expire'; readonly in: number }
    | { readonly kind: 'delete' };
  /** A person says so, though every sink holds it and its rotation is not over. */
  readonly evenIfCurrent?: boolean;
  /** It ends because the call log shows no call: the evidence is renewed right before. */
  readonly ifUnused?: boolean;
};

export type RotationView = {
  readonly id: string;
  readonly account: string;
  readonly service: string;
  readonly stage: RotationStage;
  readonly since: UnixMillis;
  /** One sentence: what it waits for, or what is wrong and what to do. */
  readonly message: string;
  readonly old?: { readonly keyId: number; readonly name: string } | undefined;
  readonly candidate?: { readonly keyId: number; readonly name: string };
  /** Whether every sink held the candidate: from then on the old key can go. */
  readonly cutOver?: boolean;
  /** Failed tries of the step it stands before. */
  readonly tries: number;
  /** Of so many in a row, before it is paused. */
  readonly triesAllowed?: number;
  /** When a step that failed is tried again at the earliest; missing where none failed, and where a person is waited for. */
  readonly nextTry?: UnixMillis;
  /** An old key should be gone by now and is still used, or may be. */
  readonly escalated?: boolean;
  /** An old key stays because a place may hold it: a person declares the place, or gives it up. */
  readonly isHeldByPlace?: boolean;
};

export type Advanced = {
  readonly view: RotationView;
  /** Whether any step was taken. */
  readonly moved: boolean;
  readonly fault?: Fault | undefined;
};

/** What operators, or a key's owner, are notified of once for each `key`. */
export type KeyAlert = {
  readonly kind: 'failed' | 'waiting' | 'held' | 'escalated' | 'done' | 'exposure' | 'orphan' | 'warning';
  readonly account: string;
  readonly service: string;
  readonly rotation: string;
  readonly title: string;
  readonly message: string;
  /** Of the fault that it is about; precedes what is to be done for all news of the kind. */
  readonly faultAdvice?: string | undefined;
  /** What to do, where that is not what it is for most news of the kind. */
  readonly advice?: string | undefined;
  readonly use?: KeyUse | undefined;
  readonly key: string;
};

export type AdvanceOptions = {
  /** All open ones when left out. */
  readonly ids?: readonly string[] | undefined;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** Whether a failed delivery is repeated within the call, with the same key. */
  readonly retries?: boolean;
};

/** What the journal of a service does not know of, and what it takes over, in sentences. */
export type ReconciledService = {
  readonly service: string;
  readonly differences: readonly string[];
  readonly changes: readonly string[];
  readonly applied: boolean;
  /** Sinks that hold a key which no longer works, in sentences. */
  readonly faults: readonly string[];
};

/** What calls with an expired key showed. */
export type Refusal = {
  /** When the first call was refused; missing where calls were accepted to the end. */
  readonly refusedAt?: UnixMillis;
  /** When the last call was made. */
  readonly calledAt: UnixMillis;
};

/** All that is done to the keys of one account; writes go one after the other. */
export type KeyService = {
  readonly survey: (signal: AbortSignal) => Promise<KeySurvey>;
  /** Rotations that are not over, and those that wait for a person. */
  readonly open: () => Promise<readonly RotationView[]>;
  /** Writes down that they begin, and gives their names; a service that has one open gets no second. */
  readonly start: (planned: readonly PlannedRotation[], who: string) => Promise<readonly string[]>;
  /** Takes each step that can be taken now; none is waited for. A failed step is told, and is no error of the call. */
  readonly advance: (options: AdvanceOptions) => Promise<readonly Advanced[]>;
  /** Which of the keys a sink holds or may hold, by id, with the reason. */
  readonly keptBySinks: (
    keys: readonly SurveyedKey[],
    survey: KeySurvey,
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<number, string>>;
  readonly expire: (
    planned: readonly PlannedExpiry[],
    who: string,
    signal: AbortSignal,
  ) => Promise<
    readonly { readonly planned: PlannedExpiry; readonly done: boolean; readonly message: string }[]
  >;
  /** Why no key of the service can be delivered by the job, found before one is created. */
  readonly unusableSink: (service: string, job: string, signal: AbortSignal) => Promise<Fault | undefined>;
  /** Calls with an expired key until it is refused; nothing where no sink shows its plaintext. */
  readonly awaitRefusal: (
    key: SurveyedKey,
    all: readonly SurveyedKey[],
    options: { readonly signal: AbortSignal; readonly progress: Progress },
  ) => Promise<Refusal | undefined>;
  /** Says of which service a key is. @throws Fault wrong-use */
  readonly adopt: (
    key: {
      readonly keyId: number;
      readonly service: string;
      readonly generation: number;
      /** From the service that it is a key of so far. */
      readonly move?: boolean;
    },
    who: string,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Writes down which service each of these belongs to, so far as nothing speaks against it; gives how many were new. */
  readonly adoptAll: (keys: readonly SurveyedKey[], who: string) => Promise<number>;
  /** A person says which key is before them; gives what came of it as a sentence. @throws Fault wrong-use */
  readonly confirm: (service: string, fingerprint: string, who: string) => Promise<string>;
  /** Resumes a paused rotation. @throws Fault wrong-use */
  readonly resume: (service: string, who: string) => Promise<string>;
  /** Ends a rotation: its successor is cleared away unless a sink may hold it. @throws Fault wrong-use */
  readonly giveUp: (service: string, who: string) => Promise<string>;
  /** Gives up places that no job declares any more: the rotation goes on as if they held no key. @throws Fault wrong-use */
  readonly forgetPlaces: (service: string, who: string, signal: AbortSignal) => Promise<string>;
  /** Services whose journal is older than the gateway or their sinks: none of their keys is written. */
  readonly outdated: () => Promise<readonly OutdatedService[]>;
  /** Before the process ends: deletes keys whose delivery failed and that every sink proves not to hold. */
  readonly releaseUndelivered: (signal: AbortSignal) => Promise<void>;
  /** Sinks that were last read to hold a key which no longer works. */
  readonly deadKeys: () => Promise<readonly DeadKey[]>;
  /** Compares journal and key list, and on request the sinks; what is found is written down and reported once. */
  readonly inspect: (options: { readonly sinks: boolean }, signal: AbortSignal) => Promise<void>;
  /** What the journal of each service does not know of; `apply` takes that over into the journal, and changes nothing else. */
  readonly reconcile: (
    options: { readonly service?: string | undefined; readonly apply: boolean },
    who: string,
    signal: AbortSignal,
  ) => Promise<readonly ReconciledService[]>;
  /** Oldest first. */
  readonly history: (service?: string) => Promise<readonly KeyEvent[]>;
};
