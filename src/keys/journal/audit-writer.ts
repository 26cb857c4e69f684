import type { Log } from '../../core/index.ts';
import type { KeyJournalRow } from '../../warehouse/index.ts';
import { damaged, restoreFile } from './audit-chain.ts';
import { appendAuditLines, asAuditFault, cutAuditFile, lineEndingAt, lookAtTail } from './audit-file.ts';
import { readLine, type AuditHead } from './audit-line.ts';

export type AuditWriter = {
  /**
   * Appends lines after the head and syncs them to disk. Rewrites a missing file first; never touches a file that was changed externally. @throws
   * Fault audit-damaged, disk-full, path-unwritable
   */
  readonly append: (lines: readonly string[], head: AuditHead) => Promise<void>;
  /**
   * Checks the end of the file, as before each append. Rewrites a missing file now (`writesAgain`) or leaves that to the next append. @throws Fault
   * audit-damaged, disk-full, path-unwritable
   */
  readonly check: (head: AuditHead, writesAgain: boolean) => Promise<void>;
};

export type AuditWriterDeps = {
  readonly path: string;
  readonly log: Log;
  /** Every step so far, oldest first, from a source other than the file. */
  readonly recorded: () => Promise<readonly KeyJournalRow[]>;
};

/** Continues with the file as it is now; the next step detects a later move or replacement. */
export const createAuditWriter = async ({ path, log, recorded }: AuditWriterDeps): Promise<AuditWriter> => {
  /** Bytes of the file up to the head. */
  let { wholeBytes: left } = await lookAtTail(path);
  /** A write failed, and its bytes may remain in the file. */
  let leftOver = false;

  /** Whether the file exists and ends where the last write left it. */
  const isThere = async (head: AuditHead): Promise<boolean> => {
    const { wholeBytes } = await lookAtTail(path);
    if (wholeBytes === 0) return head.seq === 0;
    if (wholeBytes < left) damaged(path, 'it became shorter while Tollkeeper ran');
    if (left > 0) {
      const line = readLine((await lineEndingAt(path, left)) ?? '');
      if (typeof line === 'string' || line.seq !== head.seq || line.hash !== head.hash)
        damaged(
          path,
          `step ${head.seq} is not where it was written: the file was changed while Tollkeeper ran`,
        );
    }
    if (wholeBytes === left) return true;
    if (!leftOver) damaged(path, `something was written after step ${head.seq} while Tollkeeper ran`);
    await cutAuditFile(path, left);
    return true;
  };

  const check: AuditWriter['check'] = async (head, writesAgain) => {
    const found = await asAuditFault(path, () => isThere(head));
    if (!found && writesAgain) left = await restoreFile(path, await recorded(), head, log.error);
  };

  return {
    check,
    append: async (lines, head) => {
      await check(head, true);
      leftOver = true;
      left = await appendAuditLines(path, lines);
      leftOver = false;
    },
  };
};
