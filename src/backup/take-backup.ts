import type { FileHandle } from 'node:fs/promises';
import { hasCode, type Clock, type Progress, type UnixMillis } from '../core/index.ts';
import { listSources } from './list-sources.ts';
import type { Facts, ManifestDraft } from './manifest.ts';
import { discardIfFull, type BackupStore } from './store.ts';
import { storeFiles, type BackupSource } from './write-backup.ts';

/** What is backed up. */
export type BackupSubject = {
  /** Name of the database file in the manifest. */
  readonly database: string;
  /** Runs work while nothing changes, with the open database file and what it amounts to. */
  readonly exclusive: <T>(
    work: (database: FileHandle, facts: Facts & { readonly schema: number }) => Promise<T>,
  ) => Promise<T>;
  /** Folders whose files only grow, by their paths in the manifest. */
  readonly growing: Readonly<Record<string, string>>;
  /** Folders whose files are replaced whole, by their paths in the manifest. */
  readonly replaced: Readonly<Record<string, string>>;
  /** Where the database file is a copy, the moment that it is of; the rest of the program waits for nothing then. */
  readonly copiedAt?: UnixMillis | undefined;
};

export type BackupOptions = {
  readonly clock: Clock;
  /** Of the program. */
  readonly version: string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

export type TakenBackup = {
  /** Of the backup in the store. */
  readonly name: string;
  readonly draft: ManifestDraft;
  readonly bytes: number;
  /** Bytes that the store did not have. */
  readonly newBytes: number;
  /** The longest time for which the rest of the program waited, in milliseconds: checkpoint, facts and changed blocks. */
  readonly heldFor: number;
};

/** Files change seldom while they are read: a report is built, or the retention of mails ends. */
const maxTries = 3;

const listAll = async (folders: Readonly<Record<string, string>>): Promise<readonly BackupSource[]> =>
  (await Promise.all(Object.entries(folders).map(([path, folder]) => listSources(folder, path)))).flat();

const takeOnce = async (
  store: BackupStore,
  subject: BackupSubject,
  { clock, version, progress, signal }: BackupOptions,
): Promise<TakenBackup> => {
  let done = 0;
  const meter = (step: string) => (bytes: number) => {
    done += bytes;
    progress({ step, bytes: done });
  };
  // Most blocks are stored while the rest of the program goes on; then only those that changed meanwhile are left to write.
  const first = clock.now();
  const database = await subject.exclusive((file) => Promise.resolve(file));
  const heldFirst = clock.now() - first;
  const source = { path: subject.database, file: database, isDatabase: true };
  const early = await storeFiles(store, [source], signal, meter('storing the database'));

  const second = clock.now();
  const moment = await subject.exclusive(async (file, { schema, ...facts }) => {
    const at = subject.copiedAt ?? clock.now();
    const later = await listAll(subject.replaced);
    const growing = (await listAll(subject.growing)).map(({ path, file: grows }) => ({ path, file: grows }));
    const written = await storeFiles(store, [{ ...source, file }, ...growing], signal);
    const heldFor = subject.copiedAt === undefined ? Math.max(heldFirst, clock.now() - second) : 0;
    return { at, schema, facts, later, written, heldFor };
  });
  const rest = await storeFiles(store, moment.later, signal, meter('storing reports, mails and the archive'));

  const files = [...moment.written.files, ...rest.files];
  const wanted = new Set(files.flatMap(({ chunks }) => chunks));
  const added = [early, moment.written, rest].flatMap(({ newChunks }) => newChunks);
  const kept = added.filter((name) => wanted.has(name));
  // Chunks that were there were read by `put`.
  for (const [index, name] of kept.entries()) {
    signal.throwIfAborted();
    progress({ step: 'reading the backup back', done: index, total: kept.length });
    await store.get(name);
  }
  const draft = {
    at: new Date(moment.at).toISOString(),
    program: version,
    schema: moment.schema,
    files,
    facts: moment.facts,
  };
  const name = await store.complete(draft);
  // Blocks that changed after they had been stored.
  await store.discard(wanted);
  return {
    name,
    draft,
    bytes: moment.written.bytes + rest.bytes,
    newBytes: early.newBytes + moment.written.newBytes + rest.newBytes,
    heldFor: moment.heldFor,
  };
};

/**
 * Backs up everything as of one moment into the store, and reads each chunk back before the backup counts as complete.
 * Without space for all of it, its chunks are deleted again.
 * @throws faults of the store, backup-source-changed
 */
export const takeBackup = async (
  store: BackupStore,
  subject: BackupSubject,
  options: BackupOptions,
): Promise<TakenBackup> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await discardIfFull(store, async () => takeOnce(store, subject, options));
    } catch (error) {
      if (!hasCode(error, 'backup-source-changed') || tries === maxTries) throw error;
    }
  }
};
