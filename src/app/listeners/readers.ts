import { memoryUsage } from 'node:process';
import {
  compareMoney,
  divideMoney,
  zero,
  type Clock,
  type Money,
  type UnixMillis,
} from '../../core/index.ts';
import { sample, spendSamples, type Readers, type Sample } from '../../metrics/index.ts';
import { nextSlot, scheduleOf } from '../../scheduler/index.ts';
import { version } from '../../version.ts';
import { readAlerts } from '../control/alerts.ts';
import type { ProcessState } from '../control/status.ts';
import { createJobPlans } from '../keys/job-plans.ts';
import type { App } from '../compose.ts';
import type { ReplicaView } from '../../web/index.ts';
import { accountViews } from '../queries/data-status.ts';
import { jobFailures } from '../queries/job-failures.ts';
import { missedFirstSlots } from '../queries/never-ran.ts';
import type { SpendReader } from '../queries/spend-status.ts';
import { currentKeyAges } from '../queries/key-ages.ts';

export type ReaderDeps = {
  readonly clock: Clock;
  readonly app: App;
  readonly readSpend: SpendReader;
  readonly state: () => ProcessState;
  /** Where several processes share the database. */
  readonly replicas: () => readonly ReplicaView[];
};

const seconds = (moment: UnixMillis): number => moment / 1000;

const flag = (is: boolean): number => (is ? 1 : 0);

/** The sample of a moment that may be unknown. */
const known = <Value>(
  value: Value | undefined,
  make: (value: Value) => Sample | undefined,
): readonly Sample[] => {
  const made = value === undefined ? undefined : make(value);
  return made === undefined ? [] : [made];
};

/** Decimals of a ratio: more than a float keeps of one near 1. */
const ratioDecimals = 17;

/** A budget of zero has no ratio. */
const ratio = (part: Money, whole: Money): Money | undefined =>
  compareMoney(whole, zero) === 0 ? undefined : divideMoney(part, whole, ratioDecimals);

/** How many items have each value. */
const counted = (values: readonly string[]): readonly (readonly [string, number])[] => {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts];
};

const jobSamples = async ({ app, clock }: ReaderDeps): Promise<readonly Sample[]> => {
  const { scheduler, warehouse } = app;
  const { jobs } = app.config();
  const open = scheduler.openRuns();
  const goods = await warehouse.runs.goodEnds();
  const outages = new Set((await warehouse.runs.outages()).map(({ job }) => job));
  const failures = jobFailures(
    await warehouse.runs.failures(),
    open.map(({ run }) => run),
  );
  const now = clock.now();
  const missed = await missedFirstSlots(Object.values(jobs), warehouse.runs, {
    latest: await warehouse.runs.latest(),
    now,
  });
  return [
    ...counted(open.map(({ run }) => run.state)).map(([state, count]) =>
      sample('tollkeeper_open_runs', { state }, count),
    ),
    ...Object.values(jobs).flatMap((job) => {
      const labels = { job_name: job.name, kind: job.kind };
      const schedule = job.suspend ? undefined : scheduleOf(job);
      const next =
        schedule === undefined ? undefined : (scheduler.nextOf(job.name) ?? nextSlot(schedule, now));
      return [
        sample('tollkeeper_job_failed', labels, flag(failures.has(job.name) || missed.has(job.name))),
        sample('tollkeeper_job_outage', labels, flag(outages.has(job.name))),
        ...known(goods.get(job.name), (at) =>
          sample('tollkeeper_job_last_success_timestamp_seconds', labels, seconds(at)),
        ),
        ...known(next, (at) => sample('tollkeeper_job_next_run_timestamp_seconds', labels, seconds(at))),
      ];
    }),
  ];
};

const dataSamples = async ({ app }: ReaderDeps): Promise<readonly Sample[]> => {
  const views = await accountViews(app.config(), app.warehouse);
  return views.flatMap(({ account, log, sources, compared }) => [
    ...known(log, ({ end }) =>
      sample('tollkeeper_log_watermark_timestamp_seconds', { account }, seconds(end)),
    ),
    ...sources.flatMap(({ job, watermark }) =>
      known(watermark, (at) =>
        sample('tollkeeper_job_watermark_timestamp_seconds', { account, job_name: job }, seconds(at)),
      ),
    ),
    ...compared.flatMap(({ source, gap, unit, bad, comparedAt }) => [
      ...(gap === 'unknown'
        ? []
        : [sample('tollkeeper_reconciliation_difference', { account, source, unit }, gap)]),
      sample('tollkeeper_reconciliation_bad', { account, source }, flag(bad)),
      sample('tollkeeper_reconciliation_timestamp_seconds', { account, source }, seconds(comparedAt)),
    ]),
  ]);
};

const alertSamples = async (deps: ReaderDeps): Promise<readonly Sample[]> =>
  (await readAlerts(deps)).flatMap(({ account, alert, state, cells, firing }) => {
    const fires = sample('tollkeeper_alert_firing', { account, alert }, flag(firing.length > 0));
    const labels = { account, budget: alert };
    return [
      fires,
      ...cells.flatMap(({ meter }) => {
        if (meter === undefined) return [];
        const { value, of, forecast, currency } = meter;
        return [
          sample('tollkeeper_budget_amount', { ...labels, currency }, of),
          sample('tollkeeper_budget_unknown', labels, flag(state === 'unknown')),
          // An unknown state has figures of a part of the calls.
          ...(state === 'unknown' || value === undefined
            ? []
            : [
                sample('tollkeeper_budget_spend', { ...labels, currency }, value),
                ...known(ratio(value, of), (use) => sample('tollkeeper_budget_use_ratio', labels, use)),
              ]),
          ...(state === 'unknown' || forecast === undefined
            ? []
            : known(ratio(forecast, of), (use) => sample('tollkeeper_budget_forecast_ratio', labels, use))),
        ];
      }),
    ];
  });

const keySamples = async ({ app, clock }: ReaderDeps): Promise<readonly Sample[]> => {
  using runtime = app.lease();
  const { config, keyService } = runtime;
  const { warehouse } = app;
  const { coverOf } = createJobPlans({ config, keyService, warehouse });
  const samples: Sample[] = [];
  for (const account of Object.keys(config.settings.accounts)) {
    const open = await (await keyService(account)).open();
    for (const [stage, count] of counted(open.map((one) => one.stage)))
      samples.push(sample('tollkeeper_rotations', { account, stage }, count));
    const overdue = open.filter(({ escalated }) => escalated === true).length;
    samples.push(sample('tollkeeper_rotations_overdue', { account }, overdue));
    const ages = await currentKeyAges(account, { warehouse, coverOf }, open, clock.now());
    for (const { service, age, limit } of ages) {
      samples.push(sample('tollkeeper_key_age_seconds', { account, service }, age / 1000));
      if (limit !== undefined)
        samples.push(sample('tollkeeper_key_age_limit_seconds', { account, service }, limit / 1000));
    }
  }
  return samples;
};

const ownSamples = (isWorking: boolean): readonly Sample[] => [
  sample('tollkeeper_build_info', { version }, 1),
  sample('tollkeeper_working', {}, flag(isWorking)),
  sample('process_resident_memory_bytes', {}, memoryUsage.rss()),
];

const replicaSamples = ({ app, clock, replicas }: ReaderDeps): readonly Sample[] => {
  const all = replicas();
  return [
    ...counted(all.map(({ state }) => state)).map(([state, count]) =>
      sample('tollkeeper_replicas', { state }, count),
    ),
    ...known(app.replicas.different(all), (count) => sample('tollkeeper_replicas_different', {}, count)),
    ...known(app.replicas.extendedAt(), (at) =>
      sample('tollkeeper_lease_age_seconds', {}, (clock.now() - at) / 1000),
    ),
  ];
};

const processSamples = async (deps: ReaderDeps): Promise<readonly Sample[]> => {
  const { daemon, config } = deps.state();
  const { heapUsed, external } = memoryUsage();
  return [
    ...ownSamples(true),
    ...replicaSamples(deps),
    sample('tollkeeper_config_faults', {}, config.faults.length),
    sample('tollkeeper_config_loaded_timestamp_seconds', {}, seconds(config.loadedAt)),
    ...known(daemon, ({ startedAt }) => sample('process_start_time_seconds', {}, seconds(startedAt))),
    sample('nodejs_heap_size_used_bytes', {}, heapUsed),
    sample('nodejs_external_memory_bytes', {}, external),
  ];
};

/** The gauges of a daemon that starts, or stands by while another replica works. */
export const standbyReaders: Readers = {
  process: () => Promise.resolve(ownSamples(false)),
};

/** The gauges of a daemon, by part. None of them asks the gateway. */
export const createReaders = (deps: ReaderDeps): Readers => {
  const { warehouse, replicas } = deps.app;
  const stored: Readers = {
    jobs: () => jobSamples(deps),
    outbox: async () =>
      Object.entries(await warehouse.outbox.counts()).map(([state, count]) =>
        sample('tollkeeper_outbox_messages', { state }, count),
      ),
    data: () => dataSamples(deps),
    alerts: () => alertSamples(deps),
    keys: () => keySamples(deps),
    database: async () => {
      const { memory, files } = await warehouse.footprint();
      return [
        sample('tollkeeper_database_memory_bytes', {}, memory),
        sample('tollkeeper_database_file_bytes', {}, files),
      ];
    },
    spend: async () => spendSamples(await deps.readSpend(deps.app.config(), { now: deps.clock.now() })),
  };
  return {
    process: () => processSamples(deps),
    ...replicas.keepReadings(stored),
  };
};
