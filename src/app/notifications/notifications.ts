import { errorFields, type Clock, type Log, type UnixMillis } from '../../core/index.ts';
import type { Config, ConfigFault } from '../../config/index.ts';
import type { KeyJournal, KeyAlert } from '../../keys/index.ts';
import { keyText, localeOf } from '../../messages/index.ts';
import { prepare } from '../../notify/index.ts';
import type { Notice } from '../../scheduler/index.ts';
import type { MailStore, OutboxEntry } from '../../storage/index.ts';
import { storedCurrency, type Warehouse } from '../../warehouse/index.ts';
import type { Channels } from './channels.ts';
import { costOwnersOf } from '../accounts/cost-owners.ts';
import { adminKeyMessages, configMessages } from './config.ts';
import { gapMessages } from './gap.ts';
import { keyAlertMessages } from './key-alert.ts';
import { learnedMessages } from './learned.ts';
import { mailOf, type Message, type MessageDeps } from './message.ts';
import { noticeMessages } from './notice.ts';

/** By their names in the outbox. Each is a pure function from event to messages. */
const kinds = {
  'admin-key': adminKeyMessages,
  config: configMessages,
  gap: gapMessages,
  keys: keyAlertMessages,
  learned: learnedMessages,
  notice: noticeMessages,
};

type Events = { readonly [Kind in keyof typeof kinds]: Parameters<(typeof kinds)[Kind]>[0] };

const messagesOf: {
  readonly [Kind in keyof Events]: (event: Events[Kind], deps: MessageDeps) => readonly Message[];
} = kinds;

/** Sends each message once; does nothing without a mail server or recipients. */
export type Notifications = {
  /** The mails about outages, to be stored with them. */
  readonly mailsOf: (notices: readonly Notice[]) => Promise<readonly OutboxEntry[]>;
  readonly configFaults: (faults: readonly ConfigFault[], at: UnixMillis) => Promise<void>;
  /** Notifies of new findings of runs; never throws. */
  readonly findings: (account: string, runLog: Log) => Promise<void>;
  /** Also goes to the team that pays for the key if its use is affected; never throws. */
  readonly sendKeyAlert: (alert: KeyAlert) => Promise<void>;
  readonly oldAdminKeys: () => Promise<void>;
};

type NotifierDeps = {
  readonly config: Config;
  readonly channels: Channels;
  readonly mails: MailStore;
  readonly warehouse: Warehouse;
  readonly journal: Pick<KeyJournal, 'state'>;
  readonly clock: Clock;
  readonly log: Log;
};

export const createNotifications = ({
  config: { settings, jobs },
  channels: { kinds: routeKinds, messageDefaults },
  mails,
  warehouse,
  journal,
  clock,
  log,
}: NotifierDeps): Notifications => {
  const { mail } = settings;
  const outbox = { outbox: warehouse.outbox, mails, clock, kinds: routeKinds, messageDefaults };
  const mailsOf = async <Kind extends keyof Events>(
    kind: Kind,
    event: Events[Kind],
  ): Promise<readonly OutboxEntry[]> => {
    const mails: OutboxEntry[] = [];
    if (mail === undefined) return mails;
    const locale = localeOf(settings.locale);
    for (const message of messagesOf[kind](event, { ...mail, locale, zone: settings.timezone, jobs })) {
      const rendered = mailOf(kind, message, { ...mail, locale, page: settings.status.public_url });
      if (rendered !== undefined) mails.push(...(await prepare(outbox, rendered)));
    }
    return mails;
  };
  const send = async <Kind extends keyof Events>(kind: Kind, event: Events[Kind]): Promise<void> =>
    void (await warehouse.outbox.put(await mailsOf(kind, event)));
  return {
    mailsOf: (notices) => mailsOf('notice', notices),
    configFaults: async (faults, at) => send('config', { faults, at }),
    findings: async (account, runLog) => {
      const { notifyOnce } = warehouse;
      try {
        await notifyOnce('learned', account, (findings) => mailsOf('learned', { account, findings }));
      } catch (error) {
        runLog.warn('operators cannot be notified of changes of the gateway exports', errorFields(error));
      }
      try {
        await notifyOnce('gap', account, (findings) => mailsOf('gap', { account, findings }));
      } catch (error) {
        runLog.warn('operators cannot be notified of gaps in the call log', errorFields(error));
      }
    },
    sendKeyAlert: async (alert) => {
      const { account, service, kind } = alert;
      // Logs are in English.
      const { keys, outages } = localeOf('en');
      const { title, message } = keyText(alert, keys, {
        at: (at) => outages.at(at, settings.timezone),
        zone: settings.timezone,
      });
      log.warn(title, { account, service, kind, detail: message });
      if (mail === undefined) return;
      try {
        const amounts = await warehouse.logs.amounts(account);
        const line = [...journal.state(account).lineage.values()].filter((row) => row.service === service);
        await send('keys', {
          alert,
          at: clock.now(),
          ...costOwnersOf(settings, account),
          currency: amounts === undefined ? settings.accounts[account]?.currency : storedCurrency(amounts),
          keyNames: line.map(({ name }) => name),
          audit: await warehouse.keys.last(),
        });
      } catch (error) {
        log.warn('operators cannot be notified of a key alert', { service, ...errorFields(error) });
      }
    },
    oldAdminKeys: async () => send('admin-key', { accounts: settings.accounts, now: clock.now() }),
  };
};
