import type { DuckDBConnection } from '@duckdb/node-api';
import { unixMillis } from '../../core/index.ts';
import type { UnixMillis } from '../../core/index.ts';
import { boundRows } from '../bound-rows.ts';
import type { Engine } from '../engine.ts';
import { execute, inTransaction, readRows, text, wholeNumber } from '../rows.ts';
import type { Row } from '../rows.ts';
import type { AlertMute, AlertNotification, AlertTable, OperatorAction, StoredAlert } from './alert-table.ts';

const moment = (row: Row, column: string): UnixMillis => unixMillis(wholeNumber(row, column));

const recordOf = (row: Row): StoredAlert & { readonly account: string } => ({
  account: text(row, 'account'),
  alert: text(row, 'alert'),
  level: text(row, 'level'),
  period: text(row, 'period'),
  state: text(row, 'state') === 'firing' ? 'firing' : 'recovered',
  raisedAt: moment(row, 'raised_at'),
  ...(row['recovered_at'] === null ? {} : { recoveredAt: moment(row, 'recovered_at') }),
});

const reasonOf = (row: Row): { readonly reason?: string } =>
  row['reason'] === null ? {} : { reason: text(row, 'reason') };

const muteOf = (row: Row): AlertMute => ({
  account: text(row, 'account'),
  alert: text(row, 'alert'),
  until: moment(row, 'until_at'),
  mutedAt: moment(row, 'muted_at'),
  by: text(row, 'muted_by'),
  ...reasonOf(row),
});

const readMutes = async (
  connection: DuckDBConnection,
  now: UnixMillis,
  account?: string,
): Promise<readonly AlertMute[]> => {
  const rows = await readRows(
    connection,
    `SELECT * FROM alert_mute WHERE until_at > $now AND coalesce(account = $account, true)
     ORDER BY account, alert`,
    { now, account: account ?? null },
  );
  return rows.map(muteOf);
};

const writeRecords = async (
  connection: DuckDBConnection,
  account: string,
  records: readonly StoredAlert[],
): Promise<void> => {
  const bound = boundRows(
    connection,
    {
      alert: 'VARCHAR',
      level: 'VARCHAR',
      period: 'VARCHAR',
      state: 'VARCHAR',
      raised_at: 'BIGINT',
      recovered_at: 'BIGINT',
    },
    records,
    ({ alert, level, period, state, raisedAt, recoveredAt }) => ({
      alert,
      level,
      period,
      state,
      raised_at: raisedAt,
      recovered_at: recoveredAt ?? null,
    }),
  );
  // An update first: the index of a unique key can reject a row that is deleted and added in one transaction.
  await bound.execute(
    (table) =>
      `UPDATE alert_record SET state = changed.state, recovered_at = changed.recovered_at FROM ${table} AS changed
       WHERE alert_record.account = $account AND alert_record.alert = changed.alert
         AND alert_record.level = changed.level AND alert_record.period = changed.period`,
    { account },
  );
  await bound.execute(
    (table) =>
      `INSERT INTO alert_record (account, alert, level, period, state, raised_at, recovered_at)
       SELECT $account, alert, level, period, state, raised_at, recovered_at FROM ${table} AS added
       WHERE NOT EXISTS (
         SELECT 1 FROM alert_record WHERE alert_record.account = $account AND alert_record.alert = added.alert
           AND alert_record.level = added.level AND alert_record.period = added.period)`,
    { account },
  );
};

const writeAction = async (connection: DuckDBConnection, action: OperatorAction): Promise<void> =>
  void (await execute(
    connection,
    `INSERT INTO operator_action (taken_at, account, taken_by, action, subject, detail)
     VALUES ($at, $account, $by, $action, $subject, $detail)`,
    action,
  ));

const notificationOf = (row: Row): AlertNotification => ({
  id: text(row, 'id'),
  content: text(row, 'content'),
});

/** Alerts, mutes and notifications in DuckDB, over the connection that serializes its work. */
export const createAlertTable = (engine: Engine): AlertTable => {
  const inOne = async <T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> =>
    engine.state(async (connection) => inTransaction(connection, work));
  return {
    decide: async (account, alerts, now, decide) =>
      inOne(async (connection) => {
        const rows = await readRows(
          connection,
          `SELECT * FROM alert_record WHERE account = $account AND list_contains($alerts, alert)
           ORDER BY raised_at, alert, level, period`,
          { account, alerts },
        );
        const writes = decide({
          records: rows.map(recordOf),
          mutes: await readMutes(connection, now, account),
        });
        await writeRecords(connection, account, writes.records);
        await boundRows(
          connection,
          { number: 'BIGINT', id: 'VARCHAR', content: 'VARCHAR' },
          writes.notifications.map((notification, number) => ({ ...notification, number })),
          (row) => row,
        ).execute(
          (table) =>
            `INSERT INTO alert_notification (account, number, id, content, created_at)
             SELECT $account, (SELECT coalesce(max(number), 0) FROM alert_notification) + 1 + number, id, content, $now
             FROM ${table} AS added
             WHERE NOT EXISTS (
               SELECT 1 FROM alert_notification
               WHERE alert_notification.account = $account AND alert_notification.id = added.id)`,
          { account, now },
        );
        return writes;
      }),
    pending: async (account) =>
      engine.state(async (connection) => {
        const rows = await readRows(
          connection,
          `SELECT id, content FROM alert_notification
           WHERE account = $account AND enqueued_at IS NULL ORDER BY number`,
          { account },
        );
        return rows.map(notificationOf);
      }),
    enqueued: async (account, ids, at) =>
      inOne(
        async (connection) =>
          void (await boundRows(connection, { id: 'VARCHAR' }, ids, (id) => ({ id })).execute(
            (table) =>
              `UPDATE alert_notification SET enqueued_at = $at
               WHERE account = $account AND id IN (SELECT id FROM ${table})`,
            { account, at },
          )),
      ),
    putStatus: async (account, statuses) =>
      inOne(async (connection) => {
        await execute(
          connection,
          `DELETE FROM alert_status WHERE account = $account
             AND (list_contains($alerts, alert) OR alert = 'runway' OR starts_with(alert, 'key:'))`,
          { account, alerts: statuses.map(({ alert }) => alert) },
        );
        const bound = boundRows(
          connection,
          { alert: 'VARCHAR', status: 'VARCHAR', evaluated_at: 'BIGINT', unknown_since: 'BIGINT' },
          statuses,
          ({ alert, status, evaluatedAt, unknownSince }) => ({
            alert,
            status,
            evaluated_at: evaluatedAt,
            unknown_since: unknownSince ?? null,
          }),
        );
        await bound.execute(
          (table) =>
            `INSERT INTO alert_status (account, alert, status, evaluated_at, unknown_since)
             SELECT $account, alert, status, evaluated_at, unknown_since FROM ${table}`,
          { account },
        );
      }),
    statuses: async (account) =>
      engine.state(async (connection) => {
        const rows = await readRows(
          connection,
          'SELECT * FROM alert_status WHERE coalesce(account = $account, true) ORDER BY account, alert',
          { account: account ?? null },
        );
        return rows.map((row) => ({
          account: text(row, 'account'),
          alert: text(row, 'alert'),
          status: text(row, 'status'),
          evaluatedAt: moment(row, 'evaluated_at'),
          ...(row['unknown_since'] === null ? {} : { unknownSince: moment(row, 'unknown_since') }),
        }));
      }),
    firing: async () =>
      engine.state(async (connection) => {
        const rows = await readRows(
          connection,
          "SELECT * FROM alert_record WHERE state = 'firing' ORDER BY raised_at, account, alert, level",
        );
        return rows.map(recordOf);
      }),
    records: async (account) =>
      engine.state(async (connection) => {
        const rows = await readRows(
          connection,
          'SELECT * FROM alert_record WHERE account = $account ORDER BY raised_at, alert, level',
          { account },
        );
        return rows.map(recordOf);
      }),
    trim: async (before) =>
      inOne(
        async (connection) =>
          (await execute(
            connection,
            "DELETE FROM alert_record WHERE state = 'recovered' AND recovered_at < $before",
            { before },
          )) +
          (await execute(connection, 'DELETE FROM alert_notification WHERE enqueued_at < $before', {
            before,
          })),
      ),
    mutes: async (now) => engine.state(async (connection) => readMutes(connection, now)),
    mute: async ({ account, alert, until, mutedAt, by, reason }) =>
      inOne(async (connection) => {
        await execute(connection, 'DELETE FROM alert_mute WHERE account = $account AND alert = $alert', {
          account,
          alert,
        });
        await execute(
          connection,
          `INSERT INTO alert_mute (account, alert, until_at, muted_at, muted_by, reason)
           VALUES ($account, $alert, $until, $mutedAt, $by, $reason)`,
          { account, alert, until, mutedAt, by, reason: reason ?? null },
        );
        await writeAction(connection, {
          at: mutedAt,
          account,
          by,
          action: 'mute',
          subject: alert,
          detail: `until ${new Date(until).toISOString()}${reason === undefined ? '' : `: ${reason}`}`,
        });
      }),
    unmute: async (account, alert, by, at) =>
      inOne(async (connection) => {
        const removed = await execute(
          connection,
          'DELETE FROM alert_mute WHERE account = $account AND alert = $alert AND until_at > $at',
          { account, alert, at },
        );
        if (removed === 0) return false;
        await writeAction(connection, { at, account, by, action: 'unmute', subject: alert, detail: '' });
        return true;
      }),
    acknowledge: async ({ account, alert, at, by, reason }) =>
      inOne(async (connection) => {
        await execute(
          connection,
          'DELETE FROM alert_acknowledgement WHERE account = $account AND alert = $alert',
          { account, alert },
        );
        await execute(
          connection,
          `INSERT INTO alert_acknowledgement (account, alert, acknowledged_at, acknowledged_by, reason)
           VALUES ($account, $alert, $at, $by, $reason)`,
          { account, alert, at, by, reason: reason ?? null },
        );
        await writeAction(connection, {
          at,
          account,
          by,
          action: 'acknowledge',
          subject: alert,
          detail: reason ?? '',
        });
      }),
    acknowledgements: async () =>
      engine.state(async (connection) => {
        const rows = await readRows(
          connection,
          'SELECT * FROM alert_acknowledgement ORDER BY account, alert',
        );
        return rows.map((row) => ({
          account: text(row, 'account'),
          alert: text(row, 'alert'),
          at: moment(row, 'acknowledged_at'),
          by: text(row, 'acknowledged_by'),
          ...reasonOf(row),
        }));
      }),
    actions: async (limit) =>
      engine.state(async (connection) => {
        const rows = await readRows(
          connection,
          'SELECT * FROM operator_action ORDER BY taken_at DESC, subject LIMIT $limit',
          { limit },
        );
        return rows.map((row): OperatorAction => {
          const action = text(row, 'action');
          return {
            at: moment(row, 'taken_at'),
            account: text(row, 'account'),
            by: text(row, 'taken_by'),
            action: action === 'mute' || action === 'unmute' ? action : 'acknowledge',
            subject: text(row, 'subject'),
            detail: text(row, 'detail'),
          };
        });
      }),
  };
};
