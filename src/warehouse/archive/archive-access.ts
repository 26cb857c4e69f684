import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setPermissions, systemCode } from '../../core/index.ts';

/** Who reads the archive besides its owner: the group of its folder, or nobody. */
export type ArchiveReader = 'owner' | 'group';

const permissions = {
  owner: { folder: 0o700, file: 0o600 },
  group: { folder: 0o750, file: 0o640 },
} as const;

export const setFileAccess = (path: string, reader: ArchiveReader): Promise<boolean> =>
  setPermissions(path, permissions[reader].file);

/** Sets the permissions of a folder of the archive and of the folders above it, up to and including `root`. */
export const setFolderAccess = async (
  root: string,
  parts: readonly string[],
  reader: ArchiveReader,
): Promise<void> => {
  for (let depth = parts.length; depth >= 0; depth -= 1)
    await setPermissions(join(root, ...parts.slice(0, depth)), permissions[reader].folder);
};

const entriesOf = async (folder: string) => {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(systemCode(error) ?? '')) return [];
    throw error;
  }
};

const isPart = (name: string): boolean => name.startsWith('account=') || name.startsWith('month=');

/** Sets the permissions of everything that the archive holds, such as files of an older version. */
export const setArchiveAccess = async (folder: string, reader: ArchiveReader): Promise<void> => {
  for (const entry of await entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && isPart(entry.name)) await setArchiveAccess(path, reader);
    else if (entry.isFile() && entry.name.startsWith('calls')) await setFileAccess(path, reader);
  }
  await setPermissions(folder, permissions[reader].folder);
};
