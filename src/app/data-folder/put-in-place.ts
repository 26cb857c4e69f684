import { cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { iso, isThere, syncPath, systemCode, type UnixMillis } from '../../core/index.ts';
import { nameOf } from '../../backup/index.ts';
import { storedFolders, type Paths } from './paths.ts';

/** The folder in the data folder in which a restore is prepared. */
export const restoreFolder = 'restoring';

/** The folder in the data folder to which a restore moves the present data. */
const asideFolder = (now: UnixMillis): string => `replaced-${nameOf(iso(now))}`;

/** Whether a restore gives a folder this name. */
export const isOfRestore = (name: string): boolean =>
  name === restoreFolder || /^replaced-\d{8}T\d{6}Z$/.test(name);

/** The database comes first: without it, the program does not start on what is left. */
const placesOf = (paths: Paths): readonly string[] => [
  paths.path,
  `${paths.path}.wal`,
  ...Object.values(storedFolders(paths)),
];

const holdsNothing = async (path: string): Promise<boolean> => {
  try {
    return (await readdir(path)).length === 0;
  } catch (error) {
    if (systemCode(error) === 'ENOTDIR') return false;
    if (systemCode(error) === 'ENOENT') return true;
    throw error;
  }
};

/** The data that a restore would replace: files, and folders that are not empty. */
export const presentData = async (paths: Paths): Promise<readonly string[]> => {
  const present: string[] = [];
  for (const place of placesOf(paths)) if (!(await holdsNothing(place))) present.push(place);
  return present;
};

/** Moves a file or folder, also to another volume. */
const move = async (from: string, to: string): Promise<void> => {
  try {
    await rename(from, to);
  } catch (error) {
    if (systemCode(error) !== 'EXDEV') throw error;
    await cp(from, to, { recursive: true, preserveTimestamps: true });
    await rm(from, { recursive: true });
  }
};

/** Moves the entries of a folder into another one. */
export const moveEntries = async (from: string, to: string, except?: string): Promise<void> => {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const name of await readdir(from)) if (name !== except) await move(join(from, name), join(to, name));
  await syncPath(to);
};

/** What is in the data folder goes to `aside`, an archive elsewhere stays beside where it was. A volume cannot be renamed, so its content moves within it. */
const moveAside = async (place: string, aside: string, data: string): Promise<string> => {
  const to = dirname(place) === data ? join(aside, basename(place)) : `${place}.${basename(aside)}`;
  try {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await rename(place, to);
    return dirname(place) === data ? aside : to;
  } catch (error) {
    if (!(await stat(place)).isDirectory()) throw error;
    const within = join(place, basename(aside));
    await moveEntries(place, within, basename(aside));
    return within;
  }
};

/** What takes its place: the database file, if any, and folders of the data folder. */
type Placed = { readonly database?: string; readonly parts?: readonly string[] };

/**
 * Moves the present data aside and the restored data in its place. The database leaves first and arrives last: when the process
 * ends in between, the data folder has none, and the program does not start on the rest. Returns where the present data is.
 */
export const putInPlace = async (
  folder: string,
  paths: Paths,
  now: UnixMillis,
  { database, parts }: Placed,
): Promise<readonly string[]> => {
  const data = dirname(paths.path);
  const aside = join(data, asideFolder(now));
  const replaced = new Set<string>();
  for (const place of await presentData(paths)) {
    replaced.add(await moveAside(place, aside, data));
    await syncPath(data);
  }
  for (const [part, place] of Object.entries(storedFolders(paths)))
    if (parts?.includes(part) !== false && (await isThere(join(folder, part))))
      await moveEntries(join(folder, part), place);
  if (database !== undefined) await rename(join(folder, database), paths.path);
  await syncPath(data);
  return [...replaced];
};
