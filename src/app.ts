import { access, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fault, isZone, messageOf, systemCode } from './base/index.ts';
import type { Log, Means, Progress } from './base/index.ts';
import { profileOf } from './config/index.ts';
import type { Account, Config } from './config/index.ts';
import { createGateway } from './gateway/index.ts';
import { composeReport, createRunner, jobKinds } from './jobs/index.ts';
import type { ComposedReport, JobAccount, JobContext, JobOutcome, JobPlan } from './jobs/index.ts';
import { createSmtpTransport, deliverDue, recoverInterrupted } from './mail/index.ts';
import type { DeliverySummary } from './mail/index.ts';
import { createHttp } from './net/index.ts';
import type { Http } from './net/index.ts';
import { reportDirectories } from './settings.ts';
import { version } from './version.ts';
import { openWarehouse } from './warehouse/index.ts';
import type { Warehouse, WarehouseOptions } from './warehouse/index.ts';

export type ReportOrder = {
  readonly report: string;
  readonly period: string;
  readonly account?: string;
  readonly zone?: string;
};

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
  /** Only plans are asked for: nothing is written, and where there is no database none is made. */
  readonly dryRun?: boolean;
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

type Places = Pick<WarehouseOptions, 'path' | 'spoolDirectory' | 'tempDirectory'> & {
  readonly outboxDirectory: string;
};

/** Where the database and what goes with it are kept; the folder is made when it is missing. */
const findPlaces = async (means: Means, options: AppOptions): Promise<Places> => {
  const { warehouse } = options.config.settings;
  const path = resolve(means.cwd, warehouse.path);
  const data = dirname(path);
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (options.dryRun === true && !exists) {
    // An empty database in memory plans the same; it spools nothing, so any folder that is there will do.
    const { folder } = options;
    return { path: ':memory:', spoolDirectory: folder, tempDirectory: folder, outboxDirectory: folder };
  }
  await mkdir(data, { recursive: true }).catch((error: unknown) => {
    const words = `the folder ${data} cannot be made (${systemCode(error) ?? messageOf(error)})`;
    throw fault('path-unwritable', words, { cause: error });
  });
  return {
    path,
    spoolDirectory: join(data, 'spool'),
    outboxDirectory: join(data, 'outbox'),
    tempDirectory: resolve(means.cwd, warehouse.temp_directory ?? join(data, 'temp')),
  };
};

/** Closes one after the other, whatever the ones before did. */
const closeAll = async (things: readonly AsyncDisposable[]): Promise<void> => {
  const failures: unknown[] = [];
  for (const thing of things) {
    try {
      await thing[Symbol.asyncDispose]();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
};

/** Opens the database and wires the rooms together: the one place where all of them meet. */
export const openApp = async (means: Means, options: AppOptions): Promise<App> => {
  const { config, log } = options;
  const { settings } = config;
  const { outboxDirectory, ...places } = await findPlaces(means, options);
  const warehouse = await openWarehouse({
    ...places,
    memoryLimit: settings.warehouse.memory_limit,
    threads: settings.warehouse.threads,
    clock: means.clock,
    log,
  });
  try {
    // Whoever was sending before us is gone: the database has one owner.
    if (options.dryRun !== true) {
      await recoverInterrupted({ outbox: warehouse.outbox, clock: means.clock, log });
    }
    return furnish(means, options, warehouse, { outboxDirectory, spoolDirectory: places.spoolDirectory });
  } catch (error) {
    await warehouse[Symbol.asyncDispose]();
    throw error;
  }
};

/** Everything that works on the open database. */
const furnish = (
  means: Means,
  options: AppOptions,
  warehouse: Warehouse,
  { outboxDirectory, spoolDirectory }: Pick<Places, 'outboxDirectory' | 'spoolDirectory'>,
): App => {
  const { config, log, progress } = options;
  const { settings } = config;
  const https: Http[] = [];
  const accounts = new Map<string, JobAccount>();
  const accountOf = (name: string): JobAccount => {
    const known = accounts.get(name);
    if (known !== undefined) return known;
    const account = Object.hasOwn(settings.accounts, name) ? settings.accounts[name] : undefined;
    if (account === undefined) {
      const names = Object.keys(settings.accounts).join(', ') || 'none';
      throw fault('wrong-use', `there is no account ${name}; there are: ${names}`, {
        advice: 'name one that is declared under accounts in tollkeeper.yaml',
      });
    }
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
    // To the millisecond: the key of its mail holds it, and two runs by hand within a second are two.
    runId: `${name}-${new Date(means.clock.now()).toISOString().replaceAll(/[-:.]/g, '')}`,
    slot: means.clock.now(),
    interval: { start: means.clock.now(), end: means.clock.now() },
    trigger: 'hand',
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

  const runner = createRunner({
    jobs: config.jobs,
    kinds: jobKinds,
    contextOf: (job, signal) => contextOf(job.name, job.account, job.timezone, signal),
    clock: means.clock,
    log,
  });

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
    runJob: runner.run,
    planJob: runner.plan,
    composeReport: async (order, signal) => {
      const account = order.account ?? Object.keys(settings.accounts)[0];
      if (account === undefined) {
        throw fault('wrong-use', 'no account is declared to report on', {
          advice: 'declare one under accounts in tollkeeper.yaml',
        });
      }
      if (order.zone !== undefined && !isZone(order.zone)) {
        throw fault('wrong-use', `there is no time zone ${order.zone}`, {
          advice: 'name one of the IANA list, such as UTC or Europe/Berlin',
        });
      }
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
      await runner.settled();
      await closeAll([...(transport === undefined ? [] : [transport]), ...https, warehouse]);
    },
  };
};
