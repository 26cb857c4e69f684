import { dayMillis, unixMillis, type UnixMillis } from '../../core/index.ts';
import type { Account } from '../../config/index.ts';
import type { Message } from './message.ts';

/** Milliseconds between two reminders of one key. */
const again = 30 * dayMillis;

type AdminKeyEvent = {
  readonly accounts: Readonly<Record<string, Pick<Account, 'admin_key_issued' | 'admin_key_max_age'>>>;
  readonly now: UnixMillis;
};

/** The gateway lets no Admin Key change an Admin Key, so a person must replace it. */
export const adminKeyMessages = ({ accounts, now }: AdminKeyEvent): readonly Message[] =>
  Object.entries(accounts).flatMap(([account, { admin_key_issued: issued, admin_key_max_age: maxAge }]) => {
    if (issued === undefined) return [];
    const since = Date.parse(`${issued}T00:00:00Z`);
    const due = unixMillis(since + maxAge);
    if (now < due) return [];
    return {
      account,
      // A new key has another creation day, so its reminders are new.
      subject: [issued, 1 + Math.floor((now - due) / again)],
      title: `the Admin Key of ${account} is ${Math.floor((now - since) / dayMillis)} days old`,
      blocks: [
        {
          tone: 'bad',
          lines: [
            [
              'What',
              `It was issued on ${issued} and was due for replacement on ${new Date(due).toISOString().slice(0, 10)}.`,
            ],
            [
              'What to do',
              `Issue a new Admin Key at the gateway, store it where admin_key of the account points, set admin_key_issued to its issue date, and revoke the old one. Tollkeeper cannot rotate it: the gateway does not allow an Admin Key to change an Admin Key.`,
            ],
            ['Account', account],
          ],
        },
      ],
      closing: ['The next reminder is sent in 30 days.'],
    };
  });
