import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { fault, hasCode, lazy, messageOf, systemCode, type Decipher, type Fault } from '../core/index.ts';
import type { Manifest } from './manifest.ts';
import { restoreFiles, verifyFiles, type OpenBackup } from './restore-files.ts';
import { readStore } from './store.ts';

type OpenOptions = {
  /** Of a backup in a folder; the newest one when left out. */
  readonly name?: string | undefined;
  readonly decipher?: Decipher | undefined;
  readonly signal?: AbortSignal | undefined;
};

const missing = (message: string): Fault => fault('backup-missing', message);

const statOf = async (from: string): Promise<Stats> =>
  stat(from).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') throw missing(`there is no ${from}`);
    throw missing(`${from} cannot be read: ${messageOf(error)}`);
  });

/** Loaded on demand, with the package that reads tar files. */
const openBackupFile = lazy(async () => (await import('./backup-file.ts')).openBackupFile);

const openFromFolder = async (folder: string, { name, decipher }: OpenOptions): Promise<OpenBackup> => {
  const store = await readStore(folder, { decipher });
  const names = (await store?.list()) ?? [];
  const wanted = name ?? names.at(-1);
  if (store === undefined) throw missing(`${folder} is empty`);
  if (wanted === undefined)
    throw missing(`${folder} contains no complete backup, only parts of one that was interrupted`);
  if (!names.includes(wanted))
    throw missing(`${folder} contains no backup ${wanted}; it contains ${names.join(', ') || 'none'}`);
  const manifest = await store.read(wanted);
  return {
    name: wanted,
    manifest,
    verify: async (signal) => verifyFiles(store, manifest, signal),
    restore: async (to, signal) => {
      // Before anything is written.
      if (manifest.encrypted && decipher === undefined)
        throw fault('backup-identity', `the backup in ${folder} is encrypted, and no identity is given`);
      await restoreFiles(store, manifest, to, signal);
    },
  };
};

type ReadManifest =
  | { readonly name: string; readonly manifest: Manifest }
  /** Why its manifest cannot be read. */
  | { readonly name: string; readonly damage: string };

/** The manifests of all complete backups of a folder or a file, oldest first. @throws as `openBackup` */
export const readManifests = async (from: string, decipher?: Decipher): Promise<readonly ReadManifest[]> => {
  if (!(await statOf(from)).isDirectory()) return [await openBackupFile(from, decipher)];
  const store = await readStore(from, { decipher });
  if (store === undefined) return [];
  const manifests: ReadManifest[] = [];
  for (const name of await store.list()) {
    try {
      manifests.push({ name, manifest: await store.read(name) });
    } catch (error) {
      if (!hasCode(error, 'backup-damaged')) throw error;
      manifests.push({ name, damage: error.message });
    }
  }
  return manifests;
};

/** The database of a backup: the only file that is in no folder. */
export const databaseIn = ({ files }: Pick<Manifest, 'files'>): string => {
  const database = files.find(({ path }) => !path.includes('/'));
  if (database === undefined) throw fault('backup-damaged', 'the backup contains no database');
  return database.path;
};

/**
 * Opens a backup in a folder or a file, and reads its manifest. It changes nothing there.
 * @throws faults backup-missing, backup-foreign, backup-identity, backup-damaged, backup-newer
 */
export const openBackup = async (from: string, options: OpenOptions = {}): Promise<OpenBackup> => {
  const stats = await statOf(from);
  options.signal?.throwIfAborted();
  if (stats.isDirectory()) return openFromFolder(from, options);
  return openBackupFile(from, options.decipher);
};
