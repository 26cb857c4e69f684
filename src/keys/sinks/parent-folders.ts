import type { Stats } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { systemCode } from '../../core/index.ts';
import { refused } from './sink-faults.ts';
import type { SinkFiles } from './sink-files.ts';

type Parent = { readonly path: string; readonly stats: Stats };

/** The folder of a file without symbolic links, and everything on the path to it; `folder` if it exists. */
export type Parents = {
  readonly path: string;
  readonly folder?: Stats | undefined;
  readonly passed: readonly Parent[];
};

/** The limit of Linux. */
const mostLinks = 40;

const partsOf = (path: string): readonly string[] => path.split('/').filter((part) => part !== '');

/** Resolves the path from the root and follows symbolic links itself, so that each step can be checked. */
export const findParents = async (folder: string, files: SinkFiles): Promise<Parents> => {
  const root = await files.lstat('/');
  const passed: Parent[] = [{ path: '/', stats: root }];
  let [path, current, links] = ['/', root, 0];
  let left = partsOf(folder);
  for (let name = left[0]; name !== undefined; name = left[0]) {
    left = left.slice(1);
    const next = name === '..' ? dirname(path) : join(path, name);
    let stats: Stats;
    try {
      stats = await files.lstat(next);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      return { path: join(next, ...left), passed };
    }
    passed.push({ path: next, stats });
    if (stats.isSymbolicLink()) {
      links += 1;
      if (links > mostLinks)
        throw refused(`${folder} has too many symbolic links`, { advice: 'use a path without links' });
      const target = await files.readlink(next);
      if (isAbsolute(target)) path = '/';
      left = [...partsOf(target), ...left];
      continue;
    }
    [path, current] = [next, stats];
  }
  return { path, folder: current, passed };
};

const [byGroup, byOthers, sticky] = [0o020, 0o002, 0o1000];

const isOpenToAll = ({ mode }: Stats): boolean => (mode & byOthers) !== 0;

const checkOwner = (file: string, { path, stats }: Parent, owners: ReadonlySet<number>): void => {
  if (owners.has(stats.uid)) return;
  const what = stats.isSymbolicLink() ? 'the symbolic link' : 'the folder';
  const others = [...owners].join(' or ');
  throw refused(`${file}: ${what} ${path} belongs to user ${stats.uid}, who can redirect the key elsewhere`, {
    advice: `use a path whose folders and links belong to user ${others}, or change the owner of ${path}`,
  });
};

const checkWriters = (file: string, { path, stats }: Parent, groups: ReadonlySet<number>): void => {
  // The permissions of a link have no effect; in a sticky folder only owners remove or rename entries.
  if (stats.isSymbolicLink() || (stats.mode & sticky) !== 0) return;
  if (isOpenToAll(stats))
    throw refused(`${file}: all users can write to the folder ${path} and redirect the key elsewhere`, {
      advice: `remove the permission: chmod o-w ${path}`,
    });
  if ((stats.mode & byGroup) !== 0 && !groups.has(stats.gid))
    throw refused(
      `${file}: group ${stats.gid} can write to the folder ${path} and redirect the key elsewhere`,
      {
        advice: `remove the permission: chmod g-w ${path}; or add the user Tollkeeper runs as to the group`,
      },
    );
};

/**
 * Each folder and link on the path must belong to root or to the user of the process, so that no other user can redirect the write. For a
 * process of root, they may also belong to the owner of the file, who can read the key anyway. @throws Fault sink-refused
 */
export const checkParents = (
  file: string,
  { folder, passed }: Parents,
  target: Stats | undefined,
  files: SinkFiles,
): void => {
  const uid = files.uid();
  if (uid === undefined) return;
  const owners = new Set([0, uid]);
  const groups = new Set([0, ...files.groups()]);
  // In a folder such as /tmp, anybody can have created the file to receive the key.
  if (target !== undefined && !owners.has(target.uid) && folder !== undefined && isOpenToAll(folder))
    throw refused(`${file} belongs to user ${target.uid}, in a folder where all users can create files`, {
      advice: 'use a folder that belongs to the owner of the file',
    });
  if (uid === 0 && target !== undefined) {
    owners.add(target.uid);
    groups.add(target.gid);
  }
  for (const parent of passed) {
    checkOwner(file, parent, owners);
    checkWriters(file, parent, groups);
  }
};
