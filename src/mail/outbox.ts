import type { UnixMillis } from '../base/index.ts';

/** queued: not tried yet. sending: being handed over. deferred: to be tried again. unknown: it may or may not have been taken. */
export type MailState = 'queued' | 'sending' | 'sent' | 'deferred' | 'failed' | 'unknown';

/** What is told once: the key is account, kind, subject and recipient. Times in milliseconds UTC. */
export type OutboxEntry = {
  readonly account: string;
  readonly kind: string;
  /** What the mail is about, `daily-spend 2026-01-01`; not its subject line. */
  readonly subject: string;
  readonly recipient: string;
  /** Envelope sender. */
  readonly sender: string;
  readonly messageId: string;
  /** Name of the file that holds the exact bytes, in the mail folder. */
  readonly file: string;
  readonly queuedAt: UnixMillis;
};

export type OutboxRow = OutboxEntry & {
  readonly id: string;
  readonly state: MailState;
  readonly attempts: number;
  /** Not to be tried before this moment. */
  readonly nextAttempt: UnixMillis;
  readonly changedAt: UnixMillis;
  readonly lastError?: string;
};

export type OutboxOutcome = {
  readonly state: 'sent' | 'deferred' | 'failed' | 'unknown';
  readonly at: UnixMillis;
  /** When to try again; never when left out. */
  readonly nextAttempt?: UnixMillis;
  /** Redacted words of the other side. */
  readonly error?: string;
};

/** Where the rows of the outbox are kept. */
export type Outbox = {
  /** `known` when the key is there already: nothing is written then. */
  readonly put: (entry: OutboxEntry) => Promise<'queued' | 'known'>;
  /** Takes a row that is due for sending and counts the attempt; nothing when it is not due or someone else has it. */
  readonly claim: (id: string, at: UnixMillis) => Promise<OutboxRow | undefined>;
  /** Rows waiting for an attempt, oldest first. */
  readonly due: (now: UnixMillis) => Promise<readonly OutboxRow[]>;
  readonly settle: (id: string, outcome: OutboxOutcome) => Promise<void>;
  /** Turns rows in `sending`, left by a process that died, to `unknown`. Gives how many there were. */
  readonly release: (at: UnixMillis) => Promise<number>;
  readonly list: () => Promise<readonly OutboxRow[]>;
};
