import { readdir } from 'node:fs/promises';
import { fault, systemCode, unixMillis } from '../core/index.ts';
import { neverAgain } from '../storage/index.ts';
import { removeMail } from './mail-file.ts';
import { settleAttempt, type SettleDeps } from './settle.ts';

export type CleanDeps = SettleDeps & { readonly folder: string };

export type Cleaned = {
  /** Files of mails that were sent or dropped long enough ago. */
  readonly kept: number;
  /** Files that no row names. */
  readonly orphans: number;
  /** Rows that wait for a file that is gone; they have failed. */
  readonly missing: number;
};

const filesIn = async (folder: string): Promise<readonly string[]> => {
  try {
    return (await readdir(folder, { withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  }
};

/** What we name so: bytes, and what a crash left of writing them. Whatever else lies in the folder is not ours. */
const isOurs = (file: string): boolean => /^[0-9a-f]{64}\.eml(\.tmp)?$/.test(file);

/**
 * Keeps the mail folder in order: bytes go once they were sent (or dropped) `keep` milliseconds ago, never before; files
 * that no row names go too. Rows that wait for bytes that are gone are told, and have failed.
 */
export const createMailCleaner = (deps: CleanDeps): ((keep: number) => Promise<Cleaned>) => {
  const { outbox, clock, folder, log } = deps;
  // A file is there before its row: only what was without one the last time as well has none.
  let suspects: ReadonlySet<string> = new Set();
  return async (keep) => {
    const waiting = (await outbox.list({ states: ['queued', 'deferred', 'unknown'] })).filter(
      ({ nextAttempt }) => nextAttempt < neverAgain,
    );
    const files = await filesIn(folder);
    const rows = await outbox.files(unixMillis(clock.now() - keep));
    const there = new Set(files);
    const old = rows.filter(({ file, needed }) => !needed && there.has(file)).map(({ file }) => file);
    const named = new Set(rows.map(({ file }) => file));
    const nameless = files.filter((file) => isOurs(file) && !named.has(file));
    const orphans = nameless.filter((file) => suspects.has(file));
    suspects = new Set(nameless);
    for (const file of [...old, ...orphans]) await removeMail(folder, file);

    const missing = waiting.filter(({ file }) => !there.has(file));
    const why = fault('mail-file-damaged', `the stored mail is no longer in ${folder}`);
    for (const row of missing) await settleAttempt(row, { state: 'failed', fault: why }, deps);
    const cleaned = { kept: old.length, orphans: orphans.length, missing: missing.length };
    if (old.length + orphans.length > 0) log.info('removed stored mails', cleaned);
    return cleaned;
  };
};
