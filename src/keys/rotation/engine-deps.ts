import type { Clock, GatewayClock, Log, OwnStamps, Secret, UnixSeconds } from '../../core/index.ts';
import type { ApiKey } from '../../gateway/index.ts';
import type { KeyAlert, SurveyedKey } from '../service-types.ts';
import type { KeyJournal } from '../journal/journal.ts';
import type { KeyFields, KeyUse } from '../key-event.ts';
import type { KeyEvidence } from '../ports.ts';
import type { Sink } from '../sink.ts';
import type { KeyChange } from '../update/compare-keys.ts';
import type { UpdatedKey } from '../update/put-whole.ts';
import type { VerifiedKey } from '../verify.ts';

/** What the keys of the account can be made to do; amounts in the unit that answers show. */
export type KeyGateway = {
  /** Every key, each once. */
  readonly list: (signal: AbortSignal) => Promise<readonly ApiKey[]>;
  readonly read: (id: number, signal: AbortSignal) => Promise<ApiKey>;
  readonly create: (
    name: string,
    fields: KeyFields,
    signal: AbortSignal,
  ) => Promise<{ readonly id: number; readonly key: Secret }>;
  /** Changes nothing else, or throws. */
  readonly update: (
    id: number,
    change: KeyChange,
    options: { readonly neverRaise: boolean },
    signal: AbortSignal,
  ) => Promise<UpdatedKey>;
  readonly remove: (id: number, signal: AbortSignal) => Promise<void>;
};

/** What a job declares for the keys of one service. */
export type Consumer = {
  readonly sinks: readonly Sink[];
  /** Asks a model with the key. @throws Fault key-verify-refused, key-verify-unclear */
  readonly verify: (key: Secret, signal: AbortSignal) => Promise<VerifiedKey>;
  /** Asks a model once with the key: whether the gateway refuses it. @throws Fault gateway-unreachable and the like */
  readonly refuses?: (key: Secret, signal: AbortSignal) => Promise<boolean>;
  /** Lets the consumer take the key up, where something has to. */
  readonly reload?: (service: string, signal: AbortSignal) => Promise<void>;
};

export type Plaintexts = Map<string, Secret>;

/** What one account's rotations work with. */
export type EngineDeps = {
  readonly account: string;
  readonly journal: KeyJournal;
  readonly gateway: KeyGateway;
  readonly evidence: KeyEvidence;
  /** Calls under each of the names from this second of the gateway's clock until now, read from the gateway itself. */
  readonly recentCalls?: (
    names: readonly string[],
    since: UnixSeconds,
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<string, KeyUse>>;
  /** Nothing where the job is not declared (any more). @throws Fault sink-refused */
  readonly consumerOf: (job: string, service: string) => Consumer | undefined;
  /** The jobs that are declared to deliver keys of the service of this key. */
  readonly deliveredBy?: (key: SurveyedKey) => readonly string[];
  /** The only place, but for sinks, that holds plaintext keys; lives as long as the process. */
  readonly plaintexts: Plaintexts;
  /** How the names of keys are read that no line knows; the first that fits. */
  readonly templates: readonly string[];
  /** Tells operators, once for each `key` of the news; never throws. */
  readonly notify: (alert: KeyAlert) => Promise<void>;
  /** Keeps what a cycle lists, so that the inventory tells which id had a name all the while. */
  readonly keepInventory?: (keys: readonly ApiKey[]) => Promise<void>;
  readonly clock: Clock;
  /** What is known of the gateway's clock, which stamps the call log. */
  readonly gatewayClock?: () => GatewayClock | undefined;
  /** Compares that clock with stamps of our own keys and calls. Returns whether it changed. */
  readonly compareClock?: (stamps: OwnStamps) => Promise<boolean>;
  /** In [0, 1): for what makes generated names unlike any other. */
  readonly random: () => number;
  readonly log: Log;
  /** Milliseconds that a request whose answer was lost may still be on its way; one minute when left out. */
  readonly settle?: number;
};

/** Milliseconds. */
export const defaultSettle = 60_000;
