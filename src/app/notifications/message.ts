import { createHash } from 'node:crypto';
import type { Job } from '../../config/index.ts';
import type { Locale } from '../../messages/index.ts';
import type { Mail } from '../../notify/index.ts';
import { renderAlertEmail, type AlertBlock } from '../../reports/index.ts';

export type Message = {
  readonly account: string;
  /** Identifies the message, so that it is sent once. */
  readonly subject: readonly unknown[];
  /** What later messages are about, too. */
  readonly topics?: readonly string[] | undefined;
  readonly title: string;
  readonly blocks: readonly AlertBlock[];
  readonly closing: readonly string[];
  /** Defaults to the operators. */
  readonly to?: readonly string[];
  /** The setting that holds the recipients. */
  readonly recipients?: string;
};

export type MessageDeps = {
  readonly operators: readonly string[];
  readonly jobs: Readonly<Record<string, Job>>;
  readonly locale: Locale;
  /** Time zone of times that belong to no job. */
  readonly zone: string;
};

type MailSettings = {
  readonly from: string;
  readonly operators: readonly string[];
  readonly locale: Locale;
  /** The public URL of the status page. */
  readonly page: string | undefined;
};

/** Keeps the mail readable. */
const maxBlocks = 40;

/** Bad news if any block is, shown or not; undefined without recipients or content. */
export const mailOf = (
  kind: string,
  { account, subject: identity, topics, title, blocks: all, closing, to, recipients: setting }: Message,
  { from, operators, locale, page }: MailSettings,
): Mail | undefined => {
  const recipients = to ?? operators;
  if (all.length === 0 || recipients.length === 0) return undefined;
  const blocks = all.slice(0, maxBlocks);
  const more = all.length - blocks.length;
  const hash = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
  return {
    key: { account, kind, subject: hash.slice(0, 16) },
    from,
    to: recipients,
    ...(topics === undefined ? {} : { topics }),
    ...renderAlertEmail({
      title,
      locale,
      tone: all.some(({ tone }) => tone === 'bad') ? 'bad' : 'good',
      blocks,
      recipients: setting ?? 'mail.operators',
      page,
      closing: [...(more > 0 ? [locale.mails.more(more)] : []), ...closing],
    }),
  };
};
