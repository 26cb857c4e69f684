import { unixMillis, type UnixMillis } from '../../core/index.ts';
import {
  boundRows,
  putEntries,
  label,
  inTransaction,
  text,
  wholeNumber,
  type Row,
  type Sql,
  type StateEngine,
} from '../../storage/index.ts';
import { decideAndStore } from '../decide-and-store.ts';
import type { AlertTable, StoredAlert } from './alert-table.ts';
import { operatorActions, readMutes } from './operator-actions.ts';

const moment = (row: Row, column: string): UnixMillis => unixMillis(wholeNumber(row, column));

const recordOf = (row: Row): StoredAlert & { readonly account: string } => ({
  account: text(row, 'account'),
  alert: text(row, 'alert'),
  level: text(row, 'level'),
  period: text(row, 'period'),
  state: label<StoredAlert['state']>()(row, 'state'),
  raisedAt: moment(row, 'raised_at'),
  ...(row['recovered_at'] === null ? {} : { recoveredAt: moment(row, 'recovered_at') }),
});

const writeRecords = async (
  connection: Sql,
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

/** Alerts and mutes in DuckDB, over the connection that serializes its work. */
export const createAlertTable = (engine: StateEngine): AlertTable => {
  const inOne = async <T>(work: (connection: Sql) => Promise<T>): Promise<T> =>
    engine.state(async (connection) => inTransaction(connection, work));
  return {
    decide: async (account, alerts, now, decide) =>
      decideAndStore(engine, {
        read: async (connection) => {
          const rows = await connection.rows(
            `SELECT * FROM alert_record WHERE account = $account AND alert = ANY($alerts)
             ORDER BY raised_at, alert, level, period`,
            { account, alerts },
          );
          return { records: rows.map(recordOf), mutes: await readMutes(connection, now, account) };
        },
        decide,
        write: async (connection, { records, mails }) => {
          await writeRecords(connection, account, records);
          await putEntries(connection, mails);
        },
      }),
    putStatus: async (account, statuses, gone) =>
      inOne(async (connection) => {
        await connection.execute(
          'DELETE FROM alert_status WHERE account = $account AND alert = ANY($alerts)',
          { account, alerts: [...statuses.map(({ alert }) => alert), ...gone] },
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
             SELECT $account, alert, status, evaluated_at, unknown_since FROM ${table} AS added`,
          { account },
        );
      }),
    statuses: async (account) =>
      engine.state(async (connection) => {
        const rows = await connection.rows(
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
        const rows = await connection.rows(
          "SELECT * FROM alert_record WHERE state = 'firing' ORDER BY raised_at, account, alert, level",
        );
        return rows.map(recordOf);
      }),
    records: async (account) =>
      engine.state(async (connection) => {
        const rows = await connection.rows(
          'SELECT * FROM alert_record WHERE account = $account ORDER BY raised_at, alert, level',
          { account },
        );
        return rows.map(recordOf);
      }),
    trim: async (before) =>
      inOne(async (connection) =>
        connection.execute("DELETE FROM alert_record WHERE state <> 'firing' AND recovered_at < $before", {
          before,
        }),
      ),
    ...operatorActions(engine),
  };
};
