import { unixMillis, type UnixMillis } from '../core/index.ts';

export const outboxStates = [
  'queued',
  'sending',
  'sent',
  'deferred',
  'failed',
  'unknown',
  'dropped',
  'held',
] as const;

/**
 * queued: not tried yet. sending: being transmitted. deferred: will be retried. failed: refused permanently, or given
 * up. unknown: may or may not have arrived; retried if it has a next attempt. dropped: removed by an operator, never
 * sent. held: was unsent in a restored backup, and waits for an operator to release or drop it.
 */
export type OutboxState = (typeof outboxStates)[number];

/** A message that is sent once: the key is account, kind, subject and recipient. Times in milliseconds UTC. */
export type OutboxEntry = {
  readonly account: string;
  readonly kind: string;
  /** Identifies the message within its kind, `daily-spend 2026-01-01`; not its subject line. */
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
  /** What a mail is about, such as an alert or a rotation: later mails about it refer to the first one. */
  readonly topics?: readonly string[] | undefined;
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

export type OutboxOutcome = {
  readonly state: 'sent' | 'deferred' | 'failed' | 'unknown';
  readonly at: UnixMillis;
  /** For deferred and unknown: when to retry; never when omitted. */
  readonly nextAttempt?: UnixMillis | undefined;
  /** The redacted answer of the server. */
  readonly error?: string | undefined;
  /** Whether the outcome of this attempt is unknown. */
  readonly doubt?: boolean;
};

/** Selects rows that match all given fields. */
export type OutboxFilter = {
  readonly states?: readonly OutboxState[] | undefined;
  readonly kind?: string | undefined;
  readonly subject?: string | undefined;
  readonly ids?: readonly string[] | undefined;
  readonly route?: string | undefined;
  /** One of the topics of a row. */
  readonly topic?: string | undefined;
  /** Only the newest rows, at most this many. */
  readonly limit?: number | undefined;
};

/** The number of rows by status. */
export type OutboxCounts = {
  /** Still to be tried: queued, sending, deferred, and unknown with another attempt. */
  readonly waiting: number;
  readonly failed: number;
  /** With an unknown outcome, and not retried. */
  readonly unknown: number;
  readonly held: number;
};

export type OutboxTable = {
  /** Queues all entries in one transaction, without those whose key already exists; returns the queued ones. */
  readonly put: (entries: readonly OutboxEntry[]) => Promise<readonly OutboxEntry[]>;
  /** Claims a due row for sending and counts the attempt; undefined when it is not due or already claimed. */
  readonly claim: (id: string, at: UnixMillis) => Promise<OutboxRow | undefined>;
  /** Rows waiting for an attempt (queued, deferred, unknown with a next attempt), of one route or of all, oldest first. */
  readonly due: (now: UnixMillis, route?: string) => Promise<readonly OutboxRow[]>;
  /** Records the outcome of an attempt. A sent or dropped row stays unchanged. */
  readonly settle: (id: string, outcome: OutboxOutcome) => Promise<void>;
  /** Postpones these due rows without an attempt, since their route is closed. Returns their number. */
  readonly putOff: (
    ids: readonly string[],
    by: { readonly at: UnixMillis; readonly until: UnixMillis; readonly error: string },
  ) => Promise<number>;
  /** Schedules a row to be sent (again) at once; undefined when it is being sent or does not exist. */
  readonly resend: (id: string, at: UnixMillis) => Promise<OutboxRow | undefined>;
  /** Drops a row so that it is never sent; undefined when it is being sent, was sent or dropped, or does not exist. */
  readonly drop: (id: string, at: UnixMillis) => Promise<OutboxRow | undefined>;
  /** Holds every row that is still to be tried, so that a restored outbox sends nothing by itself. Returns their number. */
  readonly hold: (at: UnixMillis) => Promise<number>;
  /** Oldest first. */
  readonly list: (filter?: OutboxFilter) => Promise<readonly OutboxRow[]>;
  readonly counts: () => Promise<OutboxCounts>;
  /** Files of all rows; `needed` is false once the row was sent or dropped before that moment. */
  readonly files: (
    since: UnixMillis,
  ) => Promise<readonly { readonly file: string; readonly needed: boolean }[]>;
};
