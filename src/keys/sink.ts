import type { Secret } from '../core/index.ts';

/** SHA-256 of a key's plaintext, 64 hex digits: proves what a sink holds without showing it. */
export type Fingerprint = string;

/** Whose key is delivered; all of it may be shown. */
export type Delivery = {
  readonly account: string;
  readonly service: string;
  /** 7 in `billing.g7`. */
  readonly generation: number;
  readonly keyName: string;
};

/** What a sink is seen to hold. */
export type SinkReading =
  | { readonly state: 'holds'; readonly fingerprint: Fingerprint }
  /** Nothing is there yet: no file, no such variable or field. */
  | { readonly state: 'empty' }
  /** It takes keys and never shows them; what it answered to a delivery, or a person's word, has to do. */
  | { readonly state: 'unreadable'; readonly why: string };

/** What a sink answered to a delivery. */
export type Delivered = {
  /** What it says it holds now; left out where it says nothing: then it must be read, or a person asked. */
  readonly fingerprint?: Fingerprint | undefined;
};

export type SinkProblem = {
  /** What cannot work, as a sentence for the person who wrote the YAML. */
  readonly message: string;
  readonly advice: string;
  /** A key can be delivered all the same. */
  readonly isAdvisory?: true;
};

/** A place that keys are delivered to. */
export type Sink = {
  /** Names the place, the same at every start, unlike any other sink's: `file:/secrets/billing.env#GATEWAY_API_KEY`. No secret. */
  readonly place: string;
  /** For a person: `variable GATEWAY_API_KEY of /secrets/billing.env`. */
  readonly describe: () => string;
  /** Whether a person's `keys confirm` has to stand in for a reading. */
  readonly confirmedByPerson: boolean;
  /** Puts the key there, whole or not at all. Doing it again with the same key changes nothing. @throws Fault sink-failed, sink-refused */
  readonly deliver: (key: Secret, delivery: Delivery, signal: AbortSignal) => Promise<Delivered>;
  /** Sees a delivery through that was cut off behind the writing, where something follows it. Doing it again changes nothing. @throws Fault sink-failed, sink-refused */
  readonly settle?: (fingerprint: Fingerprint, delivery: Delivery, signal: AbortSignal) => Promise<void>;
  /** @throws Fault sink-failed when it cannot be asked now. */
  readonly fingerprint: (delivery: Delivery, signal: AbortSignal) => Promise<SinkReading>;
  /** The key itself, for a call with it; omitted for places that never show it. @throws Fault sink-failed */
  readonly read?: (signal: AbortSignal) => Promise<Secret | undefined>;
  /** Looks for what can never work, writing nothing; empty when all is well. */
  readonly problems: (signal: AbortSignal) => Promise<readonly SinkProblem[]>;
};
