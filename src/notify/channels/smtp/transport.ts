import type { Fault } from '../../../core/index.ts';

export type Envelope = { readonly from: string; readonly to: string };

/**
 * The outcome of one attempt. `deferred`: the server does not have the message, a retry may help.
 * `failed`: refused permanently. `unknown`: the connection broke after the whole message was transmitted.
 */
export type SendOutcome =
  | { readonly state: 'sent'; readonly response: string }
  | { readonly state: 'deferred' | 'failed' | 'unknown'; readonly fault: Fault };

export type MailSession = {
  /** The first line of the server's answer to the greeting, for messages. */
  readonly answer: string;
  /** Never rejects: the outcome is a value. An abort has no effect once the whole message is transmitted. */
  readonly send: (envelope: Envelope, bytes: Buffer, signal?: AbortSignal) => Promise<SendOutcome>;
  readonly close: () => void;
};

export type MailTransport = AsyncDisposable & {
  /** For messages: `mail.example.com:587`. */
  readonly where: string;
  /** The name of this machine in the greeting (EHLO); undefined leaves it to the system. */
  readonly ehlo: string | undefined;
  /** False when the address has no user. */
  readonly logsIn: boolean;
  /** @throws Fault of the mail group of the catalogue. */
  readonly open: (signal?: AbortSignal) => Promise<MailSession>;
};
