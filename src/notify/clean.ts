import { fault, unixMillis } from '../core/index.ts';
import { neverAgain, type MailStore } from '../storage/index.ts';
import { settleAttempt, type SettleDeps } from './settle.ts';

export type CleanDeps = SettleDeps & { readonly mails: MailStore };

export type Cleaned = {
  /** Files of mails that were sent or dropped longer than `keep` ago. */
  readonly kept: number;
  /** Files without a row. */
  readonly orphans: number;
  /** Rows whose file is gone; they are marked failed. */
  readonly missing: number;
};

/**
 * Deletes files of mails sent or dropped at least `keep` milliseconds ago, never before, and files without a row. Marks rows
 * whose file is gone as failed, and logs them.
 */
export const createMailCleaner = (deps: CleanDeps): ((keep: number) => Promise<Cleaned>) => {
  const { outbox, clock, mails, log } = deps;
  // A file is written before its row, so only a file without a row in two passes is an orphan.
  let suspects: ReadonlySet<string> = new Set();
  return async (keep) => {
    const waiting = (await outbox.list({ states: ['queued', 'deferred', 'unknown'] })).filter(
      ({ nextAttempt }) => nextAttempt < neverAgain,
    );
    const files = await mails.list();
    const rows = await outbox.files(unixMillis(clock.now() - keep));
    const there = new Set(files);
    const old = rows.filter(({ file, needed }) => !needed && there.has(file)).map(({ file }) => file);
    const named = new Set(rows.map(({ file }) => file));
    const nameless = files.filter((file) => !named.has(file));
    const orphans = nameless.filter((file) => suspects.has(file));
    suspects = new Set(nameless);
    for (const file of [...old, ...orphans]) await mails.remove(file);

    const missing = waiting.filter(({ file }) => !there.has(file));
    const why = fault('mail-file-damaged', `the stored mail is no longer in ${mails.where}`);
    for (const row of missing) await settleAttempt(row, { state: 'failed', fault: why }, deps);
    const cleaned = { kept: old.length, orphans: orphans.length, missing: missing.length };
    if (old.length + orphans.length > 0) log.info('removed stored mails', cleaned);
    return cleaned;
  };
};
