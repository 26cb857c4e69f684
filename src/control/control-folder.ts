import { chmod, lstat, mkdir, rm } from 'node:fs/promises';
import { fault, isFault, messageOf, systemCode } from '../core/index.ts';

/** Permissions of everybody but the owner. */
const others = 0o077;

/**
 * Creates the folder of the socket with access for its owner only: anybody who can enter it can run commands.
 * @throws Fault control-folder-unsafe when it is not a folder or belongs to another user; path-unwritable
 */
export const makeControlFolder = async (path: string, user: number | undefined): Promise<void> => {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw unwritable(path, error);
  }
  try {
    const found = await lstat(path);
    if (!found.isDirectory()) throw fault('control-folder-unsafe', `${path} is not a folder`);
    if (user !== undefined && found.uid !== user)
      throw fault('control-folder-unsafe', `${path} belongs to another user (${found.uid}, not ${user})`);
    if ((found.mode & others) !== 0) await chmod(path, 0o700);
  } catch (error) {
    throw isFault(error) ? error : unwritable(path, error);
  }
};

/** Removes the socket of a killed daemon; the caller holds the daemon's lock, so no process listens on it. */
export const removeStaleSocket = async (path: string): Promise<void> => {
  await rm(path, { force: true }).catch((error: unknown) => {
    throw unwritable(path, error);
  });
};

const unwritable = (path: string, error: unknown): Error =>
  fault('path-unwritable', `${path} cannot be written (${systemCode(error) ?? messageOf(error)})`, {
    cause: error,
  });
