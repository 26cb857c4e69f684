import { createHash } from 'node:crypto';
import type { Clock } from '../core/index.ts';
import type { MailStore, OutboxEntry, OutboxState, OutboxTable } from '../storage/index.ts';

/** Identity of a message: it is sent once per key and recipient. */
export type MessageKey = {
  readonly account: string;
  readonly kind: string;
  /** The slot or alert, `daily-spend 2026-01-01`; not the subject line. */
  readonly subject: string;
};

/** Stable: a message of one key to one recipient always has the same ID. */
export const messageIdOf = ({ account, kind, subject }: MessageKey, recipient: string): string =>
  createHash('sha256')
    .update(JSON.stringify([account, kind, subject, recipient]))
    .digest('hex')
    .slice(0, 40);

/** Message-IDs of earlier mails to the same recipient, to which a mail refers. */
export type Parents = readonly string[];

/**
 * A message to one recipient, and how its bytes are rendered. They are sent unchanged, and contain something unique to
 * their row, such as its id.
 */
export type Draft = Omit<OutboxEntry, 'file' | 'queuedAt'> & {
  readonly render: (parents: Parents) => Promise<Uint8Array> | Uint8Array;
};

export type DraftDeps = {
  readonly outbox: Pick<OutboxTable, 'list'>;
  readonly mails: Pick<MailStore, 'store'>;
  readonly clock: Clock;
};

/** A recipient never got these, so no mail refers to them. */
const notReceived: readonly OutboxState[] = ['failed', 'dropped'];

/** Limits the length of the header. */
const maxParents = 20;

/** For each recipient, the first mail about each topic that the recipient got or will get. */
const readParents = async (
  outbox: Pick<OutboxTable, 'list'>,
  { account, kind, topics = [] }: Pick<Draft, 'account' | 'kind' | 'topics'>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> => {
  const parents = new Map<string, Set<string>>();
  for (const topic of topics) {
    const found = new Set<string>();
    for (const row of await outbox.list({ kind, topic })) {
      const { recipient, messageId } = row;
      if (row.account !== account || notReceived.includes(row.state) || found.has(recipient)) continue;
      found.add(recipient);
      parents.set(recipient, (parents.get(recipient) ?? new Set()).add(messageId));
    }
  }
  return parents;
};

/**
 * Stores the bytes of drafts that are not in the outbox, and returns their rows for `put` of the outbox: bytes before
 * rows, so that no row lacks its file. Cleaning removes a file whose row is not stored.
 * @throws Fault `disk-full`, `path-unwritable`
 */
export const storeDrafts = async (
  { outbox, mails, clock }: DraftDeps,
  drafts: readonly Draft[],
): Promise<readonly OutboxEntry[]> => {
  const [first] = drafts;
  if (first === undefined) return [];
  const { account, kind, subject } = first;
  const rows = await outbox.list({ kind, subject });
  const known = new Set(rows.flatMap((row) => (row.account === account ? [row.recipient] : [])));
  const parents = await readParents(outbox, first);
  const entries: OutboxEntry[] = [];
  for (const { render, ...draft } of drafts) {
    if (known.has(draft.recipient)) continue;
    const bytes = await render([...(parents.get(draft.recipient) ?? [])].slice(0, maxParents));
    entries.push({ ...draft, file: await mails.store(bytes), queuedAt: clock.now() });
  }
  return entries;
};
