import { constants, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hasCode, messageOf, systemCode } from '../../core/index.ts';
import type { SinkProblem } from '../model/sink.ts';
import { checkParents, findParents, type Parents } from './parent-folders.ts';
import { fileFault, refused } from './sink-faults.ts';
import { createNew, readExisting, removeIfThere, type SinkFiles } from './sink-files.ts';

/** The file to write. Its facts come from the open descriptor, not from the path. */
export type FileTarget = {
  /** Without symbolic links. */
  readonly path: string;
  readonly folder?: Stats | undefined;
  readonly stats?: Stats | undefined;
  /** Undefined if the file is too large or cannot be read; `unreadable` then has the cause. */
  readonly content?: Buffer | undefined;
  readonly unreadable?: unknown;
};

const sizeLimit = 1024 * 1024;

type Handle = Awaited<ReturnType<SinkFiles['open']>>;

const openFile = async (path: string, files: SinkFiles): Promise<Handle | { error: unknown } | undefined> => {
  try {
    return await files.open(path, readExisting, 0);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (systemCode(error) === 'ELOOP')
      throw refused(`${path} is a symbolic link`, {
        advice: 'use the path of the file that the link leads to, or remove the link',
      });
    // A socket, or a device without a driver.
    if (systemCode(error) === 'ENXIO' || systemCode(error) === 'ENODEV') throw notRegular(path);
    if (systemCode(error) === 'EACCES') return { error };
    throw error;
  }
};

const notRegular = (path: string) =>
  refused(`${path} is not a regular file`, { advice: 'use the path of a regular file' });

/** @throws Fault sink-refused for anything but a regular file, and if others can decide which file it is */
const judge = (path: string, parents: Parents, stats: Stats, files: SinkFiles): void => {
  if (!stats.isFile()) throw notRegular(path);
  checkParents(path, parents, stats, files);
};

/** Opens and reads the file. @throws Fault sink-refused, sink-failed */
export const findTarget = async (path: string, files: SinkFiles): Promise<FileTarget> => {
  try {
    const parents = await findParents(dirname(path), files);
    const { folder } = parents;
    const target = { path: join(parents.path, basename(path)), folder };
    const opened = folder === undefined ? undefined : await openFile(target.path, files);
    if (opened === undefined) {
      checkParents(path, parents, undefined, files);
      return target;
    }
    if ('error' in opened) {
      // Its content is neither read nor written, so its path suffices for the error.
      const stats = await files.lstat(target.path);
      judge(path, parents, stats, files);
      return { ...target, stats, unreadable: opened.error };
    }
    try {
      const stats = await opened.stat();
      judge(path, parents, stats, files);
      return stats.size > sizeLimit
        ? { ...target, stats }
        : { ...target, stats, content: await opened.readFile() };
    } finally {
      await opened.close();
    }
  } catch (error) {
    throw fileFault(`${path} cannot be inspected`, error);
  }
};

/** The bytes of the file; `undefined` if it does not exist. @throws Fault sink-refused if it exceeds the size limit */
export const contentOf = ({ path, stats, content, unreadable }: FileTarget): Buffer | undefined => {
  if (unreadable !== undefined) throw unreadable;
  if (stats !== undefined && stats.size > sizeLimit)
    throw refused(`${path} is larger than ${sizeLimit} bytes`, { advice: 'use the path of a settings file' });
  return content;
};

/** Mount points from mountinfo, with octal escapes decoded (proc(5)). */
export const mountPointsIn = (mountinfo: string): ReadonlySet<string> =>
  new Set(
    mountinfo
      .split('\n')
      .map((line) => line.split(' ')[4] ?? '')
      .map((point) =>
        point.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8))),
      ),
  );

const mounted = async ({ path, folder, stats }: FileTarget, files: SinkFiles): Promise<boolean> => {
  if (stats === undefined || folder === undefined) return false;
  if (folder.dev !== stats.dev) return true;
  // A bind mount from the same disk has the same device number; only the kernel's list shows it.
  const list = await files.readFile('/proc/self/mountinfo').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  return list !== undefined && mountPointsIn(list.toString()).has(path);
};

/** Why the file cannot be replaced atomically; empty if it can. */
export const targetProblems = async (
  target: FileTarget,
  files: SinkFiles,
): Promise<readonly SinkProblem[]> => {
  const { path, stats } = target;
  if (stats === undefined) return [];
  const found: SinkProblem[] = [];
  if (await mounted(target, files))
    found.push({
      message: `${path} is mounted as a single file, which cannot be replaced atomically`,
      advice: 'mount the folder of the file instead',
    });
  const uid = files.uid();
  if (uid !== undefined && uid !== 0 && stats.uid !== uid)
    found.push({
      message: `${path} belongs to user ${stats.uid}, and Tollkeeper runs as user ${uid}, which cannot change the owner`,
      advice: `run Tollkeeper as user ${stats.uid} or as root, or change the owner of the file to user ${uid}`,
    });
  else if (uid !== undefined && uid !== 0 && !files.groups().includes(stats.gid))
    found.push({
      message: `${path} belongs to group ${stats.gid}, and Tollkeeper runs as user ${uid}, which is not in that group`,
      advice: `add user ${uid} to that group, or change the group of the file`,
    });
  if (stats.nlink > 1)
    found.push({
      message: `${path} has ${stats.nlink} hard links, and the others would keep the old key`,
      advice: 'remove the other hard links',
    });
  return found;
};

/** A file system that is mounted read-only: also what ProtectSystem=strict of systemd makes of folders outside of the service's own. */
export const readOnlyFolder = (folder: string): SinkProblem => ({
  message: `the folder ${folder} is read-only`,
  advice: `mount it writable; for a systemd service run \`systemctl edit tollkeeper\`, add the lines [Service] and ReadWritePaths=${folder}, and restart it`,
});

/** Tests the folder with an empty file that is removed again; first removes one that a killed process left. */
export const folderProblems = async (path: string, files: SinkFiles): Promise<readonly SinkProblem[]> => {
  const folder = dirname(path);
  try {
    await files.access(folder, constants.W_OK | constants.X_OK);
    const probe = join(folder, `.${basename(path)}.tollkeeper-probe`);
    await removeIfThere(probe, files);
    const handle = await files.open(probe, createNew, 0o600);
    await handle.close();
    await removeIfThere(probe, files);
    return [];
  } catch (error) {
    // Another process runs the same test.
    if (systemCode(error) === 'EEXIST') return [];
    if (systemCode(error) === 'EROFS') return [readOnlyFolder(folder)];
    const there =
      systemCode(error) === 'ENOENT'
        ? 'does not exist'
        : `cannot be written (${systemCode(error) ?? messageOf(error)})`;
    return [
      {
        message: `the folder ${folder} ${there}`,
        advice: `create the folder ${folder}, writable by the user that Tollkeeper runs as`,
      },
    ];
  }
};

/** Converts a sink fault to a problem; rethrows other errors. */
export const problemOf = (error: unknown): SinkProblem => {
  if (hasCode(error, 'sink-refused') || hasCode(error, 'sink-failed'))
    return { message: error.message, advice: error.advice };
  throw error;
};

/** A file that only its group may read probably has this permission on purpose. */
export const groupProblems = (target: FileTarget, mode: number | undefined): readonly SinkProblem[] => {
  const bits = (target.stats?.mode ?? 0) & 0o777;
  if (mode !== undefined || (bits & 0o047) !== 0o040) return [];
  return [
    {
      message: `${target.path} is readable by its group (0${bits.toString(8)}), and would be 0600 afterwards`,
      advice: `set mode: "0${bits.toString(8)}" for the sink to keep that, or remove the permission of the group`,
      isAdvisory: true,
    },
  ];
};
