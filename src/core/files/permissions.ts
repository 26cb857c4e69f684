import { chmod, stat } from 'node:fs/promises';
import { systemCode } from '../fault.ts';

const sticky = 0o1000;
const specialBits = 0o7000;
const permissionBits = 0o777;

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
