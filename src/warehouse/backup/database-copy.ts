import type { Progress, UnixMillis } from '../../core/index.ts';
import type { KeyJournalRow } from '../keys/key-table.ts';
import type { DatabaseFacts } from './database-facts.ts';

/** Where a copy of the database goes: a new database file, and the folder of its mails. */
export type CopyTarget = {
  readonly path: string;
  readonly mailFolder: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

export type DatabaseCopy = {
  /** The moment that it is of. */
  readonly at: UnixMillis;
  readonly facts: DatabaseFacts;
  /** The audit log of keys. */
  readonly steps: readonly KeyJournalRow[];
  readonly mails: number;
};
