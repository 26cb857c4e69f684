import {
  fault,
  isZone,
  zoneAdvice,
  type Clock,
  type Interval,
  type LateData,
  type Log,
  type Progress,
  type UnixMillis,
} from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import type { Backups, JobContext } from '../../jobs/index.ts';
import type { KeyService } from '../../keys/index.ts';
import { runIdOf } from '../../scheduler/index.ts';
import { reportDirectories } from '../../settings.ts';
import type { MailStore, RunTrigger } from '../../storage/index.ts';
import type { Warehouse } from '../../warehouse/index.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { costOwnersOf } from '../accounts/cost-owners.ts';
import type { Paths } from '../data-folder/paths.ts';
import { alertLinkOf } from '../notifications/alert-links.ts';
import type { Channels } from '../notifications/channels.ts';

export type PlannedRun = {
  readonly slot: UnixMillis;
  readonly interval: Interval<UnixMillis>;
  readonly trigger: RunTrigger;
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

type RequestOf = { readonly account?: string | undefined; readonly zone?: string | undefined };

type ContextDeps = {
  readonly config: Config;
  /** The path of the configuration folder. */
  readonly folder: string;
  readonly paths: Paths;
  readonly warehouse: Warehouse;
  readonly accounts: Accounts;
  readonly channels: Channels;
  readonly mails: MailStore;
  readonly keyService: (account: string) => Promise<KeyService>;
  readonly backups: Backups;
  readonly clock: Clock;
  readonly log: Log;
};

/** What jobs work with: `ofRun` for a run, `ofRequest` for what a person asks for. */
export type Contexts = ReturnType<typeof createContexts>;

export const createContexts = (deps: ContextDeps) => {
  const { config, folder, paths, warehouse, accounts, channels, mails, clock, log } = deps;
  const { settings } = config;
  const { mail } = settings;
  const { kinds, messageDefaults } = channels;
  const ofRun = ({ name, account, ...run }: RunOf): JobContext => {
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
      accounts: {
        all: Object.entries(settings.accounts).map(([name, { currency }]) => ({ name, currency })),
        rates: settings.rates,
      },
      keys: () => deps.keyService(account),
      backups: deps.backups,
      mail:
        channels.routes.length === 0 ? undefined : { mails, messageDefaults, kinds, from: mail?.from ?? '' },
      clock,
      log: runLog,
    };
  };
  return {
    ofRun,
    /** The context of a request, for the given account or else the first configured one. @throws Fault `wrong-use` */
    ofRequest: (
      name: string,
      { account = Object.keys(settings.accounts)[0], zone = settings.timezone }: RequestOf,
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
      return ofRun({ ...run, name, account, zone, progress, signal });
    },
  };
};
