import { createGate, hasCode, isFault, messageOf, type Fault, type Log } from '../../core/index.ts';
import type { KeyJournalRow, KeyTable, LineageRow } from '../../warehouse/index.ts';
import { applyEvent, parseKeyEvent, type KeyEvent } from '../events/key-event.ts';
import { checkBeginning, damaged, missingLines, restoreFile, type Recorded } from './audit-chain.ts';
import { asideOf, cutTornLine, lastAuditLine, readAuditLines, setAside } from './audit-file.ts';
import { lineAfter, noHead, type AuditHead } from './audit-line.ts';
import { createAuditWriter } from './audit-writer.ts';
import { compareAudit, type AuditComparison } from './compare-audit.ts';
import { emptyKeyState, type KeyState, type KeyStateMaps } from '../model/key-state.ts';

/** The steps on keys, each on disk before it takes effect: first as a line of the audit file, then as a row of the warehouse. */
export type KeyJournal = {
  /** Records the events as a whole or not at all. @throws Fault disk-full, path-unwritable, audit-damaged */
  readonly record: (events: readonly KeyEvent[]) => Promise<void>;
  /** What is known about the keys of the account; changes with each record. */
  readonly state: (account: string) => KeyState;
  readonly history: (filter: {
    readonly account: string;
    readonly service?: string | undefined;
  }) => Promise<readonly KeyEvent[]>;
  readonly head: () => AuditHead;
  /** Why no step can be recorded, as of the last step or check. */
  readonly problem: () => Fault | undefined;
  /**
   * Checks that the file is as the last write left it; cheap, because it reads only the end. After a problem, rewrites a file that was moved away.
   */
  readonly check: () => Promise<void>;
  /** Compares the whole file with the database, which takes time; changes nothing. */
  readonly compare: () => Promise<AuditComparison>;
};

export type JournalDeps = {
  readonly table: Pick<KeyTable, 'append' | 'last' | 'events' | 'lineage'>;
  readonly path: string;
  readonly log: Log;
  /** Whether other replicas record steps too: the database is authoritative then, and the file a copy of it. */
  readonly isShared?: boolean;
};

const rowOf = ({ head, event, written }: Recorded): KeyJournalRow => ({
  seq: head.seq,
  at: event.at,
  account: event.account,
  service: event.service,
  rotation: event.rotation,
  what: event.what,
  hash: head.hash,
  event: written,
});

/**
 * Opens the journal: removes a line that a crash interrupted, restores steps that the warehouse lacks (all of them if the database was lost), and
 * rewrites a missing file from the database. @throws Fault audit-damaged when file and database contradict each other or the file lacks its
 * beginning, disk-full
 */
export const openJournal = async ({
  table,
  path,
  log,
  isShared = false,
}: JournalDeps): Promise<KeyJournal> => {
  const states = new Map<string, KeyStateMaps>();
  const stateOf = (account: string): KeyStateMaps => {
    const state = states.get(account) ?? emptyKeyState();
    states.set(account, state);
    return state;
  };
  const oneAtATime = createGate(1);
  const last = (await table.last()) ?? noHead;
  const cut = await cutTornLine(path);
  if (cut) log.warn('an incomplete last line of the audit file, left by a crash, was removed', { path });
  const rows = await table.events();
  if (isShared && (await setAside(path, last)))
    log.info('the audit file is replaced by one from the database, as other replicas have recorded steps', {
      kept: asideOf(path),
    });
  // A replica that has recorded no step yet has no file.
  const say = isShared ? log.info : log.error;
  if (rows.length > 0 && (await lastAuditLine(path)) === undefined) await restoreFile(path, rows, last, say);
  await checkBeginning(path, rows);
  const missing = await missingLines(path, last).catch((error: unknown) => {
    if (error instanceof RangeError || (error instanceof Error && error.name === 'ZodError'))
      return damaged(path, messageOf(error));
    throw error;
  });
  for (const row of rows) applyEvent(stateOf(row.account), parseKeyEvent(JSON.parse(row.event)));
  let head: AuditHead = last;
  let problem: Fault | undefined;
  /** Steps in the file that the database does not have yet. */
  const unsettled: Recorded[] = [];
  const changed = new Map<string, LineageRow>();
  const recordedSteps = async (): Promise<readonly KeyJournalRow[]> => {
    const known = await table.events();
    const seq = known.at(-1)?.seq ?? 0;
    return [...known, ...unsettled.filter((one) => one.head.seq > seq).map(rowOf)];
  };
  const writer = await createAuditWriter({ path, log, recorded: recordedSteps });
  const settle = async (recorded: readonly Recorded[]): Promise<void> => {
    for (const { event } of recorded) {
      const row = applyEvent(stateOf(event.account), event);
      if (row !== undefined) changed.set(JSON.stringify([row.account, row.keyId]), row);
    }
    unsettled.push(...recorded);
    head = recorded.at(-1)?.head ?? head;
    await table.append(unsettled.map(rowOf), [...changed.values()]);
    unsettled.length = 0;
    changed.clear();
  };
  if (missing.length > 0) {
    log.warn('journal steps that the database lacked were restored from the audit file', {
      steps: missing.length,
    });
    await settle(missing);
  }
  return {
    record: (events) =>
      oneAtATime(async () => {
        const recorded: Recorded[] = [];
        let next = head;
        const lines: string[] = [];
        for (const event of events) {
          const written = JSON.stringify(event);
          const line = lineAfter(next, written);
          next = line.head;
          lines.push(line.text);
          recorded.push({ head: next, event, written });
        }
        if (lines.length === 0) return;
        try {
          await writer.append(lines, head);
        } catch (error) {
          // The step itself reports a full disk, which says nothing about the file.
          if (hasCode(error, 'audit-damaged')) problem = error;
          throw error;
        }
        problem = undefined;
        await settle(recorded);
      }),
    state: stateOf,
    history: async (filter) =>
      (await table.events(filter)).map((row) => parseKeyEvent(JSON.parse(row.event))),
    head: () => head,
    problem: () => problem,
    check: () =>
      oneAtATime(async () => {
        try {
          await writer.check(head, problem !== undefined);
          problem = undefined;
        } catch (error) {
          if (!isFault(error)) throw error;
          problem = error;
        }
      }),
    // The gate excludes concurrent writes.
    compare: () => oneAtATime(async () => compareAudit(readAuditLines(path), await recordedSteps())),
  };
};

/** Replaces a journal that cannot be opened: everything else continues, and each operation on keys fails with the reason. */
export const closedJournal = (reason: Fault): KeyJournal => ({
  record: () => Promise.reject(reason),
  state: emptyKeyState,
  history: () => Promise.reject(reason),
  head: () => noHead,
  problem: () => reason,
  check: () => Promise.resolve(),
  compare: () => Promise.reject(reason),
});
