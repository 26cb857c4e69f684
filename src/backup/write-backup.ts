import type { Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { fault, systemCode } from '../core/index.ts';
import type { BackupFile } from './manifest.ts';
import type { BackupStore } from './store.ts';

/** A file to back up. */
export type BackupSource = {
  /** As in the manifest. */
  readonly path: string;
  /** Where it is; an open file is left open. */
  readonly file: string | FileHandle;
  /** A database of DuckDB: its chunks are its blocks, so that a block that did not change is the same chunk. */
  readonly isDatabase?: boolean;
  /** The file at the moment of the backup. If omitted, nothing may write it meanwhile. */
  readonly expected?: Stats;
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
  /** The chunks that the store did not have. */
  readonly newChunks: readonly string[];
};

const changed = (path: string, how: string) =>
  fault('backup-source-changed', `${path} ${how} while it was backed up`);

/** Whether both are the same content: files of Tollkeeper are replaced by renaming, never rewritten. */
const isSame = (one: Stats, other: Stats): boolean =>
  one.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs;

const openSource = async ({ path, file }: BackupSource): Promise<FileHandle> => {
  if (typeof file !== 'string') return file;
  return await open(file, 'r').catch((error: unknown) => {
    throw systemCode(error) === 'ENOENT' ? changed(path, 'was removed') : error;
  });
};

/**
 * Stores the files chunk by chunk in constant memory, without completing a backup; `onBytes` gets the bytes of each chunk.
 * @throws faults of the store, backup-source-changed; the signal's reason
 */
export const storeFiles = async (
  store: BackupStore,
  sources: readonly BackupSource[],
  signal?: AbortSignal,
  onBytes?: (bytes: number) => void,
): Promise<Written> => {
  const files: BackupFile[] = [];
  const newChunks: string[] = [];
  const sum = { bytes: 0, newBytes: 0 };
  const buffer = Buffer.allocUnsafe(chunkSize);
  for (const source of sources) {
    const { path, file, isDatabase = false, expected } = source;
    const handle = await openSource(source);
    try {
      const stats = await handle.stat();
      if (expected !== undefined && !isSame(stats, expected)) throw changed(path, 'was replaced');
      const chunks: string[] = [];
      let length = 0;
      while (length < stats.size) {
        signal?.throwIfAborted();
        const wanted = !isDatabase ? chunkSize : length === 0 ? databaseHeaders : databaseBlock;
        const { bytesRead } = await handle.read(buffer, 0, Math.min(wanted, stats.size - length), length);
        if (bytesRead === 0) throw changed(path, 'became shorter');
        const { name, isNew } = await store.put(buffer.subarray(0, bytesRead));
        chunks.push(name);
        length += bytesRead;
        sum.bytes += bytesRead;
        if (isNew) {
          sum.newBytes += bytesRead;
          newChunks.push(name);
        }
        onBytes?.(bytesRead);
      }
      files.push({ path, size: stats.size, mode: stats.mode & 0o777, chunks });
    } finally {
      if (handle !== file) await handle.close();
    }
  }
  return { files, ...sum, newChunks };
};
