import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { fault, messageOf, syncPath, systemCode } from '../../core/index.ts';
import type { PutFile } from './export-focus.ts';

/**
 * Writes files into a folder, each beside its place and then into it: a reader finds a whole file, of this export or of the one before.
 * @throws faults disk-full, path-unwritable
 */
export const fileIn =
  (folder: string): PutFile<{ readonly path: string }> =>
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
      return { path };
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

export const inMemory: PutFile<{ readonly name: string; readonly content: Buffer }> = async (
  name,
  pieces,
) => ({
  name,
  content: await buffer(Readable.from(pieces)),
});

/** For the line to a command: a table of a million rows is a few percent of its size. Base64. */
export const compressed: PutFile<{ readonly name: string; readonly gzip: string }> = async (name, pieces) => {
  const gzip = createGzip({ level: 1 });
  const [content] = await Promise.all([buffer(gzip), pipeline(pieces, gzip)]);
  return { name, gzip: content.toString('base64') };
};
