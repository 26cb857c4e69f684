import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isThere, type Log } from '../core/index.ts';

/** Prefix of the folders of running exports in the spool folder; the warehouse deletes those left by a crash. */
export const spoolPrefix = 'export-';

/** Removes what runs that were cut off have left. No other process may work in the folder. */
export const clearSpool = async (folder: string, log: Log): Promise<void> => {
  if (!(await isThere(folder))) return;
  const left = (await readdir(folder)).filter((name) => name.startsWith(spoolPrefix));
  for (const name of left) {
    await rm(join(folder, name), { recursive: true, force: true });
    log.info('removed an export left in the spool by an interrupted run', { name });
  }
};
