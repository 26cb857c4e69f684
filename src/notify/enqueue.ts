import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { fault, type Clock } from '../core/index.ts';
import { oneLine, parseMailbox, type Mailbox } from './address.ts';
import type { MessageDefaults } from './message-defaults.ts';
import { removeMail, storeMail } from './mail-file.ts';
import { composeMessage, type MailContent } from './message.ts';
import { mailRouteName } from './route.ts';
import type { OutboxEntry, OutboxTable } from '../storage/index.ts';

/** Identity of a mail: it is sent once per key and recipient. */
export type MailKey = {
  readonly account: string;
  readonly kind: string;
  /** The slot or alert, `daily-spend 2026-01-01`; not the subject line. */
  readonly subject: string;
};

export type Mail = MailContent & {
  readonly key: MailKey;
  readonly from: string;
  readonly to: readonly string[];
};

export type EnqueueDeps = {
  readonly outbox: Pick<OutboxTable, 'put' | 'list'>;
  /** Stores the exact bytes. */
  readonly folder: string;
  readonly clock: Clock;
  readonly messageDefaults?: MessageDefaults;
};

/** `known`: the mail was enqueued before, nothing was written. */
export type Enqueued = { readonly recipient: string; readonly state: 'queued' | 'known' };

const idOf = (key: MailKey, recipient: string): string =>
  createHash('sha256')
    .update(JSON.stringify([key.account, key.kind, key.subject, recipient]))
    .digest('hex')
    .slice(0, 40);

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

const forget = async (deps: EnqueueDeps, entry: OutboxEntry): Promise<void> => {
  const { kind, subject } = entry;
  const known = (await deps.outbox.list({ kind, subject })).find(
    (row) => row.account === entry.account && row.recipient === entry.recipient,
  );
  // The bytes contain the Message-ID, so no row of another key can refer to this file.
  if (known !== undefined && known.file !== entry.file) await removeMail(deps.folder, entry.file);
};

/** A message sent unchanged: its bytes must contain something unique to its row, such as its id. */
export type Rendered = Omit<OutboxEntry, 'file' | 'queuedAt'> & { readonly bytes: Uint8Array };

/** Writes the bytes to the disk before the row, so that no row lacks its file. @throws Fault `disk-full`, `path-unwritable` */
export const enqueueBytes = async (
  deps: EnqueueDeps,
  { bytes, ...rendered }: Rendered,
): Promise<Enqueued> => {
  const stored = await storeMail(deps.folder, bytes);
  const entry: OutboxEntry = { ...rendered, file: stored.file, queuedAt: deps.clock.now() };
  const state = await deps.outbox.put(entry);
  if (state === 'known' && stored.fresh) await forget(deps, entry);
  return { recipient: entry.recipient, state };
};

/**
 * Enqueues one message per recipient; the same key and recipient only once. Sends nothing.
 * @throws Fault `mail-address-invalid`, `disk-full`, `path-unwritable`
 */
export const enqueue = async (deps: EnqueueDeps, mail: Mail): Promise<readonly Enqueued[]> => {
  const from = mailbox(mail.from);
  const domain = domainToASCII(domainOf(from.address)) || 'tollkeeper.invalid';
  const enqueued: Enqueued[] = [];
  for (const to of distinct(mail.to)) {
    const recipient = envelopeAddress(to.address);
    const messageId = `<${idOf(mail.key, recipient)}@${domain}>`;
    const { messageDefaults = {}, clock } = deps;
    const bytes = await composeMessage({ ...mail, from, to, messageId, date: clock.now(), messageDefaults });
    const title = oneLine(mail.subject);
    const rendered = {
      ...mail.key,
      title,
      recipient,
      sender: from.address,
      messageId,
      route: mailRouteName,
      bytes,
    };
    enqueued.push(await enqueueBytes(deps, rendered));
  }
  return enqueued;
};
