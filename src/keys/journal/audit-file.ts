import { createReadStream } from 'node:fs';
import { open, mkdir, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fault, messageOf, syncPath, systemCode } from '../../base/index.ts';

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

/** The last whole line; nothing where there is none. */
export const lastAuditLine = async (path: string): Promise<string | undefined> => {
  const { wholeBytes } = await lookAtTail(path);
  if (wholeBytes === 0) return undefined;
  const handle = await open(path, 'r');
  try {
    let line = Buffer.alloc(0);
    for (let end = wholeBytes - 1; end > 0;) {
      const start = Math.max(0, end - 64 * 1024);
      const piece = Buffer.alloc(end - start);
      await handle.read(piece, 0, piece.length, start);
      const at = piece.lastIndexOf(newline);
      line = Buffer.concat([piece.subarray(at + 1), line]);
      if (at >= 0) break;
      end = start;
    }
    return line.toString('utf8');
  } finally {
    await handle.close();
  }
};

/** Takes away a line that a crash cut off: what it was to tell has not been done, since its write never ended. */
export const cutTornLine = async (path: string): Promise<boolean> => {
  const { wholeBytes, torn } = await lookAtTail(path);
  if (!torn) return false;
  await truncate(path, wholeBytes);
  await syncPath(path);
  return true;
};

const failed = (path: string, error: unknown): never => {
  const code = systemCode(error);
  throw fault(
    code === 'ENOSPC' || code === 'EDQUOT' ? 'disk-full' : 'path-unwritable',
    `the audit file ${path} cannot be written (${code ?? messageOf(error)}): no step is taken on a key`,
    { cause: error },
  );
};

/** Adds lines at the end; they are on the disk when it returns. @throws Fault disk-full, path-unwritable */
export const appendAuditLines = async (path: string, lines: readonly string[]): Promise<void> => {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const { wholeBytes, torn } = await lookAtTail(path);
    // What a failed write left, and could not take back.
    if (torn) await cutTornLine(path);
    const isNew = wholeBytes === 0;
    const handle = await open(path, 'a', 0o600);
    try {
      try {
        await handle.appendFile(lines.map((line) => `${line}\n`).join(''));
        await handle.sync();
      } catch (error) {
        // Half a line must not stand before the next one.
        await handle.truncate(wholeBytes);
        throw error;
      }
    } finally {
      await handle.close();
    }
    if (isNew) await syncPath(dirname(path));
  } catch (error) {
    failed(path, error);
  }
};
