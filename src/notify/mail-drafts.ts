import { domainToASCII } from 'node:url';
import { fault, parseMailbox, type Mailbox, type UnixMillis } from '../core/index.ts';
import { oneLine } from './address.ts';
import { messageIdOf, type Draft, type MessageKey } from './draft.ts';
import type { MessageDefaults } from './message-defaults.ts';
import { composeMessage, type MailContent } from './message.ts';
import { mailRouteName } from './route.ts';

export type Mail = MailContent & {
  readonly key: MessageKey;
  readonly from: string;
  readonly to: readonly string[];
  /** What messages to other routes say; only the subject if omitted. */
  readonly paragraphs?: readonly string[] | undefined;
  /** A mail refers to the first mail about each of its topics that its recipient got. */
  readonly topics?: readonly string[] | undefined;
};

const mailbox = (text: string): Mailbox => {
  const parsed = parseMailbox(text);
  if (parsed === undefined)
    throw fault('mail-address-invalid', `${JSON.stringify(text)} is not one mail address`);
  return parsed;
};

/** Addresses that differ only in case are one recipient; the first spelling counts. */
const distinct = (to: readonly string[]): Mailbox[] => {
  const known = new Map<string, Mailbox>();
  for (const one of to.map(mailbox)) {
    const key = one.address.toLowerCase();
    if (!known.has(key)) known.set(key, one);
  }
  return [...known.values()];
};

const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** The local part may be case-sensitive, the domain never is. */
const envelopeAddress = (address: string): string =>
  `${address.slice(0, address.lastIndexOf('@'))}@${domainOf(address)}`;

/** One mail per recipient, in RFC 5322. @throws Fault `mail-address-invalid` */
export const mailDrafts = (
  mail: Mail,
  date: UnixMillis,
  messageDefaults: MessageDefaults = {},
): readonly Draft[] => {
  const from = mailbox(mail.from);
  const domain = domainToASCII(domainOf(from.address)) || 'tollkeeper.invalid';
  return distinct(mail.to).map((to): Draft => {
    const recipient = envelopeAddress(to.address);
    const messageId = `<${messageIdOf(mail.key, recipient)}@${domain}>`;
    return {
      ...mail.key,
      title: oneLine(mail.subject),
      recipient,
      sender: from.address,
      messageId,
      route: mailRouteName,
      ...(mail.topics === undefined ? {} : { topics: mail.topics }),
      render: (parents) => composeMessage({ ...mail, from, to, messageId, parents, date, messageDefaults }),
    };
  });
};
