import { stat } from 'node:fs/promises';
import { fault, messageOf, systemCode, type Decipher, type Fault } from '../core/index.ts';
import { openBackupFile } from './backup-file.ts';
import { restoreFiles, verifyFiles, type OpenBackup } from './restore-files.ts';
import { readStore } from './store.ts';

type OpenOptions = {
  /** Of a backup in a folder; the newest one when left out. */
  readonly name?: string | undefined;
  readonly decipher?: Decipher | undefined;
  readonly signal?: AbortSignal | undefined;
};

const missing = (message: string): Fault => fault('backup-missing', message);

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

/**
 * Opens a backup in a folder or a file, and reads its manifest. It changes nothing there.
 * @throws faults backup-missing, backup-foreign, backup-identity, backup-damaged, backup-newer
 */
export const openBackup = async (from: string, options: OpenOptions = {}): Promise<OpenBackup> => {
  const stats = await stat(from).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') throw missing(`there is no ${from}`);
    throw missing(`${from} cannot be read: ${messageOf(error)}`);
  });
  options.signal?.throwIfAborted();
  if (stats.isDirectory()) return openFromFolder(from, options);
  return openBackupFile(from, options.decipher);
};
