import { constants, type Stats } from 'node:fs';
import { access, lstat, open, readFile, readlink, rename, unlink } from 'node:fs/promises';
import { systemCode } from '../../core/index.ts';

export type SinkFiles = {
  readonly access: (path: string, mode: number) => Promise<void>;
  readonly lstat: (path: string) => Promise<Stats>;
  readonly readlink: (path: string) => Promise<string>;
  readonly open: (path: string, flags: number, mode: number) => ReturnType<typeof open>;
  /** For files of the kernel. */
  readonly readFile: (path: string) => Promise<Buffer>;
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly unlink: (path: string) => Promise<void>;
  readonly sync: (path: string) => Promise<void>;
  /** The user id of the process; undefined on systems without one. */
  readonly uid: () => number | undefined;
  readonly groups: () => readonly number[];
};

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Does not follow a link at the end of the path, and does not wait for the writer of a FIFO. */
export const readExisting = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

/** Always creates a file, never through a link that somebody prepared. */
export const createNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

export const systemFiles: SinkFiles = {
  access,
  lstat: (path) => lstat(path),
  readlink: (path) => readlink(path),
  open: (path, flags, mode) => open(path, flags, mode),
  readFile: (path) => readFile(path),
  rename,
  unlink,
  sync: async (path) => {
    await using handle = await open(path, readExisting);
    await handle.sync();
  },
  uid: () => process.geteuid?.(),
  groups: () => [process.getegid?.() ?? -1, ...(process.getgroups?.() ?? [])],
};

export const removeIfThere = async (path: string, files: SinkFiles): Promise<void> => {
  try {
    await files.unlink(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
};
