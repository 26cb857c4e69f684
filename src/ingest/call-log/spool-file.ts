import { mkdtemp, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fault, isDiskFull, isFault, systemCode, type Fault } from '../../core/index.ts';
import { spoolPrefix } from '../../warehouse/index.ts';

/** A file being written in the spool. */
export type SpoolFile = {
  readonly path: string;
  readonly append: (bytes: Uint8Array) => Promise<void>;
  readonly truncate: (length: number) => Promise<void>;
  readonly read: (start: number, end: number) => Promise<Buffer>;
  readonly close: () => Promise<void>;
};

/** Creates a new file, 0600; injected so that tests can simulate a full disk. */
export type OpenSpoolFile = (path: string) => Promise<SpoolFile>;

/** Fewer, larger writes: exports arrive in small chunks. */
const batchBytes = 1_048_576;

export const openSpoolFile: OpenSpoolFile = async (path) => {
  const handle = await open(path, 'wx+', 0o600);
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const flush = async (): Promise<void> => {
    if (waitingBytes === 0) return;
    const [batch, size] = [waiting, waitingBytes];
    waiting = [];
    waitingBytes = 0;
    const { bytesWritten } = await handle.writev(batch);
    if (bytesWritten < size) await handle.appendFile(Buffer.concat(batch, size).subarray(bytesWritten));
  };
  return {
    path,
    append: async (bytes) => {
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes >= batchBytes) await flush();
    },
    truncate: async (length) => {
      await flush();
      await handle.truncate(length);
    },
    read: async (start, end) => {
      await flush();
      const buffer = Buffer.alloc(end - start);
      let filled = 0;
      while (filled < buffer.length) {
        const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, start + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
    close: async () => {
      try {
        await flush();
      } finally {
        await handle.close();
      }
    },
  };
};

const unwritable: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR']);

/** The catalogue error of a file system error; passes on anything else. */
export const spoolFault = (error: unknown, folder: string): unknown => {
  if (isFault(error)) return error;
  const code = systemCode(error) ?? '';
  const spoolFault = (kind: 'disk-full' | 'path-unwritable', message: string): Fault =>
    fault(kind, `the spool folder ${folder} ${message} (${code})`, { cause: error });
  if (isDiskFull(error)) return spoolFault('disk-full', 'has no space left');
  return unwritable.has(code) ? spoolFault('path-unwritable', 'cannot be written') : error;
};

/** A separate folder in the spool, removed with its contents when it is disposed of. */
export type SpoolFolder = AsyncDisposable & { readonly path: string };

/** @throws faults disk-full, path-unwritable. */
export const makeSpoolFolder = async (spoolDirectory: string): Promise<SpoolFolder> => {
  try {
    const path = await mkdtemp(join(spoolDirectory, spoolPrefix));
    return { path, [Symbol.asyncDispose]: async () => rm(path, { recursive: true, force: true }) };
  } catch (error) {
    throw spoolFault(error, spoolDirectory);
  }
};

/** Runs the work with its own folder in the spool, and removes the folder in any case. */
export const inSpoolFolder = async <T>(
  spoolDirectory: string,
  work: (folder: string) => Promise<T>,
): Promise<T> => {
  await using folder = await makeSpoolFolder(spoolDirectory);
  return await work(folder.path);
};

/**
 * Writes a file beside a spooled one, and closes it however the work ends. Returns its path and the outcome of the work.
 * @throws faults of the spool, and what the work throws
 */
export const writeBeside = async <T>(
  { file }: { readonly file: string },
  name: string,
  openFile: OpenSpoolFile,
  work: (file: Pick<SpoolFile, 'append'>) => Promise<T>,
): Promise<{ readonly path: string; readonly outcome: T }> => {
  const folder = dirname(file);
  try {
    const written = await openFile(join(folder, name));
    try {
      return { path: written.path, outcome: await work(written) };
    } finally {
      await written.close();
    }
  } catch (error) {
    throw spoolFault(error, folder);
  }
};
