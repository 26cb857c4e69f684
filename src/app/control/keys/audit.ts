import { access } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import {
  fault,
  hasCode,
  openRegular,
  readReason,
  systemCode,
  type Log,
  type Deps,
} from '../../../core/index.ts';
import { verifyAudit, type AuditComparison, type AuditVerdict } from '../../../keys/index.ts';
import { readConfig } from '../../../settings.ts';
import { openCommands } from '../commands.ts';
import { databaseOf } from '../../accounts/good-config.ts';
import { pathsOf, type Paths } from '../../data-folder/paths.ts';

export type AuditView = AuditVerdict & {
  readonly file: string;
  /** Missing without a database to compare with, or when the file itself is invalid. */
  readonly database?: {
    /** Missing when the journal cannot be read. */
    readonly steps?: number | undefined;
    readonly differs?: string | undefined;
  };
  /** The file was missing although the database has this many steps; `writtenAgain` says whether it was restored from there. */
  readonly missing?: { readonly steps: number; readonly writtenAgain: boolean };
  readonly advice?: string | undefined;
};

const placesBeside = async (deps: Deps, folder: string): Promise<Paths> => {
  const loaded = await readConfig(folder, deps);
  return pathsOf(deps, {
    path: databaseOf(loaded),
  });
};

/** A file that ends within a line was cut by a crash. */
const isTorn = async (file: string): Promise<boolean> => {
  const handle = await openRegular(file);
  try {
    const { size } = await handle.stat();
    if (size === 0) return false;
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer[0] !== 0x0a;
  } finally {
    await handle.close();
  }
};

const compare = 'compare its head with a recorded one, such as the head in a `statement`';

const adviceFor = async (file: string, isOwn: boolean): Promise<string> => {
  if (!isOwn)
    return 'this copy is not valid evidence: use an older or another copy, and check the file beside the database with `tollkeeper keys audit --verify`';
  const torn = (await isTorn(file))
    ? 'an incomplete last line, left by a crash, is removed at the next start: start Tollkeeper and check again. Otherwise '
    : '';
  return `${torn}move ${file} aside and keep it as evidence of the change. The database contains every step, too: if the chain is valid there, the file is rewritten from it with the next key command, or within five minutes while the daemon runs; no restart is needed. Then check again and ${compare}. If the database is lost or invalid as well, restore the file from a backup instead, with the database of the same backup`;
};

const readVerdict = async (file: string): Promise<AuditVerdict> => {
  const handle = await openRegular(file);
  const input = handle.createReadStream({ encoding: 'utf8' });
  try {
    return await verifyAudit(createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }));
  } finally {
    input.destroy();
    await handle.close();
  }
};

const verdictOf = async (file: string, isOwn: boolean): Promise<AuditView> => {
  try {
    const verdict = await readVerdict(file);
    if (verdict.broken === undefined) return { file, ...verdict };
    return { file, ...verdict, advice: await adviceFor(file, isOwn) };
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    throw fault('wrong-use', `${file} cannot be read (${readReason(error)})`, {
      cause: error,
      advice: 'it is created with the first key operation; specify another file with --verify FILE',
    });
  }
};

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Asks the daemon, or opens the database. @throws Fault `audit-damaged` when the journal cannot be opened */
const askDatabase = async (deps: Deps, folder: string, log: Log): Promise<AuditComparison> => {
  await using commands = await openCommands(deps, { folder, log });
  return await commands.call('keys/audit', {});
};

/** A missing or empty file is valid only if no step was ever taken. */
const missed = async (deps: Deps, folder: string, file: string, log: Log): Promise<AuditView | undefined> => {
  const { steps } = await askDatabase(deps, folder, log);
  if (steps === 0) return undefined;
  const found = (await isThere(file)) ? await verdictOf(file, true) : { file, lines: 0, head: '' };
  const writtenAgain = found.lines > 0;
  const advice = writtenAgain
    ? `find out who removed it, and ${compare}`
    : `find out who removed it; it is rewritten from the database before the next step at the latest. Then check again and ${compare}`;
  return { advice, ...found, missing: { steps, writtenAgain } };
};

/** A chain can be recomputed, or cut at its end, without a trace: only the database reveals it. */
const compared = async (deps: Deps, folder: string, verdict: AuditView, log: Log): Promise<AuditView> => {
  const database = await askDatabase(deps, folder, log).catch((error: unknown) => {
    if (hasCode(error, 'audit-damaged')) return { differs: error.message };
    throw error;
  });
  if (database.differs === undefined) return { ...verdict, database };
  return { ...verdict, database, advice: await adviceFor(verdict.file, true) };
};

/**
 * Checks the given audit file by itself, or the one beside the database, which is compared with the database if there is one.
 * @throws Fault `config-invalid` when the database path is unknown, `wrong-use` when there is no file to check,
 * `audit-damaged` when neither file nor database is valid
 */
export const auditKeys = async (
  deps: Deps,
  which: { readonly folder: string } | { readonly file: string },
  log: Log,
): Promise<AuditView> => {
  if ('file' in which) return verdictOf(which.file, false);
  const { auditFile, path } = await placesBeside(deps, which.folder);
  const hasDatabase = await isThere(path);
  const first = (await isThere(auditFile)) ? await verdictOf(auditFile, true) : undefined;
  if (first?.broken !== undefined) return first;
  if (hasDatabase && (first === undefined || first.lines === 0)) {
    const found = await missed(deps, which.folder, auditFile, log);
    if (found !== undefined) return found;
  }
  const verdict = first ?? (await verdictOf(auditFile, true));
  return hasDatabase ? compared(deps, which.folder, verdict, log) : verdict;
};
