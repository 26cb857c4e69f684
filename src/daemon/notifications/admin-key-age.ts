import { toSeconds, unixMillis } from '../../core/index.ts';
import type { UnixMillis } from '../../core/index.ts';
import type { Account } from '../../config/index.ts';
import type { Mail } from '../../notify/index.ts';
import { fingerprint, operatorMail } from './operator-mail.ts';

const day = 86_400_000;

/** Milliseconds between two reminders of one key. */
const again = 30 * day;

/** How old the Admin Key of an account is by the config, and whether it is due; nothing where its day is not declared. */
export const adminKeyAge = (
  {
    admin_key_issued: issued,
    admin_key_max_age: most,
  }: Pick<Account, 'admin_key_issued' | 'admin_key_max_age'>,
  now: UnixMillis,
):
  | { readonly issued: string; readonly days: number; readonly due: UnixMillis; readonly reminder: number }
  | undefined => {
  if (issued === undefined) return undefined;
  const since = Date.parse(`${issued}T00:00:00Z`);
  const due = since + most;
  return {
    issued,
    days: Math.floor((now - since) / day),
    due: unixMillis(due),
    reminder: now < due ? 0 : 1 + Math.floor((now - due) / again),
  };
};

/** Reminds operators of an Admin Key that is past its age: the gateway lets no Admin Key change one, so a person has to. */
export const adminKeyMail = (
  name: string,
  account: Pick<Account, 'admin_key_issued' | 'admin_key_max_age'>,
  now: UnixMillis,
  { from, operators }: { readonly from: string; readonly operators: readonly string[] },
): Mail | undefined => {
  const age = adminKeyAge(account, now);
  if (age === undefined || age.reminder === 0 || operators.length === 0) return undefined;
  const due = new Date(toSeconds(age.due) * 1000).toISOString().slice(0, 10);
  return operatorMail(
    {
      // A new key has another day, and is reminded of by itself.
      key: { account: name, kind: 'admin-key', subject: fingerprint([age.issued, age.reminder]) },
      title: `the Admin Key of ${name} is ${age.days} days old`,
      blocks: [
        {
          tone: 'bad',
          lines: [
            ['What', `It was issued on ${age.issued} and was to be replaced by ${due}.`],
            [
              'What to do',
              `Issue a new one at the gateway, put it where admin_key of the account points, set admin_key_issued to its day, and revoke the old one. Tollkeeper cannot: the gateway lets no Admin Key change an Admin Key.`,
            ],
            ['Account', name],
          ],
        },
      ],
      closing: ['The next reminder comes in 30 days.'],
    },
    from,
    operators,
  );
};
