import { constants } from 'node:fs';
import type { Stats } from 'node:fs';
import { access, lstat, open, readFile, realpath, rename, stat, unlink } from 'node:fs/promises';
import { syncPath } from '../../core/index.ts';

/** The file system as far as sinks use it. */
export type SinkFiles = {
  readonly access: (path: string, mode: number) => Promise<void>;
  readonly lstat: (path: string) => Promise<Stats>;
  readonly stat: (path: string) => Promise<Stats>;
  readonly open: (path: string, flags: number, mode: number) => ReturnType<typeof open>;
  readonly readFile: (path: string) => Promise<Buffer>;
  readonly realpath: (path: string) => Promise<string>;
  readonly rename: (from: string, to: string) => Promise<void>;
  readonly unlink: (path: string) => Promise<void>;
  readonly sync: (path: string) => Promise<void>;
  /** User that the process works as; nothing where the system has no such number. */
  readonly uid: () => number | undefined;
  /** Groups that the process is in. */
  readonly groups: () => readonly number[];
};

export const systemFiles: SinkFiles = {
  access,
  lstat: (path) => lstat(path),
  stat: (path) => stat(path),
  open: (path, flags, mode) => open(path, flags, mode),
  readFile: (path) => readFile(path),
  realpath: (path) => realpath(path),
  rename,
  unlink,
  sync: syncPath,
  uid: () => process.geteuid?.(),
  groups: () => [process.getegid?.() ?? -1, ...(process.getgroups?.() ?? [])],
};

/** To be made again, never through a link that somebody put there. */
export const createNew = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
