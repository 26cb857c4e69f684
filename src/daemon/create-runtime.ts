import {
  fault,
  isZone,
  zoneAdvice,
  type Interval,
  type Log,
  type Deps,
  type UnixMillis,
  noProgress,
  parseMailbox,
  type Measure,
  type Progress,
  type LateData,
} from '../core/index.ts';
import type { Config, ConfigFault, Job } from '../config/index.ts';
import {
  builtFiles,
  composeReport,
  jobKinds,
  runQuery,
  testMail,
  type Backups,
  type JobContext,
  type JobKind,
  type JobPlan,
  type QueryAnswer,
} from '../jobs/index.ts';
import type { KeyService } from '../keys/index.ts';
import {
  createDelivery,
  createMailCleaner,
  holdsMail,
  mailFolder,
  sendNow,
  type Delivery,
} from '../notify/index.ts';
import { runIdOf, type Execution, type Outcome } from '../scheduler/index.ts';
import { reportDirectories } from '../settings.ts';
import type { CommandInput } from '../control/index.ts';
import { type DoctorRequest, type DoctorView, runDoctor } from '../doctor/index.ts';
import type { Warehouse } from '../warehouse/index.ts';
import type { RunTrigger } from '../storage/index.ts';
import { createAccounts } from './accounts.ts';
import { createKeyServices } from './keys/key-services.ts';
import type { KeyRuntime } from './keys/key-runtime.ts';
import { alertLinkOf } from './alert-links.ts';
import { openChannels } from './channels.ts';
import { costOwnersOf } from './cost-owners.ts';
import type { Paths } from './paths.ts';
import { reconcileRequested, type ReconcileView } from './views/reconcile-requested.ts';
import { measurePull } from './metrics/measure-runs.ts';
import { createNotifications, type Notifications } from './notifications/notifications.ts';

export type BuiltReport = {
  readonly subject: string;
  readonly files: readonly ({ readonly name: string } & (
    | { readonly text: string }
    | { readonly base64: string }
  ))[];
  readonly warnings: readonly { readonly message: string; readonly advice: string }[];
  /** What the mail server answered to the test mail. */
  readonly mailed?: { readonly recipient: string; readonly response: string };
};

export type PlannedRun = {
  readonly slot: UnixMillis;
  readonly interval: Interval<UnixMillis>;
  readonly trigger: RunTrigger;
};

/** The services built from one config. Another config gets another runtime from the same deps. */
export type Runtime = AsyncDisposable & {
  readonly config: Config;
  readonly execute: (execution: Execution) => Promise<Outcome>;
  readonly plan: (job: Job, run: PlannedRun, signal: AbortSignal) => Promise<JobPlan>;
  readonly composeReport: (
    request: CommandInput<'report'>,
    progress: Progress,
    signal: AbortSignal,
  ) => Promise<BuiltReport>;
  readonly doctor: (
    request: DoctorRequest,
    progress: Progress,
    signal: AbortSignal,
  ) => Promise<Omit<DoctorView, 'version'>>;
  readonly query: (
    request: CommandInput<'query'>,
    progress: Progress,
    signal: AbortSignal,
  ) => Promise<QueryAnswer & { readonly zone: string }>;
  readonly reconcile: (
    request: CommandInput<'reconcile'>,
    progress: Progress,
    signal: AbortSignal,
  ) => Promise<ReconcileView>;
  /** Uses the journal that is open at the time of the call. @throws Fault `wrong-use` for an unknown account */
  readonly keyService: (account: string) => Promise<KeyService>;
  readonly routes: Delivery['routes'];
  readonly processRoute: Delivery['runCycle'];
  readonly deferUndeclared: Delivery['deferUndeclared'];
  /** Deletes stored mails past their retention and reports files that are gone. */
  readonly cleanMail: () => Promise<void>;
  readonly holdsMail: (file: string) => Promise<boolean>;
  readonly deliver: Delivery['deliver'];
  /** Does nothing without a mail server or recipients. */
  readonly mailsOf: Notifications['mailsOf'];
  /** Sends each key alert once; never throws. */
  readonly notifyOfKeys: Notifications['sendKeyAlert'];
  readonly remindOfAdminKeys: () => Promise<void>;
  readonly notifyConfigFaults: (faults: readonly ConfigFault[], at: UnixMillis) => Promise<void>;
};

export type RuntimeDeps = {
  readonly deps: Deps;
  readonly log: Log;
  readonly folder: string;
  readonly paths: Paths;
  readonly warehouse: Warehouse;
  readonly keyRuntime: KeyRuntime;
  readonly backups: Backups;
  readonly measure?: Measure | undefined;
};

/** Milliseconds of the grace period reserved for recording how mails in progress ended. */
const stopMargin = 1000;

/** Retention of sent mails in milliseconds when the config no longer declares mail. */
const defaultKeep = 90 * 86_400_000;

const kindOf = (job: Job): JobKind => {
  const kind = jobKinds.find((candidate) => candidate.kind === job.kind);
  if (kind === undefined) throw fault('config-invalid', `job ${job.name} has the unknown kind ${job.kind}`);
  return kind;
};

type RunOf = PlannedRun & {
  readonly name: string;
  readonly account: string;
  readonly zone: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly dataLate?: LateData | undefined;
  readonly acceptEmpty?: boolean | undefined;
};

type HandRequest = { readonly account?: string | undefined; readonly zone?: string | undefined };

export const createRuntime = (runtimeDeps: RuntimeDeps, config: Config): Runtime => {
  const { deps, log, folder, paths, warehouse, measure } = runtimeDeps;
  const { settings } = config;
  const { clock } = deps;
  const accounts = createAccounts(config, deps, log, warehouse.clocks.note, measure, warehouse.confirm);
  const { mail } = settings;
  const mails = warehouse.mails ?? mailFolder(paths.outboxDirectory);
  const outbox = { outbox: warehouse.outbox, mails, clock, measure };
  const channels = openChannels(config, deps, log, warehouse.confirm);
  const { transport, kinds, messageDefaults } = channels;

  const notifications = createNotifications({
    config,
    channels,
    mails,
    warehouse,
    journal: runtimeDeps.keyRuntime.journal,
    clock,
    log,
  });

  const keyServices = createKeyServices({
    config,
    accounts,
    keyRuntime: runtimeDeps.keyRuntime,
    warehouse,
    deps,
    log,
    notify: notifications.sendKeyAlert,
  });

  const contextOf = ({ name, account, ...run }: RunOf): JobContext => {
    const runId = runIdOf({ job: name, slot: run.slot });
    const runLog = log.with({ job: name, run: runId });
    return {
      ...run,
      name,
      runId,
      account: accounts.forRun(account, runLog),
      locale: settings.locale,
      warehouse,
      spoolDirectory: paths.spoolDirectory,
      reportDirectories: reportDirectories(folder),
      reports: {
        folder: paths.reportsDirectory,
        attachLimit: mail?.attach_limit ?? 0,
        ...(mail?.files_url === undefined ? {} : { filesUrl: mail.files_url }),
        ...(settings.status.public_url === undefined ? {} : { pageUrl: settings.status.public_url }),
        ...alertLinkOf(settings.status, account, clock),
      },
      costOwners: costOwnersOf(settings, account),
      keys: () => keyServices.keyService(account),
      backups: runtimeDeps.backups,
      mail:
        channels.routes.length === 0
          ? undefined
          : {
              mails,
              messageDefaults,
              kinds,
              from: mail?.from ?? '',
            },
      clock,
      log: runLog,
    };
  };

  /** For what a person asks for, of the named account or the first one. @throws Fault `wrong-use` */
  const byHand = (
    name: string,
    { account = Object.keys(settings.accounts)[0], zone = settings.timezone }: HandRequest,
    progress: Progress,
    signal: AbortSignal,
  ): JobContext => {
    if (account === undefined)
      throw fault('wrong-use', 'no account is configured', {
        advice: 'add an account under accounts in tollkeeper.yaml',
      });
    if (!isZone(zone))
      throw fault('wrong-use', `unknown time zone ${zone}`, {
        advice: zoneAdvice(zone),
      });
    const slot = clock.now();
    const run = { slot, interval: { start: slot, end: slot }, trigger: 'hand' as const };
    return contextOf({ ...run, name, account, zone, progress, signal });
  };

  const delivery = createDelivery(
    { ...outbox, random: deps.random, log, grace: Math.max(0, settings.scheduler.grace - stopMargin) },
    channels.routes,
  );

  const clean = createMailCleaner({ ...outbox, random: deps.random, log });

  return {
    config,
    execute: async ({ job, run, progress, signal, dataLate, acceptEmpty }) => {
      const context = contextOf({
        name: job.name,
        account: job.account,
        zone: job.timezone,
        slot: run.slot,
        interval: run.interval,
        trigger: run.trigger,
        progress: measurePull(job, kindOf(job), measure, progress),
        signal,
        dataLate,
        acceptEmpty,
      });
      try {
        return await kindOf(job).run(job.fields, context);
      } finally {
        await notifications.findings(job.account, context.log);
      }
    },
    plan: async (job, run, signal) => {
      const { name, account, timezone: zone } = job;
      return kindOf(job).plan(
        job.fields,
        contextOf({ ...run, name, account, zone, progress: noProgress, signal }),
      );
    },
    composeReport: async (request, progress, signal) => {
      const context = byHand(request.report, request, progress, signal);
      const { report, attach = [], mailTo: to } = request;
      if (to !== undefined && transport === undefined)
        throw fault('mail-not-configured', 'no mail server is configured');
      if (to !== undefined && parseMailbox(to) === undefined)
        throw fault('mail-address-invalid', `${JSON.stringify(to)} is not one mail address`);
      const composed = await composeReport({ ...request, defaultPeriod: 'last-month' }, context);
      const built = {
        subject: composed.rendered.subject,
        files: await builtFiles(composed, report, attach, context),
        warnings: composed.model.warnings,
      };
      if (to === undefined || transport === undefined) return built;
      progress({ step: 'sending the test mail', detail: to });
      const mail = await testMail(composed, { report, attach, to }, context);
      const [mailed] = await sendNow({ transport, messageDefaults, clock }, mail, signal);
      return { ...built, subject: mail.subject, ...(mailed === undefined ? {} : { mailed }) };
    },
    doctor: async (request, progress, signal) =>
      runDoctor(
        request,
        {
          config,
          folder,
          accounts,
          transport,
          paths,
          warehouse,
          clock,
          log,
          where: deps,
          probeKeys: keyServices.probeKeys,
          sinksOf: keyServices.sinksOf,
        },
        progress,
        signal,
      ),
    query: async (request, progress, signal) => {
      const context = byHand('query', request, progress, signal);
      return { ...(await runQuery(request, context)), zone: context.zone };
    },
    reconcile: async (request, progress, signal) => {
      const context = byHand('reconcile', request, progress, signal);
      return reconcileRequested(request, context);
    },
    keyService: keyServices.keyService,
    routes: delivery.routes,
    processRoute: delivery.runCycle,
    deferUndeclared: delivery.deferUndeclared,
    deliver: delivery.deliver,
    cleanMail: async () => {
      await clean(mail?.keep ?? defaultKeep);
    },
    holdsMail: (file) => holdsMail(mails, file),
    mailsOf: notifications.mailsOf,
    notifyOfKeys: notifications.sendKeyAlert,
    remindOfAdminKeys: notifications.oldAdminKeys,
    notifyConfigFaults: notifications.configFaults,
    [Symbol.asyncDispose]: async () => {
      await channels[Symbol.asyncDispose]();
      await keyServices[Symbol.asyncDispose]();
      await accounts[Symbol.asyncDispose]();
    },
  };
};
