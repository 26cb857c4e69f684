import { createReadStream } from 'node:fs';
import { open, mkdir, rename, rm, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import {
  fault,
  isDiskFull,
  isFault,
  messageOf,
  syncPath,
  systemCode,
  writeThrough,
} from '../../core/index.ts';
import { readLine, type AuditHead } from './audit-line.ts';

/** The end of the last complete line in bytes; any further bytes (`torn`) are a line that a crash interrupted. */
export type AuditTail = { readonly wholeBytes: number; readonly torn: boolean };

const isMissing = (error: unknown): boolean => systemCode(error) === 'ENOENT';

const newline = 0x0a;

/** Finds the end of the last complete line. A missing file is empty. */
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

/** The complete lines of the file, oldest first; none if the file is missing. */
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

export const firstAuditLine = async (path: string): Promise<string | undefined> => {
  for await (const line of readAuditLines(path)) return line;
  return undefined;
};

/** The line whose newline is the byte before `end`; undefined if no line ends there. */
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

export const lastAuditLine = async (path: string): Promise<string | undefined> => {
  const { wholeBytes } = await lookAtTail(path);
  return wholeBytes === 0 ? undefined : lineEndingAt(path, wholeBytes);
};

export const cutAuditFile = async (path: string, bytes: number): Promise<void> => {
  await truncate(path, bytes);
  await syncPath(path);
};

/** Removes an incomplete last line: its step never took effect, because a step waits for its line to be on disk. */
export const cutTornLine = async (path: string): Promise<boolean> => {
  const { wholeBytes, torn } = await lookAtTail(path);
  if (!torn) return false;
  await cutAuditFile(path, wholeBytes);
  return true;
};

/** Converts file system errors to faults. @throws Fault disk-full, path-unwritable */
export const asAuditFault = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (isFault(error)) throw error;
    const code = systemCode(error);
    throw fault(
      isDiskFull(error) ? 'disk-full' : 'path-unwritable',
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
 * Appends lines and syncs them to disk; returns the size in bytes. After a failure some lines may remain complete. @throws Fault disk-full,
 * path-unwritable
 */
export const appendAuditLines = (path: string, lines: readonly string[]): Promise<number> =>
  asAuditFault(path, async () => {
    await makeFolder(path);
    const { wholeBytes, torn } = await lookAtTail(path);
    // A failed write may have left an incomplete line that it could not remove.
    if (torn) await cutTornLine(path);
    const added = Buffer.from(textOf(lines));
    const handle = await open(path, 'a', 0o600);
    try {
      try {
        await handle.appendFile(added);
        await handle.sync();
      } catch (error) {
        // An incomplete line must not precede the next one.
        await handle.truncate(wholeBytes);
        throw error;
      }
    } finally {
      await handle.close();
    }
    if (wholeBytes === 0) await syncPath(dirname(path));
    return wholeBytes + added.length;
  });

/** Replaces the file atomically and returns its size in bytes. @throws Fault disk-full, path-unwritable */
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

export const asideOf = (path: string): string => `${path}.replaced`;

/** Renames a file that does not end with the last step, keeping one such file. Returns whether it did. */
export const setAside = async (path: string, last: AuditHead): Promise<boolean> => {
  const text = await lastAuditLine(path);
  const line = text === undefined ? undefined : readLine(text);
  if (line === undefined || (typeof line !== 'string' && line.seq === last.seq && line.hash === last.hash))
    return false;
  await rename(path, asideOf(path));
  await syncPath(dirname(path));
  return true;
};
