import { iso, unixMillis, type UnixMillis } from '../../core/index.ts';
import {
  all,
  column,
  label,
  millis,
  readAs,
  rowReader,
  inTransaction,
  text,
  wholeNumber,
  type Row,
  type Sql,
  type StateEngine,
} from '../../storage/index.ts';
import type { AlertMute, AlertTable, AlertLogEntry } from './alert-table.ts';

const moment = (row: Row, column: string): UnixMillis => unixMillis(wholeNumber(row, column));

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

export const readMutes = async (
  connection: Sql,
  now: UnixMillis,
  account?: string,
): Promise<readonly AlertMute[]> => {
  const rows = await connection.rows(
    `SELECT * FROM alert_mute WHERE until_at > $now AND coalesce(account = $account, true)
     ORDER BY account, alert`,
    { now, account: account ?? null },
  );
  return rows.map(muteOf);
};

type Action = Omit<AlertLogEntry, 'action'> & { readonly action: AlertLogEntry['action'] | 'log-out' };

const writeAction = async (connection: Sql, action: Action): Promise<void> =>
  void (await connection.execute(
    `INSERT INTO operator_action (taken_at, account, taken_by, action, subject, detail)
     VALUES ($at, $account, $by, $action, $subject, $detail)`,
    action,
  ));

const logEntry = rowReader({
  at: column('moment', millis),
  ...all(text, 'account', 'by', 'subject', 'detail'),
  action: label<AlertLogEntry['action']>(),
});

const expectedEntry = rowReader({
  ...all(text, 'account', 'reason'),
  first: column('first_day', text),
  last: column('last_day', text),
  by: column('added_by', text),
  at: column('added_at', millis),
});

const removeDays =
  'DELETE FROM expected_days WHERE account = $account AND first_day = $first AND last_day = $last';

const daysText = ({ first, last }: { readonly first: string; readonly last: string }): string =>
  first === last ? first : `${first} to ${last}`;

/** What people do about alerts, each step with its row in the audit. */
export const operatorActions = (
  engine: StateEngine,
): Pick<
  AlertTable,
  | 'mutes'
  | 'mute'
  | 'unmute'
  | 'acknowledge'
  | 'expect'
  | 'forget'
  | 'expected'
  | 'hasActed'
  | 'logOut'
  | 'acknowledgements'
  | 'log'
> => {
  const inOne = async <T>(work: (connection: Sql) => Promise<T>): Promise<T> =>
    engine.state(async (connection) => inTransaction(connection, work));
  return {
    mutes: async (now) => engine.state(async (connection) => readMutes(connection, now)),
    mute: async ({ account, alert, until, mutedAt, by, reason }) =>
      inOne(async (connection) => {
        await connection.execute('DELETE FROM alert_mute WHERE account = $account AND alert = $alert', {
          account,
          alert,
        });
        await connection.execute(
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
        const removed = await connection.execute(
          'DELETE FROM alert_mute WHERE account = $account AND alert = $alert AND until_at > $at',
          { account, alert, at },
        );
        if (removed === 0) return false;
        await writeAction(connection, { at, account, by, action: 'unmute', subject: alert, detail: '' });
        return true;
      }),
    acknowledge: async ({ account, alert, at, by, reason }) =>
      inOne(async (connection) => {
        await connection.execute(
          'DELETE FROM alert_acknowledgement WHERE account = $account AND alert = $alert',
          { account, alert },
        );
        await connection.execute(
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
    expect: async ({ account, first, last, reason, by, at }) =>
      inOne(async (connection) => {
        const days = { account, first, last };
        await connection.execute(removeDays, days);
        await connection.execute(
          `INSERT INTO expected_days (account, first_day, last_day, reason, added_by, added_at)
           VALUES ($account, $first, $last, $reason, $by, $at)`,
          { ...days, reason, by, at },
        );
        const subject = daysText(days);
        await writeAction(connection, { at, account, by, action: 'expect', subject, detail: reason });
      }),
    forget: async ({ account, first, last }, by, at) =>
      inOne(async (connection) => {
        const days = { account, first, last };
        if ((await connection.execute(removeDays, days)) === 0) return false;
        const subject = daysText(days);
        await writeAction(connection, { at, account, by, action: 'forget', subject, detail: '' });
        return true;
      }),
    expected: async (account) =>
      engine.state(async (connection) =>
        readAs(
          connection,
          expectedEntry,
          `SELECT * FROM expected_days WHERE coalesce(account = $account, true) ORDER BY first_day, last_day, account`,
          { account: account ?? null },
        ),
      ),
    hasActed: async (by) =>
      engine.state(async (connection) => {
        const rows = await connection.rows('SELECT 1 FROM operator_action WHERE taken_by = $by LIMIT 1', {
          by,
        });
        return rows.length > 0;
      }),
    logOut: async (by, at, expiresAt) =>
      inOne(async (connection) => {
        await connection.execute(`DELETE FROM operator_action WHERE action = 'log-out' AND detail < $now`, {
          now: iso(at),
        });
        await writeAction(connection, {
          at,
          account: '',
          by,
          action: 'log-out',
          subject: 'status page',
          detail: iso(expiresAt),
        });
      }),
    acknowledgements: async () =>
      engine.state(async (connection) => {
        const rows = await connection.rows('SELECT * FROM alert_acknowledgement ORDER BY account, alert');
        return rows.map((row) => ({
          account: text(row, 'account'),
          alert: text(row, 'alert'),
          at: moment(row, 'acknowledged_at'),
          by: text(row, 'acknowledged_by'),
          ...reasonOf(row),
        }));
      }),
    log: async (limit) =>
      engine.state(async (connection) =>
        readAs(
          connection,
          logEntry,
          `SELECT taken_at AS moment, account, taken_by AS by, action, subject, detail FROM operator_action
             WHERE action <> 'log-out'
           UNION ALL SELECT raised_at, account, '', 'raised', alert, level FROM alert_record
           UNION ALL SELECT recovered_at, account, '', state, alert, level FROM alert_record WHERE state <> 'firing'
           ORDER BY moment DESC, subject, action, detail LIMIT $limit`,
          { limit },
        ),
      ),
  };
};
