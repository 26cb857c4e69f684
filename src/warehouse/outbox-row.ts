import { unixMillis } from '../core/index.ts';
import type { UnixMillis } from '../core/index.ts';
import { all, label, millis, optional, rowReader } from './row-reader.ts';
import { text, wholeNumber } from './rows.ts';
import type { Row } from './rows.ts';

export const outboxStates = [
  'queued',
  'sending',
  'sent',
  'deferred',
  'failed',
  'unknown',
  'dropped',
] as const;

/**
 * queued: not tried yet. sending: being transmitted. deferred: to be tried again. failed: refused for good, or given up.
 * unknown: it may or may not have arrived; tried again when it has a next attempt. dropped: a person has said never to send it.
 */
export type OutboxState = (typeof outboxStates)[number];

/** What is sent once: the key is account, kind, subject and recipient. Times in milliseconds UTC. */
export type OutboxEntry = {
  readonly account: string;
  readonly kind: string;
  /** What the mail is about, `daily-spend 2026-01-01`; not its subject line. */
  readonly subject: string;
  /** The subject line of the mail, or the title of the message; missing in rows of older versions. */
  readonly title?: string | undefined;
  readonly recipient: string;
  /** Envelope sender. */
  readonly sender: string;
  /** The fixed Message-ID. */
  readonly messageId: string;
  /** Name of the file that holds the exact bytes, in the mail folder; no two rows share one. */
  readonly file: string;
  readonly queuedAt: UnixMillis;
  /** The way it goes out: `mail` when left out, else the name of another route. */
  readonly route?: string | undefined;
};

export type OutboxRow = OutboxEntry & {
  readonly id: string;
  readonly route: string;
  readonly state: OutboxState;
  readonly attempts: number;
  /** How many attempts ended so that it may or may not have arrived. */
  readonly doubts: number;
  /** From when on the days are counted after which it is given up. */
  readonly triedFrom: UnixMillis;
  /** Not to be tried before this moment; `neverAgain` when nobody is to try it. */
  readonly nextAttempt: UnixMillis;
  readonly changedAt: UnixMillis;
  readonly lastError?: string | undefined;
};

/** Beyond any date: the next attempt of a row that nobody is to try again. */
export const neverAgain = unixMillis(Number.MAX_SAFE_INTEGER);

const outboxRow = rowReader({
  ...all(text, 'id', 'account', 'kind', 'subject', 'recipient', 'sender', 'messageId', 'file', 'route'),
  state: label<OutboxState>(),
  ...all(wholeNumber, 'attempts', 'doubts'),
  ...all(millis, 'queuedAt', 'nextAttempt', 'changedAt'),
  triedFrom: optional(millis),
  ...all(optional(text), 'title', 'lastError'),
});

export const outboxRowOf = (row: Row): OutboxRow => {
  const values = outboxRow(row);
  return { ...values, triedFrom: values.triedFrom ?? values.queuedAt };
};
