import { createHash } from 'node:crypto';
import type { Clock } from '../core/index.ts';
import type { OutboxEntry, OutboxTable } from '../storage/index.ts';
import { storeMail } from './mail-file.ts';

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

/**
 * A message to one recipient, and how its bytes are rendered. They are sent unchanged, and contain something unique to
 * their row, such as its id.
 */
export type Draft = Omit<OutboxEntry, 'file' | 'queuedAt'> & {
  readonly render: () => Promise<Uint8Array> | Uint8Array;
};

export type DraftDeps = {
  readonly outbox: Pick<OutboxTable, 'list'>;
  /** Stores the exact bytes. */
  readonly folder: string;
  readonly clock: Clock;
};

/**
 * Stores the bytes of drafts that are not in the outbox, and returns their rows for `put` of the outbox: bytes before
 * rows, so that no row lacks its file. Cleaning removes a file whose row is not stored.
 * @throws Fault `disk-full`, `path-unwritable`
 */
export const storeDrafts = async (
  { outbox, folder, clock }: DraftDeps,
  drafts: readonly Draft[],
): Promise<readonly OutboxEntry[]> => {
  const [first] = drafts;
  if (first === undefined) return [];
  const { account, kind, subject } = first;
  const rows = await outbox.list({ kind, subject });
  const known = new Set(rows.flatMap((row) => (row.account === account ? [row.recipient] : [])));
  const entries: OutboxEntry[] = [];
  for (const { render, ...draft } of drafts)
    if (!known.has(draft.recipient))
      entries.push({ ...draft, file: await storeMail(folder, await render()), queuedAt: clock.now() });
  return entries;
};
