import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fault, syncPath, systemCode } from '../../core/index.ts';

const encoder = new TextEncoder();

/**
 * Encodes any name as a path part: all but letters, digits, `_` and `-` become %XX of UTF-8, as Hive path readers
 * expect.
 */
const encodePart = (name: string): string =>
  name.replaceAll(/[^A-Za-z0-9_-]/gu, (character) =>
    [...encoder.encode(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );

/** The folder of a month, relative to the archive folder. */
export const monthFolder = (account: string, month: string): string =>
  `account=${encodePart(account)}/month=${month}`;

/** The name is the hash of the bytes, so a file never replaces a different one. */
export const fileName = (sha256: string): string => `calls-${sha256}.parquet`;

/** The file while it is written; work on an account is serialized. */
export const draftName = 'calls.draft';

const pieceBytes = 1 << 20;

/** The SHA-256 of the bytes of a file, in hexadecimal. */
export const sha256Of = async (path: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { highWaterMark: pieceBytes }))
    hash.update(piece as Buffer);
  return hash.digest('hex');
};

/** Flushes the file to disk, not only to the cache. */
export const makeDurable = async (path: string): Promise<{ readonly bytes: number }> => {
  await syncPath(path);
  return { bytes: (await stat(path)).size };
};

/** Renames the draft to its final name, and flushes the folders up to and including `root` to disk. */
export const putInPlace = async (draft: string, path: string, root: string): Promise<void> => {
  await rename(draft, path);
  for (let folder = dirname(path); folder.length >= root.length; folder = dirname(folder))
    await syncPath(folder);
  // The archive folder itself may be new. Not every system allows flushing its parent.
  await syncPath(dirname(root)).catch(() => undefined);
};

export const removeFile = async (path: string): Promise<void> => rm(path, { force: true });

/** Identifies the file that was read before, without reading it again; undefined when it does not exist. */
const markOf = async (path: string): Promise<string | undefined> => {
  try {
    const { size, mtimeNs, ctimeNs, ino } = await stat(path, { bigint: true });
    return [size, mtimeNs, ctimeNs, ino].join(' ');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
    throw error;
  }
};

export type ArchiveFile = {
  readonly account: string;
  readonly month: string;
  /** Relative to the archive folder. */
  readonly file: string;
  readonly sha256: string;
};

/** Checks that the files are byte by byte as they were written. */
export type FileCheck = {
  /**
   * Describes what is wrong with the file; undefined when it is intact. `fresh` reads it even when it seems unchanged.
   */
  readonly damage: (file: ArchiveFile, fresh?: boolean) => Promise<string | undefined>;
  /** @throws fault archive-damaged. */
  readonly require: (file: ArchiveFile, fresh?: boolean) => Promise<void>;
};

/** Reads a file once per process, and again when its size, times or location changed. */
export const createFileCheck = (root: string): FileCheck => {
  const good = new Map<string, string>();
  const damage = async ({ file, sha256 }: ArchiveFile, fresh = false): Promise<string | undefined> => {
    const path = join(root, file);
    try {
      const mark = await markOf(path);
      if (mark === undefined) return 'is missing';
      const known = `${mark} ${sha256}`;
      if (!fresh && good.get(file) === known) return undefined;
      good.delete(file);
      if ((await sha256Of(path)) !== sha256) return 'does not match its checksum';
      good.set(file, known);
      return undefined;
    } catch (error) {
      return `cannot be read (${systemCode(error) ?? 'unknown'})`;
    }
  };
  return {
    damage,
    require: async (file, fresh) => {
      const message = await damage(file, fresh);
      if (message !== undefined) throw damagedArchive([{ ...file, damage: message }], root);
    },
  };
};

export type DamagedFile = ArchiveFile & { readonly damage: string };

export const damagedArchive = (files: readonly DamagedFile[], root: string) =>
  fault(
    'archive-damaged',
    files
      .map(
        ({ account, month, file, damage }) =>
          `the archive of ${account} for ${month} ${damage}: ${join(root, file)}`,
      )
      .join('; '),
  );
