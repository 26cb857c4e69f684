import type { UnixMillis } from '../../core/index.ts';
import type { LineageRow } from '../../warehouse/index.ts';
import type { KeyFields, RetainReason } from './event-fields.ts';
import type { Rotation } from './rotation.ts';
import type { DeadKey, OutdatedService } from './service-types.ts';
import type { Fingerprint } from './sink.ts';

/** A key creation request, as recorded before it was sent. */
export type KeyRequest = {
  readonly rotation: string;
  readonly service: string;
  readonly generation: number;
  readonly name: string;
  readonly askedAt: UnixMillis;
  /** Amounts in the unit of answers. */
  readonly spec: KeyFields;
  /** The job whose sinks receive the key; undefined for temporary keys. */
  readonly job?: string | undefined;
  /** The id in the answer; undefined if no answer is recorded. */
  readonly keyId?: number | undefined;
  readonly fingerprint?: Fingerprint | undefined;
  /** No answer is recorded, so a list may show the key later. */
  readonly isLost: boolean;
  /** The requesting process observed that no answer came, so the plaintext never arrived anywhere. */
  readonly isUnanswered?: boolean;
};

type Identified = {
  readonly rotation: string;
  readonly service: string;
  readonly generation: number;
  readonly name: string;
};

type RetainedKey = Identified & { readonly reason: RetainReason; readonly words: string };

type LeavingKey = Identified & {
  readonly why: 'orphan' | 'probe';
  /** When its deletion was first requested. */
  readonly since: UnixMillis;
};

/** `delivered`: one of our keys, whose delivery began; otherwise a key from another source, seen at this time. */
type KnownContent = { readonly since: UnixMillis; readonly delivered: boolean };

/** What the journal knows about the keys of an account. */
export type KeyState = {
  /** Open rotations by id; only the history has those that are over. */
  readonly rotations: ReadonlyMap<string, Rotation>;
  /** By id. A key that left the lineage stays in it with its end. */
  readonly lineage: ReadonlyMap<number, LineageRow>;
  /** By the name of the key. */
  readonly requests: ReadonlyMap<string, KeyRequest>;
  /** Orphans that are not deleted because they may be in use, by id. */
  readonly retained: ReadonlyMap<number, RetainedKey>;
  /** By id, unusable keys whose deletion began and is not proven. */
  readonly leaving: ReadonlyMap<number, LeavingKey>;
  /** SHA-256 of each key whose plaintext was known here, by id. */
  readonly fingerprints: ReadonlyMap<number, Fingerprint>;
  /** The places from which a key was read back, by its id. */
  readonly readBack: ReadonlyMap<number, readonly string[]>;
  /** By service, the job whose sinks its keys were last delivered to. */
  readonly managed: ReadonlyMap<string, string | undefined>;
  /** Services for which this journal is out of date: none of their keys is written. */
  readonly outdated: ReadonlyMap<string, OutdatedService>;
  /** By service, the highest generation that it ever had, lost ones included. */
  readonly highest: ReadonlyMap<string, number>;
  /** By service, keys whose delivery began since its last cutover: its sinks may hold different keys. */
  readonly unfinished: ReadonlyMap<string, ReadonlySet<number>>;
  /** By service, the key that every sink held at the last cutover, until that key ends. */
  readonly current: ReadonlyMap<string, { readonly keyId: number; readonly places: readonly string[] }>;
  /** By service, places to which its keys were delivered, or where they were seen, until a person forgets them. */
  readonly places: ReadonlyMap<string, ReadonlySet<string>>;
  /** By place, what it held or may hold. */
  readonly contents: ReadonlyMap<string, ReadonlyMap<Fingerprint, KnownContent>>;
  /** By place, keys that the gateway no longer accepts. */
  readonly deadKeys: ReadonlyMap<string, DeadKey>;
};

type Changeable<Value> =
  Value extends ReadonlyMap<infer Key, infer Inner>
    ? Map<Key, Changeable<Inner>>
    : Value extends ReadonlySet<infer Inner>
      ? Set<Inner>
      : Value;

/** The same maps, for the reducer alone. */
export type KeyStateMaps = { readonly [Field in keyof KeyState]: Changeable<KeyState[Field]> };

export const emptyKeyState = (): KeyStateMaps => ({
  rotations: new Map(),
  lineage: new Map(),
  requests: new Map(),
  retained: new Map(),
  leaving: new Map(),
  fingerprints: new Map(),
  readBack: new Map(),
  managed: new Map(),
  outdated: new Map(),
  highest: new Map(),
  unfinished: new Map(),
  current: new Map(),
  places: new Map(),
  contents: new Map(),
  deadKeys: new Map(),
});

/** Oldest first. */
export const openRotations = ({ rotations }: KeyState): readonly Rotation[] =>
  [...rotations.values()].sort((left, right) => left.beganAt - right.beganAt);

/** The request for a key of this name whose answer is not recorded. */
export const lostRequest = ({ requests }: KeyState, name: string): KeyRequest | undefined => {
  const request = requests.get(name);
  return request?.isLost === true ? request : undefined;
};
