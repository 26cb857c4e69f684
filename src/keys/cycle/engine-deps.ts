import type { Clock, GatewayClock, Log, OwnStamps, Secret, UnixSeconds } from '../../core/index.ts';
import type { ApiKey } from '../../gateway/index.ts';
import type { KeyAlert } from '../model/alert.ts';
import type { SurveyedKey } from '../model/service-types.ts';
import type { KeyJournal } from '../journal/journal.ts';
import type { KeyFields, KeyUse } from '../model/event-fields.ts';
import type { KeyEvidence } from '../model/ports.ts';
import type { Sink } from '../model/sink.ts';
import type { KeyChange } from '../update/compare-keys.ts';
import type { UpdatedKey } from '../update/put-whole.ts';
import type { VerifiedKey } from './verify.ts';

/** The key operations of the account; amounts are in the unit of the gateway's answers. */
export type KeyGateway = {
  /** Every key, each once. */
  readonly list: (signal: AbortSignal) => Promise<readonly ApiKey[]>;
  readonly read: (id: number, signal: AbortSignal) => Promise<ApiKey>;
  readonly create: (
    name: string,
    fields: KeyFields,
    signal: AbortSignal,
  ) => Promise<{ readonly id: number; readonly key: Secret }>;
  /** Changes no other field, or throws. */
  readonly update: (
    id: number,
    change: KeyChange,
    options: { readonly neverRaise: boolean },
    signal: AbortSignal,
  ) => Promise<UpdatedKey>;
  readonly remove: (id: number, signal: AbortSignal) => Promise<void>;
};

export type Consumer = {
  readonly sinks: readonly Sink[];
  /** Calls a model with the key. @throws Fault key-verify-refused, key-verify-unclear */
  readonly verify: (key: Secret, signal: AbortSignal) => Promise<VerifiedKey>;
  /** Calls a model once with the key and returns whether the gateway refuses it. @throws Fault gateway-unreachable and the like */
  readonly refuses?: (key: Secret, signal: AbortSignal) => Promise<boolean>;
  /** Notifies the consumer, where it needs a signal to load the key. */
  readonly reload?: (service: string, signal: AbortSignal) => Promise<void>;
};

export type Plaintexts = Map<string, Secret>;

export type EngineDeps = {
  readonly account: string;
  /** IANA time zone of times in messages. */
  readonly zone: string;
  readonly journal: KeyJournal;
  readonly gateway: KeyGateway;
  readonly evidence: KeyEvidence;
  /** Calls under each name from this second of the gateway's clock until now, read from the gateway itself. */
  readonly recentCalls?: (
    names: readonly string[],
    since: UnixSeconds,
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<string, KeyUse>>;
  /** Undefined when the job is not declared (any more). @throws Fault sink-refused */
  readonly consumerOf: (job: string, service: string) => Consumer | undefined;
  readonly deliveredBy?: (key: SurveyedKey) => readonly string[];
  /** The only place besides the sinks that holds plaintext keys; lost when the process ends. */
  readonly plaintexts: Plaintexts;
  /** Old keys without a call whose owners need no notification, and up to when, in seconds UTC; a restart looks again. */
  readonly unusedUntil: Map<number, UnixSeconds>;
  /** Templates that parse the names of keys that no lineage contains; the first match wins. */
  readonly templates: readonly string[];
  /** Notifies operators once per `key` of the alert; never throws. */
  readonly notify: (alert: KeyAlert) => Promise<void>;
  /** Stores each key list, so that the inventory proves which id had a name at what time. */
  readonly keepInventory?: (keys: readonly ApiKey[]) => Promise<void>;
  readonly clock: Clock;
  /** The measured clock of the gateway, which stamps the call log. */
  readonly gatewayClock?: () => GatewayClock | undefined;
  /** Compares that clock with stamps of our own keys and calls; returns whether it changed. */
  readonly compareClock?: (stamps: OwnStamps) => Promise<boolean>;
  /** In [0, 1): the source of the suffixes that make names unique. */
  readonly random: () => number;
  readonly log: Log;
  /** Milliseconds for which a request without an answer may still reach the gateway; `defaultSettle` if omitted. */
  readonly settle?: number;
};

/** Milliseconds. */
export const defaultSettle = 60_000;
