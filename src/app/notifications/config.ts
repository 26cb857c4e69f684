import { dateAt, dayMillis, toSeconds, unixMillis, type UnixMillis } from '../../core/index.ts';
import type { Account, ConfigFault } from '../../config/index.ts';
import { linesOf } from '../../messages/index.ts';
import type { AlertBlock } from '../../reports/index.ts';
import type { Message, MessageDeps } from './message.ts';

export const configMessages = (
  { faults, at }: { readonly faults: readonly ConfigFault[]; readonly at: UnixMillis },
  { zone, locale: { mails, outages } }: Pick<MessageDeps, 'zone' | 'locale'>,
): readonly Message[] => [
  {
    account: '',
    subject: [at, faults],
    title: outages.config.title(faults.length),
    blocks: faults.map(({ file, line, column, message, advice }): AlertBlock => ({
      heading: `${file}:${line}:${column}`,
      tone: 'bad',
      lines: linesOf({ fault: message, toDo: advice }, mails),
    })),
    closing: outages.config.closing(outages.at(at, zone)),
  },
];

/** Milliseconds between two reminders of one key. */
const again = 30 * dayMillis;

type AdminKeyEvent = {
  readonly accounts: Readonly<Record<string, Pick<Account, 'admin_key_issued' | 'admin_key_max_age'>>>;
  readonly now: UnixMillis;
};

/** The gateway lets no Admin Key change an Admin Key, so a person must replace it. */
export const adminKeyMessages = (
  { accounts, now }: AdminKeyEvent,
  { locale: { mails, outages } }: Pick<MessageDeps, 'locale'>,
): readonly Message[] =>
  Object.entries(accounts).flatMap(([account, { admin_key_issued: issued, admin_key_max_age: maxAge }]) => {
    if (issued === undefined) return [];
    const { title, what, toDo, closing } = outages.adminKey;
    const since = Date.parse(`${issued}T00:00:00Z`);
    const due = unixMillis(since + maxAge);
    if (now < due) return [];
    return {
      account,
      // A new key has another creation day, so its reminders are new.
      subject: [issued, 1 + Math.floor((now - due) / again)],
      title: title(account, Math.floor((now - since) / dayMillis)),
      blocks: [
        {
          tone: 'bad',
          lines: linesOf({ what: what(issued, dateAt(toSeconds(due), 'UTC')), toDo, account }, mails),
        },
      ],
      closing: [closing],
    };
  });
