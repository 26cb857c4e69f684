import { constants } from 'node:fs';
import type { Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hasCode, messageOf, systemCode } from '../../core/index.ts';
import type { SinkProblem } from '../sink.ts';
import { fileFault, refused } from './sink-faults.ts';
import { createNew } from './sink-files.ts';
import type { SinkFiles } from './sink-files.ts';

/** The file that is really written, links followed; `stats` are missing where there is none yet. */
export type FileTarget = { readonly path: string; readonly stats?: Stats | undefined };

/** `undefined` where there is nothing. */
const ifThere = async <T>(asked: Promise<T>): Promise<T | undefined> => {
  try {
    return await asked;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

const follow = async (path: string, link: Stats, files: SinkFiles): Promise<string> => {
  const target = await ifThere(files.realpath(path));
  if (target === undefined)
    throw refused(`${path} is a dangling symbolic link`, {
      advice: 'create the target of the link, or remove the link',
    });
  const { uid } = await files.stat(target);
  // Who owns a folder could lead us, with more rights, to files that are not theirs.
  if (link.uid !== 0 && link.uid !== files.uid() && link.uid !== uid)
    throw refused(`${path} is a symbolic link of user ${link.uid} to a file of user ${uid}`, {
      advice: `use the path of the file itself: ${target}`,
    });
  return target;
};

/** Where a path leads. @throws Fault sink-refused for what is no file, sink-failed */
export const findTarget = async (path: string, files: SinkFiles): Promise<FileTarget> => {
  try {
    const entry = await ifThere(files.lstat(path));
    if (entry === undefined) return { path };
    const real = entry.isSymbolicLink() ? await follow(path, entry, files) : path;
    const stats = await files.stat(real);
    if (!stats.isFile())
      throw refused(`${path} is not a regular file`, { advice: 'use the path of a regular file' });
    return { path: real, stats };
  } catch (error) {
    throw fileFault(`${path} cannot be inspected`, error);
  }
};

/** Mount points as the kernel lists them, spaces and the like written in octal (proc(5)). */
export const mountPointsIn = (mountinfo: string): ReadonlySet<string> =>
  new Set(
    mountinfo
      .split('\n')
      .map((line) => line.split(' ')[4] ?? '')
      .map((point) =>
        point.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8))),
      ),
  );

const mounted = async ({ path, stats }: FileTarget, files: SinkFiles): Promise<boolean> => {
  if (stats === undefined) return false;
  const folder = await files.realpath(dirname(path));
  if ((await files.stat(folder)).dev !== stats.dev) return true;
  // A bind mount out of the same disk has the same number: the kernel's own list tells, where there is one.
  const list = await ifThere(files.readFile('/proc/self/mountinfo'));
  return list !== undefined && mountPointsIn(list.toString()).has(join(folder, basename(path)));
};

/** Why the file could never be replaced whole; empty when nothing is in the way. */
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
      advice: 'replace the hard link with a symbolic link',
    });
  return found;
};

/** Tries the folder with an empty file that is removed at once. */
export const folderProblems = async (path: string, files: SinkFiles): Promise<readonly SinkProblem[]> => {
  const folder = dirname(path);
  try {
    await files.access(folder, constants.W_OK | constants.X_OK);
    const probe = join(folder, `.${basename(path)}.tollkeeper-probe`);
    const handle = await files.open(probe, createNew, 0o600);
    await handle.close();
    await files.unlink(probe);
    return [];
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return [];
    const there =
      systemCode(error) === 'ENOENT'
        ? 'does not exist'
        : `cannot be written (${systemCode(error) ?? messageOf(error)})`;
    return [
      {
        message: `the folder ${folder} ${there}`,
        advice: 'create it, and give the user that Tollkeeper runs as write permission',
      },
    ];
  }
};

/** Why a thrown refusal stays one. */
export const problemOf = (error: unknown): SinkProblem => {
  if (hasCode(error, 'sink-refused') || hasCode(error, 'sink-failed'))
    return { message: error.message, advice: error.advice };
  throw error;
};

const sizeLimit = 1024 * 1024;

/** @throws Fault sink-refused when it is larger than files of settings are. */
export const checkSize = (path: string, stats: Stats): void => {
  if (stats.size > sizeLimit)
    throw refused(`${path} is larger than ${sizeLimit} bytes`, { advice: 'use the path of a settings file' });
};

/** A file that its group reads, and nobody else, is meant to be so. */
export const groupProblems = (target: FileTarget, mode: number | undefined): readonly SinkProblem[] => {
  const bits = (target.stats?.mode ?? 0) & 0o777;
  if (mode !== undefined || (bits & 0o047) !== 0o040) return [];
  return [
    {
      message: `${target.path} is readable by its group (0${bits.toString(8)}), and would be 0600 afterwards`,
      advice: `set mode: "0${bits.toString(8)}" for the sink to keep that, or remove the permission of the group`,
    },
  ];
};
