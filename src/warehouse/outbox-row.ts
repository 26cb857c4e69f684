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
 * queued: not tried yet. sending: being transmitted. deferred: will be retried. failed: refused permanently, or given
 * up. unknown: may or may not have arrived; retried if it has a next attempt. dropped: removed by an operator, never
 * sent.
 */
export type OutboxState = (typeof outboxStates)[number];

/** A message that is sent once: the key is account, kind, subject and recipient. Times in milliseconds UTC. */
export type OutboxEntry = {
  readonly account: string;
  readonly kind: string;
  /** The topic of the message, `daily-spend 2026-01-01`; not its subject line. */
  readonly subject: string;
  /** The subject line of the mail, or the title of the message; omitted in rows of older versions. */
  readonly title?: string | undefined;
  readonly recipient: string;
  /** Envelope sender. */
  readonly sender: string;
  /** The fixed Message-ID. */
  readonly messageId: string;
  /** Name of the file with the exact bytes, in the mail folder; unique per row. */
  readonly file: string;
  readonly queuedAt: UnixMillis;
  /** The route: `mail` when omitted, else the name of another one. */
  readonly route?: string | undefined;
};

export type OutboxRow = OutboxEntry & {
  readonly id: string;
  readonly route: string;
  readonly state: OutboxState;
  readonly attempts: number;
  /** Number of attempts with an unknown outcome. */
  readonly doubts: number;
  /** Start of the retry period, after which the message is given up. */
  readonly triedFrom: UnixMillis;
  /** Earliest next attempt; `neverAgain` when no attempt follows. */
  readonly nextAttempt: UnixMillis;
  readonly changedAt: UnixMillis;
  readonly lastError?: string | undefined;
};

/** Beyond any date: the next attempt of a row that is not retried. */
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
