import { createReadStream } from 'node:fs';
import { open, mkdir, rename, rm, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fault, isFault, messageOf, syncPath, systemCode, writeThrough } from '../../core/index.ts';

/** The file's whole lines, oldest first, and where they end; bytes after that are a line that a crash cut off. */
export type AuditTail = { readonly wholeBytes: number; readonly torn: boolean };

const isMissing = (error: unknown): boolean => systemCode(error) === 'ENOENT';

const newline = 0x0a;

/** Looks where the last whole line ends. A file that is not there holds nothing. */
export const lookAtTail = async (path: string): Promise<AuditTail> => {
  const handle = await open(path, 'r').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (handle === undefined) return { wholeBytes: 0, torn: false };
  try {
    const { size } = await handle.stat();
    const piece = Buffer.alloc(64 * 1024);
    for (let end = size; end > 0;) {
      const start = Math.max(0, end - piece.length);
      const { bytesRead } = await handle.read(piece, 0, end - start, start);
      const at = piece.subarray(0, bytesRead).lastIndexOf(newline);
      if (at >= 0) return { wholeBytes: start + at + 1, torn: start + at + 1 < size };
      end = start;
    }
    return { wholeBytes: 0, torn: size > 0 };
  } finally {
    await handle.close();
  }
};

/** The whole lines of the file, oldest first; nothing where there is none. */
export async function* readAuditLines(path: string): AsyncGenerator<string, void, undefined> {
  const { wholeBytes } = await lookAtTail(path);
  if (wholeBytes === 0) return;
  const stream = createReadStream(path, { encoding: 'utf8', end: wholeBytes - 1 });
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }))
      yield line;
  } finally {
    stream.destroy();
  }
}

/** The first whole line; nothing where there is none. */
export const firstAuditLine = async (path: string): Promise<string | undefined> => {
  for await (const line of readAuditLines(path)) return line;
  return undefined;
};

/** The line whose break is the byte before `end`; nothing where no line ends there. */
export const lineEndingAt = async (path: string, end: number): Promise<string | undefined> => {
  const handle = await open(path, 'r');
  try {
    const last = Buffer.alloc(1);
    const { bytesRead } = await handle.read(last, 0, 1, end - 1);
    if (bytesRead === 0 || last[0] !== newline) return undefined;
    let line = Buffer.alloc(0);
    for (let to = end - 1; to > 0;) {
      const start = Math.max(0, to - 64 * 1024);
      const piece = Buffer.alloc(to - start);
      await handle.read(piece, 0, piece.length, start);
      const at = piece.lastIndexOf(newline);
      line = Buffer.concat([piece.subarray(at + 1), line]);
      if (at >= 0) break;
      to = start;
    }
    return line.toString('utf8');
  } finally {
    await handle.close();
  }
};

/** The last whole line; nothing where there is none. */
export const lastAuditLine = async (path: string): Promise<string | undefined> => {
  const { wholeBytes } = await lookAtTail(path);
  return wholeBytes === 0 ? undefined : lineEndingAt(path, wholeBytes);
};

/** Takes away whatever stands behind a byte. */
export const cutAuditFile = async (path: string, bytes: number): Promise<void> => {
  await truncate(path, bytes);
  await syncPath(path);
};

/** Takes away a line that a crash cut off: what it was to tell has not been done, since its write never ended. */
export const cutTornLine = async (path: string): Promise<boolean> => {
  const { wholeBytes, torn } = await lookAtTail(path);
  if (!torn) return false;
  await cutAuditFile(path, wholeBytes);
  return true;
};

/** Whatever a file system refuses ends as a fault. @throws Fault disk-full, path-unwritable */
export const asAuditFault = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (isFault(error)) throw error;
    const code = systemCode(error);
    throw fault(
      code === 'ENOSPC' || code === 'EDQUOT' ? 'disk-full' : 'path-unwritable',
      `the audit file ${path} cannot be written (${code ?? messageOf(error)}): key operations are suspended`,
      { cause: error },
    );
  }
};

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

const makeFolder = async (path: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
};

/**
 * Adds lines at the end; they are on the disk when it returns, and the file has so many bytes then. After a failure some of
 * them may stand there whole. @throws Fault disk-full, path-unwritable
 */
export const appendAuditLines = (path: string, lines: readonly string[]): Promise<number> =>
  asAuditFault(path, async () => {
    await makeFolder(path);
    const { wholeBytes, torn } = await lookAtTail(path);
    // What a failed write left, and could not take back.
    if (torn) await cutTornLine(path);
    const added = Buffer.from(textOf(lines));
    const handle = await open(path, 'a', 0o600);
    try {
      try {
        await handle.appendFile(added);
        await handle.sync();
      } catch (error) {
        // Half a line must not stand before the next one.
        await handle.truncate(wholeBytes);
        throw error;
      }
    } finally {
      await handle.close();
    }
    if (wholeBytes === 0) await syncPath(dirname(path));
    return wholeBytes + added.length;
  });

/** Puts a whole file in place, or none; gives its bytes. @throws Fault disk-full, path-unwritable */
export const replaceAuditFile = (path: string, lines: readonly string[]): Promise<number> =>
  asAuditFault(path, async () => {
    await makeFolder(path);
    const content = Buffer.from(textOf(lines));
    const beside = `${path}.new`;
    try {
      await writeThrough(beside, content);
      await rename(beside, path);
    } catch (error) {
      await rm(beside, { force: true }).catch(() => undefined);
      throw error;
    }
    await syncPath(dirname(path));
    return content.length;
  });
