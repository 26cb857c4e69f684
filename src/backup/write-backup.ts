import { open } from 'node:fs/promises';
import { fault } from '../core/index.ts';
import type { BackupFile } from './manifest.ts';
import type { BackupStore } from './store.ts';

/** A file to back up. Nothing may write it meanwhile. */
export type BackupSource = {
  /** As in the manifest. */
  readonly path: string;
  /** Where it is. */
  readonly file: string;
  /** A database of DuckDB: its chunks are its blocks, so that a block that did not change is the same chunk. */
  readonly isDatabase?: boolean;
};

/** Bytes of the headers and of a block of a DuckDB file. */
const [databaseHeaders, databaseBlock] = [3 * 4096, 262_144];

/** Bytes of a chunk of other files. */
const chunkSize = 2 ** 20;

export type Written = {
  readonly files: readonly BackupFile[];
  /** Bytes of all files. */
  readonly bytes: number;
  /** Bytes that the store did not have. */
  readonly newBytes: number;
};

/** Stores the files chunk by chunk in constant memory, without completing a backup. @throws faults of the store; the signal's reason */
export const storeFiles = async (
  store: BackupStore,
  sources: readonly BackupSource[],
  signal?: AbortSignal,
): Promise<Written> => {
  const files: BackupFile[] = [];
  const sum = { bytes: 0, newBytes: 0 };
  const buffer = Buffer.allocUnsafe(chunkSize);
  for (const { path, file, isDatabase = false } of sources) {
    const handle = await open(file, 'r');
    try {
      const { size, mode } = await handle.stat();
      const chunks: string[] = [];
      let length = 0;
      while (length < size) {
        signal?.throwIfAborted();
        const wanted = !isDatabase ? chunkSize : length === 0 ? databaseHeaders : databaseBlock;
        const { bytesRead } = await handle.read(buffer, 0, Math.min(wanted, size - length), length);
        if (bytesRead === 0) break;
        const { name, isNew } = await store.put(buffer.subarray(0, bytesRead));
        chunks.push(name);
        length += bytesRead;
        sum.bytes += bytesRead;
        if (isNew) sum.newBytes += bytesRead;
      }
      if (length !== size) throw fault('backup-source-changed', `${file} became shorter while it was read`);
      files.push({ path, size, mode: mode & 0o777, chunks });
    } finally {
      await handle.close();
    }
  }
  return { files, ...sum };
};
