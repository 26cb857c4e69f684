import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fault, unixMillis } from './base/index.ts';
import type { Log, Means, Progress, UnixMillis } from './base/index.ts';
import { configDisk, loadConfig, profileOf } from './config/index.ts';
import type { Account, Config, Job, Loaded } from './config/index.ts';
import { createGateway } from './gateway/index.ts';
import { composeReport, jobKinds, reportFaults } from './jobs/index.ts';
import type { ComposedReport, JobAccount, JobContext, JobOutcome, JobPlan } from './jobs/index.ts';
import { createSmtpTransport, deliverDue, recoverInterrupted } from './mail/index.ts';
import type { DeliverySummary } from './mail/index.ts';
import { createHttp } from './net/index.ts';
import type { Http } from './net/index.ts';
import { standaloneHtml } from './report/index.ts';
import { nextSlots, scheduleFault } from './schedule/index.ts';
import { version } from './version.ts';
import { openWarehouse } from './warehouse/index.ts';
import type { Warehouse } from './warehouse/index.ts';

/** Reports that come with the program; a folder of the same name beside the config goes before them. */
const shippedReports = fileURLToPath(new URL('../reports', import.meta.url));

const reportDirectories = (folder: string): readonly string[] => [join(folder, 'reports'), shippedReports];

const reportNames = async (folder: string): Promise<readonly string[]> => {
  const lists = await Promise.all(
    reportDirectories(folder).map((directory) => readdir(directory).catch(() => [])),
  );
  return [...new Set(lists.flat())].sort();
};

/** Reads the config folder; every fault at once. */
export const readConfig = async (folder: string, means: Means): Promise<Loaded> =>
  loadConfig({
    ...configDisk,
    folder,
    env: means.env,
    secrets: means.secrets,
    kinds: jobKinds,
    checkSchedule: scheduleFault,
    reports: await reportNames(folder),
  });

export type LoadedConfig = Loaded;

/** A declared job and the moments it runs at next, in milliseconds UTC. */
export type JobPreview = Pick<Job, 'name' | 'kind' | 'schedule' | 'suspend'> & {
  readonly zone: string;
  readonly next: readonly UnixMillis[];
};

/** Every fault of the config and of the reports that its jobs name, and when each job runs next. */
export const checkConfig = async (
  folder: string,
  means: Means,
): Promise<{ readonly faults: Loaded['faults']; readonly jobs: readonly JobPreview[] }> => {
  const { config, faults } = await readConfig(folder, means);
  if (config === undefined) return { faults, jobs: [] };
  const jobs = Object.values(config.jobs).map((job) => ({
    name: job.name,
    kind: job.kind,
    ...(job.schedule === undefined ? {} : { schedule: job.schedule }),
    suspend: job.suspend,
    zone: job.timezone,
    next:
      job.schedule === undefined || job.suspend
        ? []
        : nextSlots(job.schedule, job.timezone, means.clock.now(), 3),
  }));
  return { faults: await reportFaults(Object.values(config.jobs), reportDirectories(folder)), jobs };
};

export type ReportOrder = {
  readonly report: string;
  readonly period: string;
  readonly account?: string;
  readonly zone?: string;
};

/** A built report as files: the HTML with its pictures inside, and the text. */
export const reportFiles = (
  name: string,
  rendered: ComposedReport['rendered'],
): readonly { name: string; text: string }[] => [
  { name: `${name}.html`, text: standaloneHtml(rendered) },
  { name: `${name}.txt`, text: rendered.text },
];

/** The program at work on one config. Disposing it closes connections and the database. */
export type App = AsyncDisposable & {
  readonly config: Config;
  readonly warehouse: Warehouse;
  /** Runs the jobs it needs, then the job; a job that runs already is joined, not run twice. */
  readonly runJob: (name: string, signal: AbortSignal) => Promise<JobOutcome>;
  readonly planJob: (name: string, signal: AbortSignal) => Promise<JobPlan>;
  readonly composeReport: (order: ReportOrder, signal: AbortSignal) => Promise<ComposedReport>;
  /** Sends what the outbox holds and is due. */
  readonly deliverMail: (signal: AbortSignal) => Promise<DeliverySummary>;
};

export type AppOptions = {
  readonly folder: string;
  readonly config: Config;
  readonly log: Log;
  readonly progress: Progress;
};

const usualTimeouts = { connect: 10_000, headers: 120_000, idle: 60_000, total: 3_600_000 };

const openHttp = (account: Account, config: Config, means: Means): Http =>
  createHttp({
    userAgent: `tollkeeper/${version}`,
    env: means.env,
    ca: account.tls === undefined ? [] : [config.certificates.get(account.tls.ca) ?? ''],
    timeouts: {
      connect: account.timeouts?.connect ?? usualTimeouts.connect,
      headers: account.timeouts?.headers ?? usualTimeouts.headers,
      idle: account.timeouts?.idle ?? usualTimeouts.idle,
      total: account.timeouts?.total ?? usualTimeouts.total,
    },
  });

/** Opens the database and wires the rooms together: the one place where all of them meet. */
export const openApp = async (means: Means, options: AppOptions): Promise<App> => {
  const { config, log, progress } = options;
  const { settings } = config;
  const path = resolve(means.cwd, settings.warehouse.path);
  const data = dirname(path);
  const spoolDirectory = join(data, 'spool');
  const outboxDirectory = join(data, 'outbox');
  await mkdir(data, { recursive: true }).catch((error: unknown) => {
    throw fault('path-unwritable', `the folder ${data} cannot be made`, { cause: error });
  });
  const warehouse = await openWarehouse({
    path,
    memoryLimit: settings.warehouse.memory_limit,
    threads: settings.warehouse.threads,
    tempDirectory: resolve(means.cwd, settings.warehouse.temp_directory ?? join(data, 'temp')),
    spoolDirectory,
    clock: means.clock,
    log,
  });

  // Whoever was sending before us is gone: the database has one owner.
  await recoverInterrupted({ outbox: warehouse.outbox, clock: means.clock, log });

  const https: Http[] = [];
  const accounts = new Map<string, JobAccount>();
  const accountOf = (name: string): JobAccount => {
    const known = accounts.get(name);
    if (known !== undefined) return known;
    const account = settings.accounts[name];
    if (account === undefined) throw fault('wrong-use', `there is no account ${name}`);
    const http = openHttp(account, config, means);
    https.push(http);
    const { clock, random, secrets } = means;
    const gateway = createGateway({
      baseUrl: account.base_url,
      adminKey: account.admin_key,
      http,
      clock,
      random,
      secrets,
      log,
    });
    const made = { name, currency: account.currency, profile: profileOf(account), gateway };
    accounts.set(name, made);
    return made;
  };

  const contextOf = (name: string, account: string, zone: string, signal: AbortSignal): JobContext => ({
    name,
    runId: `${name}-${new Date(means.clock.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`,
    account: accountOf(account),
    zone,
    warehouse,
    spoolDirectory,
    reportDirectories: reportDirectories(options.folder),
    mail: settings.mail === undefined ? undefined : { from: settings.mail.from, folder: outboxDirectory },
    clock: means.clock,
    log: log.with({ job: name }),
    progress,
    signal,
  });

  const jobOf = (name: string): Job => {
    const job = config.jobs[name];
    if (job !== undefined) return job;
    throw fault(
      'job-unknown',
      `there is no job ${name}; there are: ${Object.keys(config.jobs).join(', ') || 'none'}`,
    );
  };
  const kindOf = (job: Job) => {
    const kind = jobKinds.find((candidate) => candidate.kind === job.kind);
    if (kind === undefined) throw fault('config-invalid', `job ${job.name} is of no known kind: ${job.kind}`);
    return kind;
  };

  const runOnce = async (job: Job, signal: AbortSignal): Promise<JobOutcome> => {
    const ended = new AbortController();
    const overdue = new AbortController();
    void means.clock.wait(job.timeout, ended.signal).then(
      () => overdue.abort(fault('run-timeout', `job ${job.name} took longer than its timeout`)),
      () => undefined,
    );
    const about = log.with({ job: job.name });
    const started = means.clock.now();
    about.info('run started');
    try {
      const context = contextOf(
        job.name,
        job.account,
        job.timezone,
        AbortSignal.any([signal, overdue.signal]),
      );
      const outcome = await kindOf(job).run(job.fields, context);
      about.info('run ended well', {
        ...outcome.figures,
        milliseconds: unixMillis(means.clock.now()) - started,
      });
      return outcome;
    } finally {
      ended.abort();
    }
  };

  const running = new Map<string, Promise<JobOutcome>>();
  const runJob = (name: string, signal: AbortSignal): Promise<JobOutcome> => {
    const known = running.get(name);
    if (known !== undefined) return known;
    const job = jobOf(name);
    const run = (async () => {
      for (const need of job.needs) {
        // A report on what is there, which says how far it reaches, is worth more than none.
        await runJob(need, signal).catch((error: unknown) =>
          log.warn('a job that is needed failed; going on with the data there is', {
            job: name,
            need,
            error: String(error),
          }),
        );
      }
      return runOnce(job, signal);
    })().finally(() => running.delete(name));
    running.set(name, run);
    return run;
  };

  const transport =
    settings.mail === undefined
      ? undefined
      : createSmtpTransport({
          url: settings.mail.smtp,
          ca: settings.mail.tls === undefined ? [] : [config.certificates.get(settings.mail.tls.ca) ?? ''],
          log,
        });

  return {
    config,
    warehouse,
    runJob,
    planJob: async (name, signal) => {
      const job = jobOf(name);
      const context = contextOf(name, job.account, job.timezone, signal);
      return kindOf(job).plan(job.fields, context);
    },
    composeReport: (order, signal) => {
      const account = order.account ?? Object.keys(settings.accounts)[0];
      if (account === undefined) throw fault('wrong-use', 'no account is declared to report on');
      return composeReport(order, contextOf(order.report, account, order.zone ?? settings.timezone, signal));
    },
    deliverMail: async (signal) => {
      if (transport === undefined) return { sent: 0, deferred: 0, failed: 0, unknown: 0 };
      return deliverDue({
        outbox: warehouse.outbox,
        folder: outboxDirectory,
        transport,
        clock: means.clock,
        log,
        signal,
      });
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.allSettled(running.values());
      await transport?.[Symbol.asyncDispose]();
      for (const http of https) await http[Symbol.asyncDispose]();
      await warehouse[Symbol.asyncDispose]();
    },
  };
};
