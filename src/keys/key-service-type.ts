import type { Fault, Progress } from '../core/index.ts';
import type { KeyEvent } from './events/key-event.ts';
import type {
  AdvanceOptions,
  Advanced,
  DeadKey,
  EndedKey,
  KeySurvey,
  OutdatedService,
  PlannedExpiry,
  PlannedRotation,
  ReconciledService,
  Refusal,
  RotationView,
  SurveyedKey,
} from './model/service-types.ts';

/** All operations on the keys of one account; writes are serialized. */
export type KeyService = {
  readonly survey: (signal: AbortSignal) => Promise<KeySurvey>;
  /** Open rotations, paused ones included. */
  readonly open: () => Promise<readonly RotationView[]>;
  /** Records the start of the rotations and returns their ids; a service has at most one open rotation. */
  readonly start: (planned: readonly PlannedRotation[], who: string) => Promise<readonly string[]>;
  /** Runs every step that is due. A failed step is recorded and notified; it is not an error of the call. */
  readonly advance: (options: AdvanceOptions) => Promise<readonly Advanced[]>;
  /** The keys that a sink holds or may hold, by id, with the reason. */
  readonly keptBySinks: (
    keys: readonly SurveyedKey[],
    survey: KeySurvey,
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<number, string>>;
  readonly expire: (
    planned: readonly PlannedExpiry[],
    who: string,
    signal: AbortSignal,
  ) => Promise<readonly EndedKey[]>;
  /** Why the job cannot deliver a key of the service; checked before a key is created. */
  readonly unusableSink: (service: string, job: string, signal: AbortSignal) => Promise<Fault | undefined>;
  /** Calls with an expired key until the gateway refuses it; undefined if no sink shows its plaintext. */
  readonly awaitRefusal: (
    key: SurveyedKey,
    all: readonly SurveyedKey[],
    options: { readonly signal: AbortSignal; readonly progress: Progress },
  ) => Promise<Refusal | undefined>;
  /** Assigns a key to a service. @throws Fault wrong-use */
  readonly adopt: (
    key: {
      readonly keyId: number;
      readonly service: string;
      readonly generation: number;
      readonly move?: boolean;
    },
    who: string,
    signal: AbortSignal,
  ) => Promise<void>;
  /** Records the service of each key where no fact contradicts it; returns the number of new keys. */
  readonly adoptAll: (keys: readonly SurveyedKey[], who: string) => Promise<number>;
  /** A person confirms by fingerprint that a place holds the key; returns the outcome as a sentence. @throws Fault wrong-use */
  readonly confirm: (service: string, fingerprint: string, who: string) => Promise<string>;
  /** Resumes a paused rotation. @throws Fault wrong-use */
  readonly resume: (service: string, who: string) => Promise<string>;
  /** Ends a rotation and deletes its successor unless a sink may hold it or its disuse is not proven. @throws Fault wrong-use, rotation-blocked */
  readonly giveUp: (service: string, who: string) => Promise<string>;
  /** Forgets places that no job declares any more: the rotation continues as if they held no key. @throws Fault wrong-use */
  readonly forgetPlaces: (service: string, who: string, signal: AbortSignal) => Promise<string>;
  /** Services whose journal is older than the gateway or their sinks: none of their keys is written. */
  readonly outdated: () => Promise<readonly OutdatedService[]>;
  /** Runs before the process ends: deletes keys whose delivery failed and that every sink proves not to hold. */
  readonly releaseUndelivered: (signal: AbortSignal) => Promise<void>;
  readonly deadKeys: () => Promise<readonly DeadKey[]>;
  /** Compares the journal with the key list, and on request with the sinks; records and notifies each finding once. */
  readonly inspect: (options: { readonly sinks: boolean }, signal: AbortSignal) => Promise<void>;
  /** What the journal of each service does not know; `apply` records that in the journal and changes nothing else. */
  readonly reconcile: (
    options: { readonly service?: string | undefined; readonly apply: boolean },
    who: string,
    signal: AbortSignal,
  ) => Promise<readonly ReconciledService[]>;
  /** Oldest first. */
  readonly history: (service?: string) => Promise<readonly KeyEvent[]>;
};
