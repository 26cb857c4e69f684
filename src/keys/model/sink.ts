import type { Secret } from '../../core/index.ts';

/** SHA-256 of a key's plaintext, 64 hex digits: proves what a sink holds without showing it. */
export type Fingerprint = string;

/** The key to deliver; contains no secret. */
export type Delivery = {
  readonly account: string;
  readonly service: string;
  /** 7 in `billing.g7`. */
  readonly generation: number;
  readonly keyName: string;
};

export type SinkReading =
  | { readonly state: 'holds'; readonly fingerprint: Fingerprint }
  /** No file, variable or field exists yet. */
  | { readonly state: 'empty' }
  /** The sink never shows its content; its answer to the delivery, or a person's confirmation, must suffice. */
  | { readonly state: 'unreadable'; readonly why: string };

export type Delivered = {
  /** The fingerprint that the sink reports; without it, the sink must be read or a person asked. */
  readonly fingerprint?: Fingerprint | undefined;
};

export type SinkProblem = {
  /** What cannot work, as a sentence for the author of the YAML. */
  readonly message: string;
  readonly advice: string;
  /** A key can be delivered nevertheless. */
  readonly isAdvisory?: true;
};

export type Sink = {
  /** Identifies the place: stable across restarts, unique among sinks, no secret: `file:/secrets/billing.env#GATEWAY_API_KEY`. */
  readonly place: string;
  /** For a person: `variable GATEWAY_API_KEY of /secrets/billing.env`. */
  readonly describe: () => string;
  /** Whether a person must confirm with `keys confirm`, because the sink cannot be read. */
  readonly confirmedByPerson: boolean;
  /** Writes the key as a whole or not at all; idempotent. @throws Fault sink-failed, sink-refused */
  readonly deliver: (key: Secret, delivery: Delivery, signal: AbortSignal) => Promise<Delivered>;
  /** Completes the steps after the write of an interrupted delivery; idempotent. @throws Fault sink-failed, sink-refused */
  readonly settle?: (fingerprint: Fingerprint, delivery: Delivery, signal: AbortSignal) => Promise<void>;
  /** @throws Fault sink-failed when it cannot be read now. */
  readonly fingerprint: (delivery: Delivery, signal: AbortSignal) => Promise<SinkReading>;
  /** The key itself, for a call with it; omitted for places that never show it. @throws Fault sink-failed */
  readonly read?: (signal: AbortSignal) => Promise<Secret | undefined>;
  /** Finds what can never work; leaves nothing behind. Empty if the sink can work. */
  readonly problems: (signal: AbortSignal) => Promise<readonly SinkProblem[]>;
};
