/** A metric: how it is shown, and how many label sets it may have at once. */
type Entry<
  Type extends 'counter' | 'gauge' | 'histogram' = 'counter' | 'gauge' | 'histogram',
  Label extends string = string,
> = {
  readonly type: Type;
  readonly help: string;
  readonly labels: readonly Label[];
  /** Label sets; further ones are left out and counted. */
  readonly most: number;
  /** Upper bounds of a histogram, in its unit. */
  readonly buckets?: readonly number[];
};

/** Label sets of a metric by job, and of one by key or budget. */
const most = { few: 200, jobs: 1000, spend: 2000 };

const counter = <const Label extends string>(
  help: string,
  labels: readonly Label[],
  sets = most.few,
): Entry<'counter', Label> => ({ type: 'counter', help, labels, most: sets });

const gauge = <const Label extends string>(
  help: string,
  labels: readonly Label[],
  sets = most.few,
): Entry<'gauge', Label> => ({ type: 'gauge', help, labels, most: sets });

const histogram = <const Label extends string>(
  help: string,
  labels: readonly Label[],
  buckets: readonly number[],
): Entry<'histogram', Label> => ({ type: 'histogram', help, labels, most: most.few, buckets });

const inFloat = 'The exact decimal is rounded to a 64-bit float.';

/**
 * Every metric of `/metrics`: the registry, the reference and the names that rules and dashboard
 * may use come from here. The label `job` belongs to Prometheus, which sets it for each target.
 */
export const catalogue = {
  tollkeeper_build_info: gauge('1, with the version of the program.', ['version']),
  tollkeeper_working: gauge('1 in the replica that works, 0 in one that starts or stands by.', []),
  tollkeeper_replicas: gauge(
    'Replicas that serve on the database, as the one that works sees them, by state.',
    ['state'],
  ),
  tollkeeper_replicas_different: gauge(
    'Replicas whose configuration or version differs from that of the one that works.',
    [],
  ),
  tollkeeper_lease_age_seconds: gauge(
    'Time since the right to work was extended; it ends after `scheduler.lease`.',
    [],
  ),
  tollkeeper_config_faults: gauge('Faults of a newer configuration that was not applied.', []),
  tollkeeper_config_loaded_timestamp_seconds: gauge('When the active configuration was loaded.', []),
  tollkeeper_runs_total: counter(
    'Runs that ended since the start of the process, without attempts that are retried.',
    ['kind', 'state'],
  ),
  tollkeeper_run_duration_seconds: histogram(
    'Duration of the last attempt of runs that ended.',
    ['kind'],
    [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600],
  ),
  tollkeeper_open_runs: gauge('Runs that have not ended, by state.', ['state']),
  tollkeeper_job_last_success_timestamp_seconds: gauge(
    'When the last successful run of the job ended.',
    ['job_name', 'kind'],
    most.jobs,
  ),
  tollkeeper_job_next_run_timestamp_seconds: gauge(
    'The next slot of the job; missing without a schedule and while the job is suspended.',
    ['job_name', 'kind'],
    most.jobs,
  ),
  tollkeeper_job_failed: gauge(
    '1 if a run of the job has failed since its last success and is not retried, or its first slot was missed, else 0.',
    ['job_name', 'kind'],
    most.jobs,
  ),
  tollkeeper_job_outage: gauge('1 while the job is in an outage, else 0.', ['job_name', 'kind'], most.jobs),
  tollkeeper_job_watermark_timestamp_seconds: gauge(
    'The time up to which the data of the job is complete; missing before its first pull.',
    ['account', 'job_name'],
    most.jobs,
  ),
  tollkeeper_log_watermark_timestamp_seconds: gauge(
    'The time up to which the call log of the account is complete; missing before the first pull.',
    ['account'],
  ),
  tollkeeper_pulled_rows_total: counter(
    'Rows that pulls landed since the start of the process.',
    ['job_name', 'kind'],
    most.jobs,
  ),
  tollkeeper_pulled_bytes_total: counter(
    'Bytes that pulls received since the start of the process.',
    ['job_name', 'kind'],
    most.jobs,
  ),
  tollkeeper_gateway_calls_total: counter(
    'Requests to the gateway since the start of the process, each attempt; outcome is ok, aborted or an error code.',
    ['endpoint', 'outcome'],
    most.jobs,
  ),
  tollkeeper_gateway_call_duration_seconds: histogram(
    'Duration of requests to the gateway: to admin endpoints with the whole answer, to model endpoints up to its headers.',
    ['endpoint'],
    [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300],
  ),
  tollkeeper_outbox_messages: gauge(
    'Unsent messages in the outbox, by state: waiting, failed, unknown, held.',
    ['state'],
  ),
  tollkeeper_mail_attempts_total: counter(
    'Attempts to send a message since the start of the process; outcome is sent, deferred, failed or unknown.',
    ['route', 'outcome'],
  ),
  tollkeeper_spend: gauge(
    `Spend of the account, in the currency: consumption minus refunds; period is today, yesterday or month. ${inFloat}`,
    ['account', 'currency', 'period'],
  ),
  tollkeeper_team_spend: gauge(
    `Spend by team, in the currency; at most 200 teams of an account, the rest as other, keys of no team as (none). ${inFloat}`,
    ['account', 'team', 'currency', 'period'],
    most.spend,
  ),
  tollkeeper_budget_amount: gauge(`Amount of the budget for its period, in the currency. ${inFloat}`, [
    'account',
    'budget',
    'currency',
  ]),
  tollkeeper_budget_spend: gauge(`Spend of the budget in its period, in the currency. ${inFloat}`, [
    'account',
    'budget',
    'currency',
  ]),
  tollkeeper_budget_use_ratio: gauge(
    'Spend of the budget divided by its amount: 1 is all of it; missing while its state is unknown.',
    ['account', 'budget'],
  ),
  tollkeeper_budget_forecast_ratio: gauge(
    'Forecast of the budget for the end of its period divided by its amount; missing without a forecast.',
    ['account', 'budget'],
  ),
  tollkeeper_budget_unknown: gauge('1 if the last evaluation of the budget lacked data, else 0.', [
    'account',
    'budget',
  ]),
  tollkeeper_alert_firing: gauge('1 if the alert fires, else 0.', ['account', 'alert'], most.jobs),
  tollkeeper_key_age_seconds: gauge(
    'Age of the current key of the service, from stored inventories and the key journal.',
    ['account', 'service'],
  ),
  tollkeeper_key_age_limit_seconds: gauge(
    'Age at which a job rotates the key of the service; missing if no job does.',
    ['account', 'service'],
  ),
  tollkeeper_rotations: gauge('Open rotations by stage; those in stage waiting are paused.', [
    'account',
    'stage',
  ]),
  tollkeeper_rotations_overdue: gauge(
    'Open rotations whose old key is past its end and is, or may be, in use.',
    ['account'],
  ),
  tollkeeper_reconciliation_difference: gauge(
    `Figure of the source minus that of the call log in the newest comparison, in the unit. ${inFloat}`,
    ['account', 'source', 'unit'],
  ),
  tollkeeper_reconciliation_bad: gauge('1 if the newest comparison with the source needs a person, else 0.', [
    'account',
    'source',
  ]),
  tollkeeper_reconciliation_timestamp_seconds: gauge('When the source was last compared.', [
    'account',
    'source',
  ]),
  tollkeeper_database_memory_bytes: gauge('Memory that the database uses.', []),
  tollkeeper_database_file_bytes: gauge('Size of the database file and its write-ahead log.', []),
  process_resident_memory_bytes: gauge('Resident memory of the process.', []),
  process_start_time_seconds: gauge('When the process began to serve, in Unix time.', []),
  nodejs_heap_size_used_bytes: gauge('Used JavaScript heap of the process.', []),
  nodejs_external_memory_bytes: gauge(
    'Memory of the process outside of the JavaScript heap, as Node counts it.',
    [],
  ),
  tollkeeper_metrics_errors_total: counter(
    'Reads that failed at a scrape, by part; the metrics of that part are missing then.',
    ['part'],
  ),
  tollkeeper_metrics_series_dropped: gauge(
    'Label sets above the limit of a metric: of a gauge, left out of this scrape; of a counter, added to a set named other.',
    ['metric'],
  ),
} as const satisfies Readonly<Record<string, Entry>>;

export type MetricName = keyof typeof catalogue;

type Labels<Name extends MetricName> = Readonly<Record<(typeof catalogue)[Name]['labels'][number], string>>;

type NameOf<Type extends Entry['type']> = {
  [Name in MetricName]: (typeof catalogue)[Name]['type'] extends Type ? Name : never;
}[MetricName];

export type GaugeName = NameOf<'gauge'>;
export type CountedName = NameOf<'counter' | 'histogram'>;

export type LabelsOf<Name extends MetricName> = Labels<Name>;

export const entryOf = (name: MetricName): Entry => catalogue[name];

export const metricNames = Object.keys(catalogue) as readonly MetricName[];
