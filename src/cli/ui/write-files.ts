import { constants } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fault, systemCode } from '../../core/index.ts';
import { unwritable } from './unwritable.ts';

type BuiltFile = { readonly name: string } & ({ readonly text: string } | { readonly base64: string });

const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants;

/** Another user who can write the folder could lead a file elsewhere by a symbolic link. */
const flag = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK;

/** Writes files to a folder, which is created, and returns their paths. @throws fault path-unwritable */
export const writeFiles = async (out: string, files: readonly BuiltFile[]): Promise<readonly string[]> => {
  try {
    await mkdir(out, { recursive: true });
    const paths = files.map((file) => join(out, file.name));
    for (const file of files)
      await writeFile(join(out, file.name), 'text' in file ? file.text : Buffer.from(file.base64, 'base64'), {
        flag,
      });
    return paths;
  } catch (error) {
    if (systemCode(error) !== 'ELOOP') throw unwritable(out, error);
    throw fault('path-unwritable', `a file in ${out} is a symbolic link, which is not followed`, {
      cause: error,
      advice: 'remove the link, or choose another folder with --out',
    });
  }
};
