import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fault, systemCode } from '../../core/index.ts';
import { isWithin, type Paths } from '../paths.ts';

/** The real path of what exists, with the rest of the path as it is written. */
const resolved = async (path: string): Promise<string> => {
  try {
    return await realpath(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return join(await resolved(dirname(path)), basename(path));
  }
};

/** @throws fault backup-inside when the target lies in a folder that is backed up. */
export const checkTarget = async (target: string, paths: Paths): Promise<void> => {
  const wanted = await resolved(target);
  for (const folder of [dirname(paths.path), paths.archiveDirectory])
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
