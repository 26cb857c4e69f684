import { access, chmod, constants, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../fault.ts';

const sticky = 0o1000;
const specialBits = 0o7000;
const permissionBits = 0o777;
const writableByAll = 0o002;

/** What a path without an owner of ours, or a file system without permissions, answers to a change of them. */
const ignored: readonly string[] = ['ENOENT', 'ENOTDIR', 'EPERM', 'EACCES', 'EROFS', 'ENOTSUP', 'ENOSYS'];

/**
 * Sets permission bits such as 0o600 whatever the umask is, and corrects those that an older version has set. Returns
 * whether they are set: not for what is missing, what belongs to another user, and folders shared by all users (`/tmp`).
 */
export const setPermissions = async (path: string, bits: number): Promise<boolean> => {
  try {
    const { mode, uid } = await stat(path);
    if ((mode & permissionBits) === bits) return true;
    if ((process.getuid?.() ?? uid) !== uid || (mode & sticky) !== 0) return false;
    // The set-group-ID bit stays: it decides the group of new files.
    await chmod(path, (mode & specialBits) | bits);
    return true;
  } catch (error) {
    if (ignored.includes(systemCode(error) ?? '')) return false;
    throw error;
  }
};

const isOpenToAll = async (path: string): Promise<boolean> => {
  const mode = await stat(path).then(
    (stats) => stats.mode,
    () => 0,
  );
  if ((mode & writableByAll) === 0 || (mode & sticky) !== 0) return false;
  // The folder of a ConfigMap or Secret of Kubernetes has mode 0777 on a read-only mount.
  return access(path, constants.W_OK).then(
    () => true,
    (error: unknown) => systemCode(error) !== 'EROFS',
  );
};

/**
 * The folder, its folders and the files in them that every user of the machine can write; a shared folder such as `/tmp`
 * protects what is in it. Missing and unreadable paths and read-only mounts are left out.
 */
export const openToAll = async (folder: string): Promise<readonly string[]> => {
  const entries = await readdir(folder, { recursive: true }).catch((): string[] => []);
  const paths = [folder, ...entries.toSorted().map((entry) => join(folder, entry))];
  const open = await Promise.all(paths.map(isOpenToAll));
  return paths.filter((_, at) => open[at]);
};
