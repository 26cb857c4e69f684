import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fault, systemCode } from '../core/index.ts';

/** Whether a path is the folder or lies in it. */
export const isWithin = (folder: string, inner: string): boolean =>
  !/^\.\.(\/|$)/.test(relative(folder, inner));

/** The real path of what exists, with the rest of the path as it is written. */
const resolved = async (path: string): Promise<string> => {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return join(await resolved(dirname(path)), basename(path));
  }
};

/** Symbolic links are followed. @throws fault backup-inside when the target lies in a folder that is backed up. */
export const checkTarget = async (target: string, backedUp: readonly string[]): Promise<void> => {
  const wanted = await resolved(target);
  for (const folder of backedUp)
    if (isWithin(await resolved(folder), wanted))
      throw fault(
        'backup-inside',
        `${target} lies in ${folder}, which is backed up and lost together with it`,
      );
};

/** Whether a backup there is one file: by what is there, else by the name. */
export const isFileTarget = async (target: string): Promise<boolean> => {
  try {
    return !(await stat(target)).isDirectory();
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return /\.(tar|age)$/.test(target);
  }
};
