import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { fault, systemCode } from '../../core/index.ts';
import { unwritable } from './unwritable.ts';

type BuiltFile = { readonly name: string } & (
  | { readonly text: string }
  | { readonly base64: string }
  | { readonly gzip: string }
);

const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants;

/** Another user who can write the folder could lead a file elsewhere by a symbolic link. */
const flag = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK;

const contentOf = (file: BuiltFile): Readable => {
  if ('text' in file) return Readable.from([Buffer.from(file.text)]);
  if ('base64' in file) return Readable.from([Buffer.from(file.base64, 'base64')]);
  return Readable.from([Buffer.from(file.gzip, 'base64')]).pipe(createGunzip());
};

/** Writes files to a folder, which is created, and returns their paths. @throws fault path-unwritable */
export const writeFiles = async (out: string, files: readonly BuiltFile[]): Promise<readonly string[]> => {
  try {
    await mkdir(out, { recursive: true });
    const paths = files.map((file) => join(out, file.name));
    for (const file of files) {
      const handle = await open(join(out, file.name), flag, 0o666);
      // Closes the handle, in any case.
      await pipeline(contentOf(file), handle.createWriteStream());
    }
    return paths;
  } catch (error) {
    if (systemCode(error) !== 'ELOOP') throw unwritable(out, error);
    throw fault('path-unwritable', `a file in ${out} is a symbolic link, which is not followed`, {
      cause: error,
      advice: 'remove the link, or choose another folder with --out',
    });
  }
};
