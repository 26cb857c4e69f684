import { unixMillis } from '../base/index.ts';
import type { UnixMillis } from '../base/index.ts';
import type { Engine } from './engine.ts';
import { execute, inTransaction, optionalText, readRows, text, wholeNumber } from './rows.ts';
import type { Row } from './rows.ts';

/** queued: not tried yet. sending: being handed over. deferred: to be tried again. unknown: it may or may not have been taken. */
export type OutboxState = 'queued' | 'sending' | 'sent' | 'deferred' | 'failed' | 'unknown';

/** What is told once: the key is account, kind, subject and recipient. Times in milliseconds UTC. */
export type OutboxEntry = {
  readonly account: string;
  readonly kind: string;
  /** What the mail is about, `daily-spend 2026-01-01`; not its subject line. */
  readonly subject: string;
  readonly recipient: string;
  /** Envelope sender. */
  readonly sender: string;
  /** The fixed Message-ID. */
  readonly messageId: string;
  /** Name of the file that holds the exact bytes, in the mail folder. */
  readonly file: string;
  readonly queuedAt: UnixMillis;
};

export type OutboxRow = OutboxEntry & {
  readonly id: string;
  readonly state: OutboxState;
  readonly attempts: number;
  /** Not to be tried before this moment. */
  readonly nextAttempt: UnixMillis;
  readonly changedAt: UnixMillis;
  readonly lastError?: string;
};

export type OutboxOutcome = {
  readonly state: 'sent' | 'deferred' | 'failed' | 'unknown';
  readonly at: UnixMillis;
  /** For deferred and unknown: when to try again; never when left out. */
  readonly nextAttempt?: UnixMillis;
  /** Redacted words of the other side. */
  readonly error?: string;
};

export type OutboxTable = {
  /** `known` when the key is there already: nothing is written then. */
  readonly put: (entry: OutboxEntry) => Promise<'queued' | 'known'>;
  /** Takes a row that is due for sending and counts the attempt; nothing when it is not due or someone else has it. */
  readonly claim: (id: string, at: UnixMillis) => Promise<OutboxRow | undefined>;
  /** Rows waiting for an attempt (queued, deferred, unknown with a next attempt), oldest first. */
  readonly due: (now: UnixMillis) => Promise<readonly OutboxRow[]>;
  readonly settle: (id: string, outcome: OutboxOutcome) => Promise<void>;
  /** Rows in `sending` from a process that died: their outcome is unknown. Gives how many there were. */
  readonly release: (at: UnixMillis) => Promise<number>;
  readonly list: () => Promise<readonly OutboxRow[]>;
};

/** Beyond any date: a row that nobody is to try again. */
const never = Number.MAX_SAFE_INTEGER;

const rowOf = (row: Row): OutboxRow => {
  const lastError = optionalText(row, 'last_error');
  return {
    id: text(row, 'id'),
    account: text(row, 'account'),
    kind: text(row, 'kind'),
    subject: text(row, 'subject'),
    recipient: text(row, 'recipient'),
    sender: text(row, 'sender'),
    messageId: text(row, 'message_id'),
    file: text(row, 'file'),
    state: text(row, 'state') as OutboxState,
    attempts: wholeNumber(row, 'attempts'),
    queuedAt: unixMillis(wholeNumber(row, 'queued_at')),
    nextAttempt: unixMillis(wholeNumber(row, 'next_attempt')),
    changedAt: unixMillis(wholeNumber(row, 'changed_at')),
    ...(lastError === undefined ? {} : { lastError }),
  };
};

const isDue = `state IN ('queued', 'deferred', 'unknown') AND next_attempt <= $at`;

const insert = `
  INSERT INTO outbox (id, account, kind, subject, recipient, sender, message_id, file, state, attempts,
                      queued_at, next_attempt, changed_at)
  SELECT CAST(coalesce(max(CAST(id AS BIGINT)), 0) + 1 AS VARCHAR), $account, $kind, $subject, $recipient,
         $sender, $messageId, $file, 'queued', 0, $at, $at, $at
  FROM outbox`;

export const createOutbox = (engine: Engine): OutboxTable => ({
  put: async (entry) =>
    engine.state(async (connection) =>
      inTransaction(connection, async () => {
        const { account, kind, subject, recipient, sender, messageId, file } = entry;
        const key = { account, kind, subject, recipient };
        const known = await readRows(
          connection,
          `SELECT id FROM outbox
           WHERE account = $account AND kind = $kind AND subject = $subject AND recipient = $recipient`,
          key,
        );
        if (known.length > 0) return 'known';
        await execute(connection, insert, { ...key, sender, messageId, file, at: entry.queuedAt });
        return 'queued';
      }),
    ),
  claim: async (id, at) =>
    engine.state(async (connection) => {
      const claimed = await readRows(
        connection,
        `UPDATE outbox SET state = 'sending', attempts = attempts + 1, changed_at = $at
         WHERE id = $id AND ${isDue} RETURNING *`,
        { id, at },
      );
      return claimed[0] === undefined ? undefined : rowOf(claimed[0]);
    }),
  due: async (now) =>
    engine.state(async (connection) => {
      const rows = await readRows(
        connection,
        `SELECT * FROM outbox WHERE ${isDue} ORDER BY next_attempt, CAST(id AS BIGINT)`,
        { at: now },
      );
      return rows.map(rowOf);
    }),
  settle: async (id, outcome) =>
    engine.state(async (connection) => {
      await execute(
        connection,
        `UPDATE outbox SET state = $state, next_attempt = $next, changed_at = $at, last_error = $error
         WHERE id = $id`,
        {
          id,
          state: outcome.state,
          next: outcome.nextAttempt ?? never,
          at: outcome.at,
          error: outcome.error ?? null,
        },
      );
    }),
  release: async (at) =>
    engine.state(async (connection) =>
      execute(
        connection,
        `UPDATE outbox SET state = 'unknown', next_attempt = $at, changed_at = $at WHERE state = 'sending'`,
        { at },
      ),
    ),
  list: async () =>
    engine.state(async (connection) => {
      const rows = await readRows(connection, 'SELECT * FROM outbox ORDER BY CAST(id AS BIGINT)');
      return rows.map(rowOf);
    }),
});
