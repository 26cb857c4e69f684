import { chmod, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fault, isFault, type Fault } from '../core/index.ts';
import type { BackupFile, Manifest } from './manifest.ts';
import type { BackupStore } from './store.ts';

/** The chunks of a file, each checked. @throws fault backup-damaged */
async function* contentOf(
  store: BackupStore,
  { path, size, chunks }: BackupFile,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for (const name of chunks) {
    const chunk = await store.get(name);
    length += chunk.byteLength;
    yield chunk;
  }
  if (length !== size)
    throw fault(
      'backup-damaged',
      `${path} has ${length} bytes in ${store.folder}, and its manifest states ${size}`,
    );
}

/** Every fault of a backup, found by reading all of it; empty when it can be restored byte for byte. */
export const verifyFiles = async (
  store: BackupStore,
  { files }: Pick<Manifest, 'files'>,
  signal?: AbortSignal,
): Promise<readonly Fault[]> => {
  const faults: Fault[] = [];
  for (const file of files) {
    try {
      for await (const _ of contentOf(store, file)) signal?.throwIfAborted();
    } catch (error) {
      signal?.throwIfAborted();
      if (!isFault(error)) throw error;
      faults.push(error);
    }
  }
  return faults;
};

/** Writes the files of a backup below an empty folder, each on disk when it resolves. @throws fault backup-damaged */
export const restoreFiles = async (
  store: BackupStore,
  { files }: Pick<Manifest, 'files'>,
  folder: string,
  signal?: AbortSignal,
): Promise<void> => {
  for (const file of files) {
    const path = join(folder, file.path);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(path, 'wx', 0o600);
    try {
      for await (const chunk of contentOf(store, file)) {
        signal?.throwIfAborted();
        await handle.writeFile(chunk);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await chmod(path, file.mode);
  }
};
