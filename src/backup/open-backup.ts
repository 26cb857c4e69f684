import { fault, type Fault } from '../core/index.ts';
import type { Manifest } from './manifest.ts';
import { restoreFiles, verifyFiles } from './restore-files.ts';
import { openStore } from './store.ts';

/** A complete backup to verify or restore. */
export type OpenBackup = {
  readonly name: string;
  readonly manifest: Manifest;
  /** Every damage, found by reading all of it. */
  readonly verify: (signal?: AbortSignal) => Promise<readonly Fault[]>;
  /** Writes its files below an empty folder. @throws fault backup-damaged */
  readonly restore: (folder: string, signal?: AbortSignal) => Promise<void>;
};

/** The database of a backup: the only file that is in no folder. */
export const databaseIn = ({ files }: Pick<Manifest, 'files'>): string => {
  const database = files.find(({ path }) => !path.includes('/'));
  if (database === undefined) throw fault('backup-damaged', 'the backup holds no database');
  return database.path;
};

/** The newest backup of a folder, or the one of that name. @throws faults of the store, backup-missing */
export const openBackup = async (
  from: string,
  { name: wanted }: { readonly name?: string | undefined; readonly signal?: AbortSignal } = {},
): Promise<OpenBackup> => {
  const store = await openStore(from);
  const names = await store.list();
  const name = wanted ?? names.at(-1);
  if (name === undefined || !names.includes(name))
    throw fault(
      'backup-missing',
      `${from} holds ${wanted === undefined ? 'no complete backup' : `no backup ${wanted}; it holds ${names.join(', ')}`}`,
    );
  const manifest = await store.read(name);
  return {
    name,
    manifest,
    verify: (signal) => verifyFiles(store, manifest, signal),
    restore: (folder, signal) => restoreFiles(store, manifest, folder, signal),
  };
};
