import type { Migration } from './migrate.ts';
import { backupStatements } from './backup/backup-log.ts';
import { laterColumns } from '../core/index.ts';
import { columnMigrations } from './logs/call-log-table.ts';
import { extraStatements } from './logs/extra.ts';
import { closedStatements } from './closed/closed-schema.ts';
import { forecastStatements } from './forecasts/forecast-schema.ts';
import { hourStatements, replacedHours, replacedRollup, rollupStatements } from './rollup/rollup-schema.ts';

/** Tables of windows whose sum lags behind the gateway's, which schema 26 adds. */
export const lagStatements = [
  // The last comparison of a month with the gateway's sum. Sums are text, digit by digit.
  `CREATE TABLE log_check (
    account VARCHAR NOT NULL, start_at BIGINT NOT NULL, end_at BIGINT NOT NULL, gateway_sum VARCHAR NOT NULL,
    checked_at BIGINT NOT NULL
  )`,
  // Windows of the log that lag, and how often they were pulled again while the gateway's sum was this one.
  `CREATE TABLE lagging_window (
    account VARCHAR NOT NULL, start_at BIGINT NOT NULL, end_at BIGINT NOT NULL, gateway_sum VARCHAR NOT NULL,
    tries BIGINT NOT NULL, tried_at BIGINT, notified_at BIGINT
  )`,
] as const;

/** Tables of alerts, which schema 24 adds. */
export const alertStatements = [
  // Alerts that were raised. `period` is the start of the period of a budget in seconds, otherwise the moment (ms) at
  // which the alert was raised.
  `CREATE TABLE alert_record (
    account VARCHAR NOT NULL, alert VARCHAR NOT NULL, level VARCHAR NOT NULL, period VARCHAR NOT NULL,
    state VARCHAR NOT NULL, raised_at BIGINT NOT NULL, recovered_at BIGINT,
    UNIQUE (account, alert, level, period)
  )`,
  // What the last evaluation of each alert found, as JSON.
  `CREATE TABLE alert_status (
    account VARCHAR NOT NULL, alert VARCHAR NOT NULL, status VARCHAR NOT NULL, evaluated_at BIGINT NOT NULL,
    unknown_since BIGINT
  )`,
  `CREATE TABLE alert_mute (
    account VARCHAR NOT NULL, alert VARCHAR NOT NULL, until_at BIGINT NOT NULL, muted_at BIGINT NOT NULL,
    muted_by VARCHAR NOT NULL, reason VARCHAR
  )`,
  `CREATE TABLE alert_acknowledgement (
    account VARCHAR NOT NULL, alert VARCHAR NOT NULL, acknowledged_at BIGINT NOT NULL,
    acknowledged_by VARCHAR NOT NULL, reason VARCHAR
  )`,
  // What people did to alerts: the audit of the run ledger. Rows are only added.
  `CREATE TABLE operator_action (
    taken_at BIGINT NOT NULL, account VARCHAR NOT NULL, taken_by VARCHAR NOT NULL, action VARCHAR NOT NULL,
    subject VARCHAR NOT NULL, detail VARCHAR NOT NULL
  )`,
] as const;

/**
 * Whether the mail about an alert is not in the outbox. A mail is about the levels of an alert that were decided at one
 * moment, and its ID is the hash of them.
 */
const hasUnsent = (event: 'alert' | 'recovered', decidedAt: 'raised_at' | 'recovered_at'): string => `EXISTS (
  SELECT 1
  FROM (
    SELECT account, alert, period, ${decidedAt} AS decided_at,
      sha256('["${event}",' || CAST(to_json(list_sort(list(CAST(to_json([alert, level, period]) AS VARCHAR)))) AS VARCHAR)
        || ']')[1:32] AS id
    FROM alert_record GROUP BY ALL
  ) AS decided
  JOIN alert_notification AS unsent
    ON unsent.account = decided.account AND unsent.id = decided.id AND unsent.enqueued_at IS NULL
  WHERE decided.account = alert_record.account AND decided.alert = alert_record.alert
    AND decided.period = alert_record.period AND decided.decided_at = alert_record.${decidedAt}
    AND NOT EXISTS (
      SELECT 1 FROM outbox
      WHERE outbox.account = unsent.account AND outbox.kind = 'alert' AND outbox.subject = unsent.id
    )
)`;

const written: readonly Migration[] = [
  {
    number: 22,
    name: 'names of columns',
    statements: [
      'ALTER TABLE comparison RENAME COLUMN words TO message',
      'ALTER TABLE comparison_gap RENAME COLUMN words TO message',
      'ALTER TABLE comparison_gap RENAME COLUMN told_at TO notified_at',
      'ALTER TABLE learned_news RENAME COLUMN told_at TO notified_at',
      'ALTER TABLE learned_news RENAME TO learned_change',
      'ALTER TABLE key_lineage RENAME COLUMN born TO created_at',
    ],
  },
  {
    number: 23,
    name: 'one table of what was notified',
    statements: [
      `CREATE TABLE notified (
        account VARCHAR NOT NULL, kind VARCHAR NOT NULL, subject VARCHAR NOT NULL, notified_at BIGINT NOT NULL
      )`,
      `INSERT INTO notified
       SELECT account, 'learned', concat_ws('/', topic, name, noted_at), notified_at
       FROM learned_change WHERE notified_at IS NOT NULL`,
      `INSERT INTO notified
       SELECT account, 'gap', concat_ws('/', source, start_at, end_at, noted_at), notified_at
       FROM comparison_gap WHERE notified_at IS NOT NULL`,
      'ALTER TABLE learned_change DROP COLUMN notified_at',
      'ALTER TABLE comparison_gap DROP COLUMN notified_at',
    ],
  },
  {
    number: 24,
    name: 'alerts',
    statements: [
      ...alertStatements,
      `CREATE TABLE alert_notification (
        account VARCHAR NOT NULL, number BIGINT NOT NULL, id VARCHAR NOT NULL, content VARCHAR NOT NULL,
        created_at BIGINT NOT NULL, enqueued_at BIGINT, UNIQUE (account, id)
      )`,
    ],
  },
  {
    number: 25,
    name: 'token columns of the export',
    statements: ['ALTER TABLE call_log ADD COLUMN served_columns BIGINT'],
  },
  { number: 26, name: 'windows that lag behind the gateway', statements: lagStatements },
  {
    number: 27,
    name: 'errors of the Date header',
    statements: [
      'ALTER TABLE gateway_clock ADD COLUMN stamps_from BIGINT',
      'ALTER TABLE gateway_clock ADD COLUMN date_error BIGINT',
      'ALTER TABLE gateway_clock ADD COLUMN error_confirmed BOOLEAN',
      'ALTER TABLE gateway_clock ADD COLUMN error_found_at BIGINT',
    ],
  },
  {
    number: 28,
    name: 'mails stored with what they are about',
    statements: [
      'ALTER TABLE learned_change ADD COLUMN notified_at BIGINT',
      `UPDATE learned_change SET notified_at = notified.notified_at FROM notified
       WHERE notified.account = learned_change.account AND notified.kind = 'learned'
         AND notified.subject = concat_ws('/', topic, name, noted_at)`,
      'ALTER TABLE comparison_gap ADD COLUMN notified_at BIGINT',
      `UPDATE comparison_gap SET notified_at = notified.notified_at FROM notified
       WHERE notified.account = comparison_gap.account AND notified.kind = 'gap'
         AND notified.subject = concat_ws('/', source, start_at, end_at, noted_at)`,
      'DROP TABLE notified',
      // Alerts whose mail did not enter the outbox are decided again.
      `DELETE FROM alert_record WHERE state = 'firing' AND ${hasUnsent('alert', 'raised_at')}`,
      `UPDATE alert_record SET state = 'firing', recovered_at = NULL
       WHERE state = 'recovered' AND ${hasUnsent('recovered', 'recovered_at')}`,
      'DROP TABLE alert_notification',
      'ALTER TABLE job_run ADD COLUMN event VARCHAR',
    ],
  },
  { number: 29, name: 'rollup of the call log', statements: rollupStatements },
  { number: 30, name: 'topics of mails', statements: ['ALTER TABLE outbox ADD COLUMN topics VARCHAR[]'] },
  { number: 31, name: 'backups', statements: backupStatements },
  { number: 32, name: 'headers of other columns', statements: extraStatements },
  { number: 33, name: 'rollup by model and by key', statements: replacedRollup },
  { number: 34, name: 'closed months', statements: closedStatements },
  { number: 35, name: 'forecasts', statements: forecastStatements },
  { number: 36, name: 'hours of the rollup', statements: hourStatements },
  { number: 37, name: 'hours in doubles', statements: replacedHours },
];

/**
 * Applied in order, each in one transaction. A released migration is never edited, only followed by another. Those of
 * new columns of the call log are derived from their entries.
 */
export const migrations: readonly Migration[] = [...written, ...columnMigrations(laterColumns)].toSorted(
  (one, other) => one.number - other.number,
);
