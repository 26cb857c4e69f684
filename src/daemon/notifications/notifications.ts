import { errorFields } from '../../core/index.ts';
import type { Clock, Log, UnixMillis } from '../../core/index.ts';
import type { Config, ConfigFault } from '../../config/index.ts';
import type { KeyJournal, KeyAlert } from '../../keys/index.ts';
import { notify } from '../../notify/index.ts';
import type { Mail } from '../../notify/index.ts';
import type { Notice } from '../../scheduler/index.ts';
import { storedCurrency } from '../../warehouse/index.ts';
import type { Warehouse } from '../../warehouse/index.ts';
import { adminKeyMail } from './admin-key-age.ts';
import { gapMail } from './gap-mail.ts';
import { keyAlertMail } from './key-alert-mail.ts';
import { learnedMail } from './learned-mail.ts';
import { configMail, noticeMails } from './notice-mail.ts';
import type { Channels } from '../channels.ts';
import { costOwnersOf } from '../cost-owners.ts';
import { notifyOnce } from './notify-once.ts';

/** What operators are told by this config, each thing once; nothing where there is no mail server or nobody to tell. */
export type Notifications = {
  readonly notices: (notices: readonly Notice[]) => Promise<void>;
  readonly configFaults: (faults: readonly ConfigFault[], at: UnixMillis) => Promise<void>;
  /** What runs have found out since; never throws. */
  readonly findings: (account: string, said: Log) => Promise<void>;
  /** Also to the team that pays for the key, where its use is concerned; never throws. */
  readonly sendKeyAlert: (alert: KeyAlert) => Promise<void>;
  readonly oldAdminKeys: () => Promise<void>;
};

type NotifierDeps = {
  readonly config: Config;
  readonly channels: Channels;
  /** Of the outbox. */
  readonly folder: string;
  readonly warehouse: Warehouse;
  readonly journal: Pick<KeyJournal, 'lineage'>;
  readonly clock: Clock;
  readonly log: Log;
};

export const createNotifications = ({
  config,
  channels,
  folder,
  warehouse,
  journal,
  clock,
  log,
}: NotifierDeps): Notifications => {
  const { settings } = config;
  const { mail } = settings;
  const { kinds, messageDefaults } = channels;
  const deps = { outbox: warehouse.outbox, folder, clock, kinds, messageDefaults };
  const told = mail === undefined ? undefined : { ...mail, zone: settings.timezone, jobs: config.jobs };
  const send = async (mails: readonly (Mail | undefined)[]): Promise<void> => {
    for (const one of mails) if (one !== undefined) await notify(deps, one);
  };
  return {
    notices: async (notices) => {
      if (told !== undefined) await send(noticeMails(notices, told));
    },
    configFaults: async (faults, at) => {
      if (told !== undefined) await send([configMail(faults, at, told)]);
    },
    findings: async (account, said) => {
      const { profile, comparisons } = warehouse;
      await notifyOnce({
        pending: () => profile.pending(account),
        mailOf: (alert) => (told === undefined ? undefined : learnedMail(alert, account, told)),
        send,
        told: (through) => profile.told(account, through),
        failed: (error) =>
          said.warn('operators cannot be told what was learned of the gateway', errorFields(error)),
      });
      await notifyOnce({
        pending: () => comparisons.pending(account),
        mailOf: (gaps) => (told === undefined ? undefined : gapMail(gaps, account, told)),
        send,
        told: (through) => comparisons.told(account, through, clock.now()),
        failed: (error) => said.warn('operators cannot be told of gaps in the call log', errorFields(error)),
      });
    },
    sendKeyAlert: async (alert) => {
      const { account, service, kind, title, message } = alert;
      log.warn(title, { account, service, kind, message });
      if (told === undefined) return;
      try {
        const amounts = await warehouse.logs.amounts(account);
        const line = [...journal.lineage(account).values()].filter((row) => row.service === service);
        const { teams } = costOwnersOf(settings, account);
        await send([
          keyAlertMail(alert, clock.now(), {
            ...told,
            teams,
            currency: amounts === undefined ? settings.accounts[account]?.currency : storedCurrency(amounts),
            keyNames: line.map(({ name }) => name),
          }),
        ]);
      } catch (error) {
        log.warn('operators cannot be told news of a key', { service, ...errorFields(error) });
      }
    },
    oldAdminKeys: async () => {
      if (mail === undefined) return;
      const accounts = Object.entries(settings.accounts);
      await send(accounts.map(([name, account]) => adminKeyMail(name, account, clock.now(), mail)));
    },
  };
};
