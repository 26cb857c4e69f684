import { readdir } from 'node:fs/promises';
import { fault, systemCode, unixMillis } from '../core/index.ts';
import { neverAgain } from '../storage/index.ts';
import { removeMail } from './mail-file.ts';
import { settleAttempt, type SettleDeps } from './settle.ts';

export type CleanDeps = SettleDeps & { readonly folder: string };

export type Cleaned = {
  /** Files of mails that were sent or dropped longer than `keep` ago. */
  readonly kept: number;
  /** Files without a row. */
  readonly orphans: number;
  /** Rows whose file is gone; they are marked failed. */
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

/** Matches mail files and what a crash left of writing them. Other files in the folder are not ours to delete. */
const isOurs = (file: string): boolean => /^[0-9a-f]{64}\.eml(\.([0-9a-f-]{36}\.)?tmp)?$/.test(file);

/**
 * Deletes files of mails sent or dropped at least `keep` milliseconds ago, never before, and files without a row. Marks rows
 * whose file is gone as failed, and logs them.
 */
export const createMailCleaner = (deps: CleanDeps): ((keep: number) => Promise<Cleaned>) => {
  const { outbox, clock, folder, log } = deps;
  // A file is written before its row, so only a file without a row in two passes is an orphan.
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
