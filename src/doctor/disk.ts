import { mkdtemp, rmdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fault, isDiskFull, messageOf, openToAll, shellWord, systemCode } from '../core/index.ts';
import type { DoctorCheck } from './doctor-view.ts';
import { failed, passed } from './results.ts';
import type { DoctorPaths } from './deps.ts';

/** Bytes; a large window needs this much space in the spool. */
const leastFree = 500_000_000;

export const describeSize = (bytes: number): string =>
  bytes < 1_000_000_000 ? `${Math.floor(bytes / 1_000_000)} MB` : `${(bytes / 1_000_000_000).toFixed(1)} GB`;

/** The folder or its nearest existing ancestor, in which it is created when needed. */
const nearestFolder = async (path: string): Promise<string> => {
  try {
    await stat(path);
    return path;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' || dirname(path) === path) throw error;
    return nearestFolder(dirname(path));
  }
};

/** Writes to a folder as a run would, and checks the free space; leaves nothing behind. */
const checkFolder = async (name: string, path: string): Promise<DoctorCheck> => {
  const about = `${name} folder`;
  try {
    const folder = await nearestFolder(path);
    await rmdir(await mkdtemp(join(folder, '.doctor-')));
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    if (free < leastFree)
      return failed(
        about,
        fault('disk-full', `${path} has ${describeSize(free)} free, less than ${describeSize(leastFree)}`),
      );
    const made = folder === path ? 'writable' : 'created when needed';
    return passed(about, `${path}, ${made}, ${describeSize(free)} free`);
  } catch (error) {
    const code = systemCode(error) ?? messageOf(error);
    return failed(
      about,
      fault(isDiskFull(error) ? 'disk-full' : 'path-unwritable', `${path} cannot be written (${code})`, {
        cause: error,
      }),
    );
  }
};

/** `backups` are the folders of backup jobs, by job. */
export const checkDisk = async (
  paths: DoctorPaths,
  backups: Readonly<Record<string, string>> = {},
): Promise<readonly DoctorCheck[]> => {
  const folders = [
    ['data', dirname(paths.path)],
    ['spool', paths.spoolDirectory],
    ['outbox', paths.outboxDirectory],
    ['reports', paths.reportsDirectory],
    ['archive', paths.archiveDirectory],
    ['temp', paths.tempDirectory],
    ...Object.entries(backups).map(([job, folder]) => [`backup (${job})`, folder] as const),
  ] as const;
  return Promise.all(folders.map(async ([name, path]) => checkFolder(name, path)));
};

/** Who can write the configuration can read the secrets that it refers to. */
export const checkPermissions = async (folder: string): Promise<readonly DoctorCheck[]> =>
  (await openToAll(folder)).map((path) => ({
    about: 'configuration',
    state: 'warning',
    message: `every user of this machine can write ${path}`,
    advice: `run chmod o-w ${shellWord(path)}`,
  }));
