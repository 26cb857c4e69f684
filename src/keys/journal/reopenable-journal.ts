import { createGate, fault, isFault, systemCode, type Fault } from '../../core/index.ts';
import type { AuditComparison } from './compare-audit.ts';
import { closedJournal, openJournal, type JournalDeps, type KeyJournal } from './journal.ts';

export type ReopenableJournal = {
  /**
   * The open journal or its closed substitute. An operation uses one instance from start to end: one that began with the substitute saw no key and
   * must record nothing.
   */
  readonly now: () => KeyJournal;
  /** Checks the journal, and opens it if that failed before. Returns the problem, if any. */
  readonly check: () => Promise<Fault | undefined>;
  /** @throws Fault audit-damaged if file and database prevent the journal from opening */
  readonly compare: () => Promise<AuditComparison>;
};

const asReason = (path: string, error: unknown): Fault => {
  if (isFault(error)) return error;
  const code = systemCode(error);
  if (code === undefined) throw error;
  return fault('path-unwritable', `the audit file ${path} cannot be opened (${code})`, { cause: error });
};

/** A journal for the lifetime of the process, whether it can be opened at startup or only later. */
export const openReopenableJournal = async (deps: JournalDeps): Promise<ReopenableJournal> => {
  const oneAtATime = createGate(1);
  let isOpen = false;
  const open = async (): Promise<KeyJournal> => {
    try {
      const opened = await openJournal(deps);
      isOpen = true;
      return opened;
    } catch (error) {
      return closedJournal(asReason(deps.path, error));
    }
  };
  let journal = await open();
  return {
    now: () => journal,
    check: () =>
      oneAtATime(async () => {
        if (isOpen) await journal.check();
        else journal = await open();
        return journal.problem();
      }),
    compare: () =>
      oneAtATime(async () => {
        if (!isOpen) journal = await open();
        return await journal.compare();
      }),
  };
};
