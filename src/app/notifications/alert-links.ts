import { dayMillis, deriveKey, trimEndOf, unixMillis, type Clock } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import type { JobContext } from '../../jobs/index.ts';
import { alertLinkDays, signAlertLink } from '../../monitoring/index.ts';

type Status = Pick<Config['settings']['status'], 'token' | 'public_url' | 'enabled'>;

/** Enough of the ID of a mail to be unique among the mails of an account. */
const idLength = 16;

/** The key that signs the links of alert mails; undefined where mails have none. */
export const alertLinkKey = ({ enabled, token, public_url: publicUrl }: Status): Buffer | undefined =>
  !enabled || token === undefined || publicUrl === undefined
    ? undefined
    : deriveKey(token, 'links in alert mails');

/** Links to the status page for the mails of an account, each with its own signature. */
export const alertLinkOf = (
  status: Status,
  account: string,
  clock: Pick<Clock, 'now'>,
): Pick<JobContext['reports'], 'alertLink'> => {
  const key = alertLinkKey(status);
  const { public_url: publicUrl } = status;
  if (key === undefined || publicUrl === undefined) return {};
  return {
    alertLink: (alert, mail) => {
      const id = `${account} ${mail.slice(0, idLength)}`;
      const expiresAt = unixMillis(clock.now() + alertLinkDays * dayMillis);
      return `${trimEndOf(publicUrl, '/')}/alert-links/${signAlertLink({ account, alert, id, expiresAt }, key)}`;
    },
  };
};
