import { backupStatements } from './backup/backup-log.ts';
import { closedStatements } from './closed/closed-schema.ts';
import { forecastStatements } from './forecasts/forecast-schema.ts';
import { callLogTable } from './logs/call-log-table.ts';
import { extraStatements } from './logs/extra.ts';
import type { Schema } from './migrate.ts';
import type { RowStore } from '../storage/index.ts';
import { alertStatements, lagStatements, migrations } from './migrations.ts';
import { hourStatements, rollupStatements } from './rollup/rollup-schema.ts';

/*
 * Times are BIGINT: seconds UTC in the tables of the call log and of comparisons, milliseconds UTC in those of the usage
 * export, as in the gateway's endpoints; milliseconds UTC for times that Tollkeeper records. No enums and no sequences, so that another engine can use the same
 * tables. ON CONFLICT names a key of the table; it also holds in a transaction that deletes the row before.
 */

const statements = [
  callLogTable,
  // Each landing of a window. `amounts` is the form of its amounts; `settled_at` is the time before which everything
  // had arrived when the window was requested; `gateway_at` (ms) is the time at the gateway.
  `CREATE TABLE log_window (
    account VARCHAR NOT NULL, start_at BIGINT NOT NULL, end_at BIGINT NOT NULL, row_count BIGINT NOT NULL,
    served_count BIGINT NOT NULL, replaced_count BIGINT NOT NULL, quota DECIMAL(38, 12) NOT NULL,
    replaced_quota DECIMAL(38, 12) NOT NULL, amounts VARCHAR, currency VARCHAR NOT NULL,
    columns VARCHAR NOT NULL, bytes BIGINT NOT NULL, landed_at BIGINT NOT NULL, settled_at BIGINT,
    quarantined_count BIGINT, gateway_at BIGINT
  )`,
  // The range that regular pulls have covered without a gap.
  `CREATE TABLE log_cursor (
    account VARCHAR NOT NULL, origin BIGINT NOT NULL, reached BIGINT NOT NULL
  )`,
  // What the amounts of an account are, with the evidence so far.
  `CREATE TABLE log_amounts (
    account VARCHAR NOT NULL, currency VARCHAR NOT NULL, form VARCHAR, units_per_currency BIGINT NOT NULL,
    whole_count BIGINT NOT NULL, largest_whole DECIMAL(28, 12) NOT NULL, decided_by VARCHAR,
    served_form VARCHAR, units_stated BOOLEAN, has_fractions BOOLEAN
  )`,
  // Rows that could not be read. They are in no sum.
  `CREATE TABLE log_quarantine (
    account VARCHAR NOT NULL, window_start BIGINT NOT NULL, window_end BIGINT NOT NULL,
    start_at BIGINT NOT NULL, end_at BIGINT NOT NULL, line BIGINT NOT NULL, row_text VARCHAR NOT NULL,
    reason VARCHAR NOT NULL, landed_at BIGINT NOT NULL
  )`,
  // Evidence of the kinds of rows that no known column names. `meaning` is empty while it is open.
  `CREATE TABLE log_kind_word (
    account VARCHAR NOT NULL, column_name VARCHAR NOT NULL, word VARCHAR NOT NULL, bare BIGINT NOT NULL,
    bare_of_charged_models BIGINT NOT NULL, charged BIGINT NOT NULL, refunds BIGINT NOT NULL,
    balance BIGINT NOT NULL, free BIGINT NOT NULL, meaning VARCHAR, UNIQUE (account, column_name, word)
  )`,
  // Rows that count as calls although they may be errors: no charge, no tokens, and no column that names their kind.
  `CREATE TABLE log_unclear_row (
    account VARCHAR NOT NULL, created_at BIGINT NOT NULL, row_count BIGINT NOT NULL
  )`,
  // Sums of a quarter hour before and after a landing that changed them; amounts as served.
  `CREATE TABLE restatement (
    account VARCHAR NOT NULL, number BIGINT NOT NULL, quarter BIGINT NOT NULL, kind VARCHAR NOT NULL,
    old_calls BIGINT NOT NULL, new_calls BIGINT NOT NULL, old_amount DECIMAL(38, 12) NOT NULL,
    new_amount DECIMAL(38, 12) NOT NULL, old_size DECIMAL(38, 12) NOT NULL,
    new_size DECIMAL(38, 12) NOT NULL, landed_at BIGINT NOT NULL
  )`,
  // Searches for missing rows that examined a range to its end.
  `CREATE TABLE gap_search (
    account VARCHAR NOT NULL, start_at BIGINT NOT NULL, end_at BIGINT NOT NULL, searched_at BIGINT NOT NULL
  )`,
  // Months of the call log in Parquet files.
  `CREATE TABLE call_archive (
    account VARCHAR NOT NULL, month VARCHAR NOT NULL, start_at BIGINT NOT NULL, end_at BIGINT NOT NULL,
    state VARCHAR NOT NULL, file VARCHAR NOT NULL, row_count BIGINT NOT NULL, quota DECIMAL(38, 12) NOT NULL,
    checksum VARCHAR NOT NULL, engine VARCHAR NOT NULL, bytes BIGINT NOT NULL, sha256 VARCHAR NOT NULL,
    written_at BIGINT NOT NULL, left_at BIGINT
  )`,
  // Values of the usage export.
  `CREATE TABLE usage_bucket (
    account VARCHAR NOT NULL, dimension VARCHAR NOT NULL, metric VARCHAR NOT NULL,
    granularity VARCHAR NOT NULL, bucket_start BIGINT NOT NULL, entry VARCHAR NOT NULL,
    value DECIMAL(28, 12) NOT NULL
  )`,
  // Each landing of a usage window.
  `CREATE TABLE usage_window (
    account VARCHAR NOT NULL, dimension VARCHAR NOT NULL, metric VARCHAR NOT NULL,
    granularity VARCHAR NOT NULL, start_at BIGINT NOT NULL, end_at BIGINT NOT NULL,
    row_count BIGINT NOT NULL, replaced_count BIGINT NOT NULL, total DECIMAL(38, 12) NOT NULL,
    layout VARCHAR NOT NULL, bytes BIGINT NOT NULL, landed_at BIGINT NOT NULL
  )`,
  // The range that regular usage pulls have covered without a gap.
  `CREATE TABLE usage_cursor (
    account VARCHAR NOT NULL, dimension VARCHAR NOT NULL, metric VARCHAR NOT NULL,
    granularity VARCHAR NOT NULL, origin BIGINT NOT NULL, reached BIGINT NOT NULL
  )`,
  // One row per snapshot. Columns of the profile are empty where it could not be read, `key_count` where the keys
  // could not.
  `CREATE TABLE account_snapshot (
    account VARCHAR NOT NULL, taken_at BIGINT NOT NULL, asked_at BIGINT, username VARCHAR,
    display_name VARCHAR, balance DECIMAL(38, 18), used_quota DECIMAL(38, 18), request_count BIGINT,
    group_name VARCHAR, level BIGINT, rest VARCHAR, key_count BIGINT
  )`,
  // Amounts are text, digit by digit as served: a sum of floats can have more decimals than a DECIMAL.
  `CREATE TABLE account_statistics (
    account VARCHAR NOT NULL, taken_at BIGINT NOT NULL, start_at BIGINT NOT NULL, end_at BIGINT NOT NULL,
    quota VARCHAR NOT NULL, rpm VARCHAR, tpm VARCHAR, mpm VARCHAR, rest VARCHAR NOT NULL
  )`,
  // One row for as long as a key stays the same: from the first snapshot that shows it so to the first that does
  // not.
  `CREATE TABLE key_snapshot (
    account VARCHAR NOT NULL, key_id BIGINT NOT NULL, valid_from BIGINT NOT NULL,
    valid_until BIGINT NOT NULL, name VARCHAR NOT NULL, key_mask VARCHAR, status BIGINT,
    remain_quota DECIMAL(38, 18) NOT NULL, unlimited_quota BOOLEAN NOT NULL, expired_time BIGINT NOT NULL,
    group_name VARCHAR, created_time BIGINT, rest VARCHAR NOT NULL
  )`,
  // Calls of a UTC day and model that prove a token convention by themselves, with the first of them as witness.
  `CREATE TABLE token_row_evidence (
    account VARCHAR NOT NULL, day BIGINT NOT NULL, model_name VARCHAR NOT NULL, calls BIGINT NOT NULL,
    part_calls BIGINT NOT NULL, excludes_calls BIGINT NOT NULL, witness_at BIGINT, witness_whole BIGINT,
    witness_part BIGINT, witness_write BIGINT, side VARCHAR DEFAULT 'input'
  )`,
  // What the charges of the calls of one key show, over so many UTC days up to this one. The coefficients are
  // evidence, never money.
  `CREATE TABLE token_price_evidence (
    account VARCHAR NOT NULL, day BIGINT NOT NULL, model_name VARCHAR NOT NULL, days BIGINT NOT NULL,
    token_name VARCHAR NOT NULL, calls BIGINT NOT NULL, shows VARCHAR NOT NULL, whole_price VARCHAR NOT NULL,
    part_price VARCHAR NOT NULL, part_error VARCHAR NOT NULL, side VARCHAR DEFAULT 'input'
  )`,
  // What is decided; without a convention it is open. `output` is the evidence of the output side, as JSON.
  `CREATE TABLE token_convention (
    account VARCHAR NOT NULL, model_name VARCHAR NOT NULL, convention VARCHAR, decided_by VARCHAR,
    contradicted BOOLEAN NOT NULL, evidence VARCHAR NOT NULL, output_convention VARCHAR, output VARCHAR
  )`,
  // Conventions that the configuration states.
  `CREATE TABLE token_rule (
    account VARCHAR NOT NULL, pattern VARCHAR NOT NULL, convention VARCHAR NOT NULL,
    side VARCHAR DEFAULT 'input'
  )`,
  // The landings that the evidence covers.
  `CREATE TABLE token_judged (
    account VARCHAR NOT NULL, landings BIGINT NOT NULL, newest BIGINT NOT NULL, before_count BIGINT NOT NULL
  )`,
  // One row per comparison; `entry` is empty for a total. Amounts are text, digit by digit: units have no fixed
  // number of decimals.
  `CREATE TABLE comparison (
    account VARCHAR NOT NULL, source VARCHAR NOT NULL, entry VARCHAR, start_at BIGINT NOT NULL,
    end_at BIGINT NOT NULL, ours VARCHAR NOT NULL, theirs VARCHAR NOT NULL, gap VARCHAR NOT NULL,
    unit VARCHAR NOT NULL, verdict VARCHAR NOT NULL, message VARCHAR NOT NULL, compared_at BIGINT NOT NULL
  )`,
  // Gaps of which operators are notified. `state`: open until later data agree (passed), or this range does
  // (healed).
  `CREATE TABLE comparison_gap (
    account VARCHAR NOT NULL, source VARCHAR NOT NULL, start_at BIGINT NOT NULL, end_at BIGINT NOT NULL,
    gap VARCHAR NOT NULL, unit VARCHAR NOT NULL, verdict VARCHAR NOT NULL, message VARCHAR NOT NULL,
    state VARCHAR NOT NULL, noted_at BIGINT NOT NULL, notified_at BIGINT
  )`,
  // The unit in which a source counts, with the comparison that showed it.
  `CREATE TABLE source_unit (
    account VARCHAR NOT NULL, source VARCHAR NOT NULL, unit VARCHAR NOT NULL, per_currency VARCHAR NOT NULL,
    refunds VARCHAR NOT NULL, places BIGINT NOT NULL, figures BIGINT NOT NULL, evidence VARCHAR NOT NULL,
    learned_at BIGINT NOT NULL
  )`,
  // One row per point of the contract: the value that is applied. `confirmed_at` is when it was last observed.
  `CREATE TABLE learned_point (
    account VARCHAR NOT NULL, point VARCHAR NOT NULL, value VARCHAR NOT NULL, evidence VARCHAR NOT NULL,
    how VARCHAR NOT NULL, learned_at BIGINT NOT NULL, confirmed_at BIGINT NOT NULL
  )`,
  // The value that was applied before, until another one was learned.
  `CREATE TABLE learned_point_past (
    account VARCHAR NOT NULL, point VARCHAR NOT NULL, value VARCHAR NOT NULL, evidence VARCHAR NOT NULL,
    how VARCHAR NOT NULL, learned_at BIGINT NOT NULL, until_at BIGINT NOT NULL
  )`,
  // Columns of the log export under the names they are served with; `gone_at` is empty while they are served.
  `CREATE TABLE learned_column (
    account VARCHAR NOT NULL, name VARCHAR NOT NULL, role VARCHAR, shown_unasked BOOLEAN NOT NULL,
    first_seen BIGINT NOT NULL, last_seen BIGINT NOT NULL, gone_at BIGINT
  )`,
  // Changes of the gateway of which operators are notified.
  `CREATE TABLE learned_change (
    account VARCHAR NOT NULL, topic VARCHAR NOT NULL, name VARCHAR NOT NULL, detail VARCHAR NOT NULL,
    noted_at BIGINT NOT NULL, notified_at BIGINT
  )`,
  // The offset of the clock of each gateway from the local one, by the `Date` header; from which local time on stamps of own
  // keys count, and by how much they contradict that header (ms).
  `CREATE TABLE gateway_clock (
    account VARCHAR NOT NULL, measured_at BIGINT NOT NULL, uptime BIGINT, clock_offset BIGINT NOT NULL,
    uncertainty BIGINT NOT NULL, since BIGINT NOT NULL, jump BIGINT NOT NULL,
    stamps_from BIGINT, date_error BIGINT, error_confirmed BOOLEAN, error_found_at BIGINT
  )`,
  // Through which slot the slots of a job are claimed.
  `CREATE TABLE job_cursor (
    job VARCHAR NOT NULL, version BIGINT NOT NULL, schedule VARCHAR NOT NULL,
    claimed_through BIGINT NOT NULL, UNIQUE (job)
  )`,
  // The run ledger. Its key is the last guard against a slot that is claimed twice. `event` is set until
  // the scheduler has decided whether to notify operators of it.
  `CREATE TABLE job_run (
    job VARCHAR NOT NULL, slot BIGINT NOT NULL, account VARCHAR NOT NULL, run_trigger VARCHAR NOT NULL,
    version BIGINT NOT NULL, state VARCHAR NOT NULL, interval_start BIGINT NOT NULL,
    interval_end BIGINT NOT NULL, through BIGINT, attempts BIGINT NOT NULL, next_attempt BIGINT,
    claimed_at BIGINT NOT NULL, started_at BIGINT, ended_at BIGINT, code VARCHAR, reason VARCHAR,
    summary VARCHAR, event VARCHAR, UNIQUE (job, slot)
  )`,
  // The attempts of each run.
  `CREATE TABLE job_attempt (
    job VARCHAR NOT NULL, slot BIGINT NOT NULL, attempt BIGINT NOT NULL, started_at BIGINT NOT NULL,
    ended_at BIGINT, state VARCHAR NOT NULL, code VARCHAR, reason VARCHAR, UNIQUE (job, slot, attempt)
  )`,
  // Jobs with a failure of which operators have a notification.
  `CREATE TABLE job_outage (
    job VARCHAR NOT NULL, slot BIGINT NOT NULL, opened_at BIGINT NOT NULL, UNIQUE (job)
  )`,
  // Messages and their state. `route` is `mail` or the name of a route; `doubts` counts attempts with an unknown
  // outcome; `tried_from` is when the time limit for retries begins; `title` is the subject line;
  // `topics` are what a mail is about.
  `CREATE TABLE outbox (
    id VARCHAR NOT NULL, account VARCHAR NOT NULL, kind VARCHAR NOT NULL, subject VARCHAR NOT NULL,
    recipient VARCHAR NOT NULL, sender VARCHAR NOT NULL, message_id VARCHAR NOT NULL, file VARCHAR NOT NULL,
    state VARCHAR NOT NULL, attempts BIGINT NOT NULL, queued_at BIGINT NOT NULL,
    next_attempt BIGINT NOT NULL, changed_at BIGINT NOT NULL, last_error VARCHAR,
    route VARCHAR DEFAULT 'mail', doubts BIGINT DEFAULT 0, tried_from BIGINT, title VARCHAR, topics VARCHAR[],
    UNIQUE (account, kind, subject, recipient)
  )`,
  // The journal of steps on keys, chained by hash; the audit log beside the database contains the same. Rows are only
  // added.
  `CREATE TABLE key_event (
    seq BIGINT NOT NULL, taken_at BIGINT NOT NULL, account VARCHAR NOT NULL, service VARCHAR NOT NULL,
    rotation VARCHAR NOT NULL, what VARCHAR NOT NULL, hash VARCHAR NOT NULL, event VARCHAR NOT NULL,
    UNIQUE (seq)
  )`,
  // Which keys are, or were, generations of a service; `retired` is empty while a key is in use.
  `CREATE TABLE key_lineage (
    account VARCHAR NOT NULL, key_id BIGINT NOT NULL, service VARCHAR NOT NULL, generation BIGINT NOT NULL,
    name VARCHAR NOT NULL, created_at BIGINT NOT NULL, retired BIGINT
  )`,
  // The colour of a model or key, the same in each chart.
  `CREATE TABLE series_colour (
    account VARCHAR NOT NULL, name VARCHAR NOT NULL, colour BIGINT NOT NULL, UNIQUE (account, name)
  )`,
  ...alertStatements,
  ...lagStatements,
  ...rollupStatements,
  ...backupStatements,
  ...extraStatements,
  ...closedStatements,
  ...forecastStatements,
  ...hourStatements,
] as const;

export const schema: Schema = {
  number: Math.max(...migrations.map(({ number }) => number)),
  statements,
  migrations,
};

type Statement = (typeof statements)[number];
type NameIn<T extends string> = T extends `CREATE TABLE ${infer Name} (${string}` ? Name : never;

/** The tables whose rows belong to an account. */
export type AccountTable = NameIn<Extract<Statement, `${string}account VARCHAR NOT NULL${string}`>>;

/** The calls of accounts, for works that declare which of the tables they touch. */
export type AccountStore = RowStore<AccountTable>;
