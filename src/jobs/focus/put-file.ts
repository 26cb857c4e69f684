import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { fault, messageOf, syncPath, systemCode } from '../../core/index.ts';
import type { PutFile } from './export-focus.ts';

/** A file of an export. */
export type ExportedFile = {
  readonly name: string;
  readonly bytes: number;
  readonly content: () => Promise<Buffer>;
};

/** A file of an export as it is passed to a command; gzip in base64. */
export type CompressedFile = { readonly name: string; readonly gzip: string };

/**
 * Writes files into a folder, each beside its place and then into it: a reader finds a whole file, of this export or of the one before.
 * @throws faults disk-full, path-unwritable
 */
export const fileIn =
  (folder: string): PutFile<ExportedFile> =>
  async (name, pieces) => {
    const path = join(folder, name);
    const draft = join(folder, `.${name}.partial`);
    try {
      await mkdir(folder, { recursive: true });
      // Nothing that lies in its place is followed or kept.
      await rm(draft, { force: true });
      await pipeline(pieces, createWriteStream(draft, { flags: 'wx' }));
      await syncPath(draft);
      await rename(draft, path);
      await syncPath(folder);
      const { size } = await stat(path);
      return { name, bytes: size, content: async () => readFile(path) };
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      if (systemCode(error) === undefined) throw error;
      throw fault(
        systemCode(error) === 'ENOSPC' ? 'disk-full' : 'path-unwritable',
        `${path} cannot be written: ${messageOf(error)}`,
        {
          cause: error,
          advice: 'make the folder writable for Tollkeeper, or set another one as `folder` of the job',
        },
      );
    }
  };

export const inMemory: PutFile<ExportedFile> = async (name, pieces) => {
  const content = await buffer(Readable.from(pieces));
  return { name, bytes: content.length, content: () => Promise.resolve(content) };
};

/** For the line to a command: a table of a million rows is a few percent of its size. Base64. */
export const compressed: PutFile<CompressedFile> = async (name, pieces) => {
  const gzip = createGzip({ level: 1 });
  const [content] = await Promise.all([buffer(gzip), pipeline(pieces, gzip)]);
  return { name, gzip: content.toString('base64') };
};
