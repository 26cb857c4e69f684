import { createGate, fault, isFault, systemCode, type Fault } from '../../core/index.ts';
import type { AuditComparison } from './compare-audit.ts';
import { closedJournal, openJournal, type JournalDeps, type KeyJournal } from './journal.ts';

export type ReopenableJournal = {
  /**
   * The journal that is open, or what stands in for it. Each piece of work uses one from start to end: what began while
   * none was open saw no key, and must write nothing down.
   */
  readonly now: () => KeyJournal;
  /** Looks whether it holds, and opens it where it could not be opened so far. Gives what keeps it from holding. */
  readonly check: () => Promise<Fault | undefined>;
  /** @throws Fault audit-damaged if file and database do not let the journal open */
  readonly compare: () => Promise<AuditComparison>;
};

const asReason = (path: string, error: unknown): Fault => {
  if (isFault(error)) return error;
  const code = systemCode(error);
  if (code === undefined) throw error;
  return fault('path-unwritable', `the audit file ${path} cannot be opened (${code})`, { cause: error });
};

/** The journal for as long as the program lives, whether it can be opened at its start or later. */
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
