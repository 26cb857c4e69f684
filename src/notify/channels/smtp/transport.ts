import type { Fault } from '../../../core/index.ts';

export type Envelope = { readonly from: string; readonly to: string };

/**
 * How the attempt to hand one message over ended. `deferred`: the other side does not have it, another try may help.
 * `failed`: it was refused for good. `unknown`: the connection broke after the whole message was transmitted.
 */
export type SendOutcome =
  | { readonly state: 'sent'; readonly response: string }
  | { readonly state: 'deferred' | 'failed' | 'unknown'; readonly fault: Fault };

/** One open connection to the other side, logged in where the transport logs in. */
export type MailSession = {
  /** Never rejects: how it ended is a value. Aborting has no effect once the whole message is transmitted. */
  readonly send: (envelope: Envelope, bytes: Buffer, signal?: AbortSignal) => Promise<SendOutcome>;
  readonly close: () => void;
};

export type MailTransport = AsyncDisposable & {
  /** Where it sends to, for messages: `mail.example.com:587`. */
  readonly where: string;
  /** Whether `open` logs in: false where the address names no user. */
  readonly logsIn: boolean;
  /** @throws Fault of the mail group of the catalogue. */
  readonly open: (signal?: AbortSignal) => Promise<MailSession>;
};
