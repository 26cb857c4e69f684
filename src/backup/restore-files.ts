import { chmod, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fault, isFault, type Fault } from '../core/index.ts';
import type { BackupFile, Manifest } from './manifest.ts';
import type { BackupStore } from './store.ts';
import { writable } from './writable.ts';

/** A backup whose manifest was read. */
export type OpenBackup = {
  /** Such as `20261126T090000Z`. */
  readonly name: string;
  readonly manifest: Manifest;
  /** Every fault, found by reading every byte; empty when it can be restored byte for byte. */
  readonly verify: (signal?: AbortSignal) => Promise<readonly Fault[]>;
  /** Writes its files below an empty folder. @throws faults backup-damaged, backup-identity, disk-full, path-unwritable */
  readonly restore: (folder: string, signal?: AbortSignal) => Promise<void>;
};

type Stored = Pick<Manifest, 'files' | 'recipients'>;

const checkLength = (store: BackupStore, { path, size }: BackupFile, length: number): void => {
  if (length !== size)
    throw fault(
      'backup-damaged',
      `${path} has ${length} bytes in ${store.folder}, and its manifest states ${size}`,
    );
};

/** A chunk may be named many times: a small store can state any length, of which no more is read than the manifest states. */
const checkNotLonger = (store: BackupStore, { path, size }: BackupFile, length: number): void => {
  if (length > size)
    throw fault(
      'backup-damaged',
      `the chunks of ${path} in ${store.folder} have more bytes than the ${size} that its manifest states`,
    );
};

/** The chunks of a file, each checked. @throws fault backup-damaged, backup-identity */
export async function* contentOf(
  store: BackupStore,
  { recipients }: Stored,
  file: BackupFile,
): AsyncGenerator<Uint8Array> {
  let length = 0;
  for (const name of file.chunks) {
    const chunk = await store.get(name, recipients);
    length += chunk.byteLength;
    checkNotLonger(store, file, length);
    yield chunk;
  }
  checkLength(store, file, length);
}

/**
 * Every fault of a backup, found by reading all of it; empty when it can be restored byte for byte. Without an
 * identity, the encrypted content is compared with its checksums.
 */
export const verifyFiles = async (
  store: BackupStore,
  { files, recipients }: Stored,
  signal?: AbortSignal,
): Promise<readonly Fault[]> => {
  const faults: Fault[] = [];
  for (const file of files) {
    try {
      let length: number | undefined = 0;
      for (const name of file.chunks) {
        signal?.throwIfAborted();
        const size = await store.check(name, recipients);
        length = size === undefined || length === undefined ? undefined : length + size;
        if (length !== undefined) checkNotLonger(store, file, length);
      }
      if (length !== undefined) checkLength(store, file, length);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isFault(error)) throw error;
      faults.push(error);
    }
  }
  return faults;
};

/** Writes a file of a backup below a folder where it does not exist; it is on disk when this resolves. */
export const restoreFile = async (
  folder: string,
  file: Pick<BackupFile, 'path' | 'mode'>,
  content: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  signal?: AbortSignal,
): Promise<void> => {
  const path = join(folder, file.path);
  await writable(folder, async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const handle = await open(path, 'wx', 0o600);
    try {
      for await (const piece of content) {
        signal?.throwIfAborted();
        await handle.writeFile(piece);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await chmod(path, file.mode);
  });
};

/** Writes the files of a backup below an empty folder, each on disk when it resolves. @throws fault backup-damaged, backup-identity, disk-full, path-unwritable */
export const restoreFiles = async (
  store: BackupStore,
  manifest: Stored,
  folder: string,
  signal?: AbortSignal,
): Promise<void> => {
  for (const file of manifest.files)
    await restoreFile(folder, file, contentOf(store, manifest, file), signal);
};
