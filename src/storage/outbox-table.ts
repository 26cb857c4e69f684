import {
  neverAgain,
  type OutboxEntry,
  type OutboxFilter,
  type OutboxRow,
  type OutboxTable,
  type OutboxState,
} from './outbox.ts';
import {
  inTransaction,
  text,
  wholeNumber,
  type Row,
  type Sql,
  type Bindings,
  type StateEngine,
} from './sql.ts';
import { all, json, label, millis, optional, rowReader } from './row-reader.ts';

const outboxRow = rowReader({
  ...all(text, 'id', 'account', 'kind', 'subject', 'recipient', 'sender', 'messageId', 'file', 'route'),
  state: label<OutboxState>(),
  ...all(wholeNumber, 'attempts', 'doubts'),
  ...all(millis, 'queuedAt', 'nextAttempt', 'changedAt'),
  triedFrom: optional(millis),
  ...all(optional(text), 'title', 'lastError'),
  topics: optional(json<readonly string[]>()),
});

const outboxRowOf = (row: Row): OutboxRow => {
  const values = outboxRow(row);
  return { ...values, triedFrom: values.triedFrom ?? values.queuedAt };
};

const isDue = `state IN ('queued', 'deferred', 'unknown') AND next_attempt <= $at`;

const insert = `
  INSERT INTO outbox (id, account, kind, subject, title, recipient, sender, message_id, file, route, state, attempts, doubts,
                      queued_at, tried_from, next_attempt, changed_at, topics)
  SELECT CAST(coalesce(max(CAST(id AS BIGINT)), 0) + 1 AS VARCHAR), $account, $kind, $subject, $title, $recipient,
         $sender, $messageId, $file, $route, 'queued', 0, 0, $at, $at, $at, $at, $topics
  FROM outbox
  ON CONFLICT (account, kind, subject, recipient) DO NOTHING RETURNING id`;

/**
 * Within the transaction of what the messages are about: both are stored, or neither. Returns the entries whose key was
 * not known.
 */
export const putEntries = async (
  connection: Sql,
  entries: readonly OutboxEntry[],
): Promise<readonly OutboxEntry[]> => {
  const queued: OutboxEntry[] = [];
  for (const entry of entries) {
    const { account, kind, subject, title = null, recipient, sender, messageId } = entry;
    const { file, route = 'mail', queuedAt: at, topics = null } = entry;
    const key = { account, kind, subject, recipient };
    const values = { ...key, title, sender, messageId, file, route, at, topics };
    if ((await connection.rows(insert, values)).length > 0) queued.push(entry);
  }
  return queued;
};

const conditionsOf = ({ states, kind, subject, ids, route, topic }: OutboxFilter) => {
  const conditions = [
    ...(states === undefined ? [] : ['state = ANY($states)']),
    ...(kind === undefined ? [] : ['kind = $kind']),
    ...(subject === undefined ? [] : ['subject = $subject']),
    ...(ids === undefined ? [] : ['id = ANY($ids)']),
    ...(route === undefined ? [] : ['route = $route']),
    ...(topic === undefined ? [] : ['$topic = ANY(topics)']),
  ];
  return {
    where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`,
    bindings: {
      ...(states === undefined ? {} : { states }),
      ...(kind === undefined ? {} : { kind }),
      ...(subject === undefined ? {} : { subject }),
      ...(ids === undefined ? {} : { ids }),
      ...(route === undefined ? {} : { route }),
      ...(topic === undefined ? {} : { topic }),
    },
  };
};

export const createOutbox = (engine: StateEngine): OutboxTable => {
  const rowsOf = (sql: string, bindings: Bindings): Promise<readonly OutboxRow[]> =>
    engine.state(async (connection) => (await connection.rows(sql, bindings)).map(outboxRowOf));
  const rowOf = async (sql: string, bindings: Bindings) => (await rowsOf(sql, bindings))[0];
  return {
    put: async (entries) =>
      engine.state(async (connection) =>
        inTransaction(connection, async () => putEntries(connection, entries)),
      ),
    claim: (id, at) =>
      rowOf(
        `UPDATE outbox SET state = 'sending', attempts = attempts + 1, changed_at = $at
         WHERE id = $id AND ${isDue} RETURNING *`,
        { id, at },
      ),
    due: (now, route) =>
      rowsOf(
        `SELECT * FROM outbox WHERE ${isDue} ${route === undefined ? '' : 'AND route = $route'}
         ORDER BY next_attempt, CAST(id AS BIGINT)`,
        { at: now, ...(route === undefined ? {} : { route }) },
      ),
    settle: (id, { state, at, nextAttempt = neverAgain, error, doubt = false }) =>
      engine.state(async (connection) => {
        await connection.execute(
          `UPDATE outbox SET state = $state, next_attempt = $next, changed_at = $at, last_error = $error,
                  doubts = doubts + $doubts
           WHERE id = $id AND state NOT IN ('sent', 'dropped')`,
          { id, state, next: nextAttempt, at, error: error ?? null, doubts: doubt ? 1 : 0 },
        );
      }),
    putOff: (ids, { at, until, error }) =>
      engine.state((connection) =>
        connection.execute(
          `UPDATE outbox SET state = CASE state WHEN 'unknown' THEN 'unknown' ELSE 'deferred' END,
                  next_attempt = $until, changed_at = $at, last_error = $error
           WHERE id = ANY($ids) AND ${isDue}`,
          { ids, at, until, error },
        ),
      ),
    resend: (id, at) =>
      rowOf(
        `UPDATE outbox SET state = 'queued', next_attempt = $at, changed_at = $at, tried_from = $at, doubts = 0
         WHERE id = $id AND state <> 'sending' RETURNING *`,
        { id, at },
      ),
    drop: (id, at) =>
      rowOf(
        `UPDATE outbox SET state = 'dropped', next_attempt = $never, changed_at = $at
         WHERE id = $id AND state NOT IN ('sending', 'sent', 'dropped') RETURNING *`,
        { id, at, never: neverAgain },
      ),
    hold: (at) =>
      engine.state((connection) =>
        connection.execute(
          `UPDATE outbox SET state = 'held', next_attempt = $never, changed_at = $at
           WHERE state IN ('queued', 'sending', 'deferred') OR state = 'unknown' AND next_attempt < $never`,
          { at, never: neverAgain },
        ),
      ),
    list: (filter = {}) => {
      const { where, bindings } = conditionsOf(filter);
      const newest = filter.limit === undefined ? '' : 'ORDER BY CAST(id AS BIGINT) DESC LIMIT $limit';
      return rowsOf(
        `SELECT * FROM (SELECT * FROM outbox ${where} ${newest}) AS found ORDER BY CAST(id AS BIGINT)`,
        {
          ...bindings,
          ...(filter.limit === undefined ? {} : { limit: filter.limit }),
        },
      );
    },
    counts: () =>
      engine.state(async (connection) => {
        const rows = await connection.rows(
          `SELECT CASE WHEN state IN ('failed', 'held') THEN state
                       WHEN state = 'unknown' AND next_attempt >= $never THEN 'unknown'
                       WHEN state IN ('sent', 'dropped') THEN 'over' ELSE 'waiting' END AS stand, count(*) AS number
           FROM outbox GROUP BY stand`,
          { never: neverAgain },
        );
        const of = (stand: string): number =>
          Number(rows.find((row) => text(row, 'stand') === stand)?.['number'] ?? 0);
        return {
          waiting: of('waiting'),
          failed: of('failed'),
          unknown: of('unknown'),
          held: of('held'),
        };
      }),
    files: (since) =>
      engine.state(async (connection) => {
        const rows = await connection.rows(
          `SELECT file, bool_or(state NOT IN ('sent', 'dropped') OR changed_at > $since) AS needed
           FROM outbox GROUP BY file`,
          { since },
        );
        return rows.map((row) => ({ file: text(row, 'file'), needed: row['needed'] === true }));
      }),
  };
};
