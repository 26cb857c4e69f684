import { fault, type FaultOptions, type Log } from '../../core/index.ts';
import type { KeyJournalRow } from '../../warehouse/index.ts';
import { parseKeyEvent, type KeyEvent } from '../events/key-event.ts';
import { firstAuditLine, lastAuditLine, readAuditLines, replaceAuditFile } from './audit-file.ts';
import { follows, lineAfter, noHead, readLine, type AuditHead } from './audit-line.ts';

export type Recorded = { readonly head: AuditHead; readonly event: KeyEvent; readonly written: string };

export const damaged = (path: string, why: string, options: FaultOptions = {}): never => {
  throw fault('audit-damaged', `the audit file ${path} is invalid: ${why}`, options);
};

/** The audit lines of the database rows, as far as they form a chain; `broken`: the first row that does not. */
const chainOf = (
  rows: readonly KeyJournalRow[],
): { readonly lines: readonly string[]; readonly head: AuditHead; readonly broken?: number } => {
  let head: AuditHead = noHead;
  const lines: string[] = [];
  for (const row of rows) {
    const line = lineAfter(head, row.event);
    if (line.head.seq !== row.seq || line.head.hash !== row.hash) return { lines, head, broken: row.seq };
    head = line.head;
    lines.push(line.text);
  }
  return { lines, head };
};

/** Writes the audit file of a copy of the database. @throws Fault audit-damaged when its steps form no chain, disk-full, path-unwritable */
export const writeAuditFile = async (path: string, rows: readonly KeyJournalRow[]): Promise<void> => {
  const { lines, broken } = chainOf(rows);
  if (broken !== undefined) damaged(path, `step ${broken} of the database was changed`);
  if (lines.length > 0) await replaceAuditFile(path, lines);
};

/**
 * Rewrites a missing file from the database after the hash chain proves that the database holds every step up to the last. Returns the size in bytes.
 * @throws Fault audit-damaged, disk-full, path-unwritable
 */
export const restoreFile = async (
  path: string,
  rows: readonly KeyJournalRow[],
  last: AuditHead,
  say: Log['error'],
): Promise<number> => {
  const { lines, head, broken } = chainOf(rows);
  if (broken !== undefined)
    damaged(path, `the file is missing, and step ${broken} of the database was changed`);
  if (head.seq !== last.seq || head.hash !== last.hash)
    damaged(path, `the file is missing, and the database ends with step ${head.seq}, not ${last.seq}`);
  const bytes = await replaceAuditFile(path, lines);
  say('the key audit file was missing or empty and was rewritten from the database', {
    path,
    steps: lines.length,
  });
  return bytes;
};

/** Recovery needs no restart. */
const whenLooked =
  'with the next key command, with `tollkeeper status`, or within five minutes while the daemon runs. No restart is needed';

const adviceFor = (path: string, covered: boolean, first: number | undefined): FaultOptions => {
  if (covered)
    return {
      advice: `key operations are suspended: move ${path} aside and keep it; the database has every step, and the file is rewritten from the database ${whenLooked}`,
    };
  if (first === undefined || first < 2) return {};
  return {
    advice: `key operations are suspended: restore the missing lines, steps 1 to ${first - 1}, before its first line from a backup or from where the file was moved to; it is checked again ${whenLooked}`,
  };
};

/** Detects a file that was moved away and started again: it lacks its first steps, which its end does not show. @throws Fault audit-damaged */
export const checkBeginning = async (path: string, rows: readonly KeyJournalRow[]): Promise<void> => {
  const text = await firstAuditLine(path);
  if (text === undefined) return;
  const first = readLine(text);
  if (typeof first === 'object' && follows(noHead, first)) return;
  const newest = readLine((await lastAuditLine(path)) ?? '');
  const covered =
    typeof newest === 'object' &&
    chainOf(rows).broken === undefined &&
    rows[newest.seq - 1]?.hash === newest.hash;
  if (typeof first === 'string')
    return damaged(path, `line 1: ${first}`, adviceFor(path, covered, undefined));
  const why =
    first.seq > 1
      ? `it begins with step ${first.seq}: the lines before were moved or removed`
      : 'line 1 does not begin a chain';
  return damaged(path, why, adviceFor(path, covered, first.seq));
};

/** Lines of the file that the database lacks; all lines if the database is empty. @throws Fault audit-damaged */
export const missingLines = async (path: string, last: AuditHead): Promise<readonly Recorded[]> => {
  const newest = await lastAuditLine(path);
  const lastLine = newest === undefined ? undefined : readLine(newest);
  // Nothing is missing; only `keys audit --verify` checks the whole chain.
  if (typeof lastLine === 'object' && lastLine.seq === last.seq && lastLine.hash === last.hash) return [];
  const missing: Recorded[] = [];
  let head: AuditHead = noHead;
  let lines = 0;
  for await (const text of readAuditLines(path)) {
    lines += 1;
    const line = readLine(text);
    if (typeof line === 'string') return damaged(path, `line ${lines}: ${line}`);
    if (!follows(head, line)) damaged(path, `line ${lines} does not follow the previous line`);
    head = { seq: line.seq, hash: line.hash };
    if (line.seq === last.seq && line.hash !== last.hash)
      damaged(path, `line ${lines} differs from the database`);
    if (line.seq <= last.seq) continue;
    missing.push({ head, event: parseKeyEvent(line.event), written: line.written });
  }
  if (head.seq < last.seq)
    damaged(path, `it ends with step ${head.seq}, and the database with step ${last.seq}`);
  return missing;
};
