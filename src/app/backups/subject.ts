import { mkdir, open, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Progress } from '../../core/index.ts';
import { listSources, type BackupSubject } from '../../backup/index.ts';
import { writeAuditFile } from '../../keys/index.ts';
import { spoolPrefix, type DatabaseCopy, type Warehouse } from '../../warehouse/index.ts';
import { storedFolders, type Paths } from '../data-folder/paths.ts';

/** What a backup holds of a database that was copied into a folder: the paths of its parts there. */
export const copiedParts = (folder: string, database: string) => ({
  database: join(folder, database),
  audit: join(folder, 'audit'),
  outbox: join(folder, 'outbox'),
});

/** Copies a database of several processes into an empty folder, in the form of the data folder of one process. */
export const copyInto = async (
  copyToFile: NonNullable<Warehouse['copyToFile']>,
  parts: ReturnType<typeof copiedParts>,
  progress: Progress,
  signal: AbortSignal,
): Promise<DatabaseCopy> => {
  await mkdir(parts.outbox, { recursive: true, mode: 0o700 });
  const copy = await copyToFile({ path: parts.database, mailFolder: parts.outbox, progress, signal });
  await writeAuditFile(join(parts.audit, 'keys.jsonl'), copy.steps);
  return copy;
};

export type OpenSubject = AsyncDisposable & {
  readonly subject: BackupSubject;
  /** Where its database file is. */
  readonly path: string;
};

/**
 * What is backed up, until disposed: the open database file, or a copy of the database of several processes in the spool. One at
 * a time.
 */
export const openSubject = async (
  { exclusive, copyToFile }: Pick<Warehouse, 'exclusive' | 'copyToFile'>,
  paths: Paths,
  progress: Progress,
  signal: AbortSignal,
): Promise<OpenSubject> => {
  const { audit, ...replaced } = storedFolders(paths);
  const database = basename(paths.path);
  if (copyToFile === undefined)
    return {
      subject: { database, exclusive, growing: { audit }, replaced },
      path: paths.path,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  // A process that was killed may have left one.
  const folder = join(paths.spoolDirectory, `${spoolPrefix}copy`);
  await rm(folder, { recursive: true, force: true });
  const dispose = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const parts = copiedParts(folder, database);
    const { at, facts } = await copyInto(copyToFile, parts, progress, signal);
    const file = await open(parts.database, 'r');
    return {
      subject: {
        database,
        exclusive: (work) => work(file, facts),
        growing: { audit: parts.audit },
        replaced: { outbox: parts.outbox, reports: replaced.reports },
        copiedAt: at,
      },
      path: parts.database,
      [Symbol.asyncDispose]: async () => {
        await file.close();
        await dispose();
      },
    };
  } catch (error) {
    await dispose();
    throw error;
  }
};

/** Bytes of everything that a backup holds, roughly: it changes meanwhile. */
export const sizeOf = async ({
  subject: { growing, replaced },
  path,
}: Pick<OpenSubject, 'subject' | 'path'>): Promise<number> => {
  const folders = Object.entries({ ...growing, ...replaced });
  const sources = await Promise.all(folders.map(([inner, folder]) => listSources(folder, inner)));
  const files = sources.flat().reduce((sum, { expected }) => sum + (expected?.size ?? 0), 0);
  return files + (await stat(path)).size;
};
