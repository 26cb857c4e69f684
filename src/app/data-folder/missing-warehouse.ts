import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { fault, systemCode } from '../../core/index.ts';
import { isOfRestore } from './put-in-place.ts';
import type { Paths } from './paths.ts';

/** Names that only Tollkeeper gives: a folder may hold other data too. */
const mailFile = /^[0-9a-f]{64}\.eml$/;
const slotFolder = /^\d{8}T\d{6}\.\d{3}Z/;
const monthFolder = /^month=/;

const absent: readonly string[] = ['ENOENT', 'ENOTDIR'];

/** Bytes; 0 for what is not there. Rejects for what cannot be looked at. */
const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    (error: unknown) => {
      if (absent.includes(systemCode(error) ?? '')) return 0;
      throw error;
    },
  );

const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch((): string[] => []);

/** The first entry of this name in a folder of the folder. */
const within = async (folder: string, isOurs: RegExp): Promise<string | undefined> => {
  for (const name of await namesIn(folder)) {
    const found = (await namesIn(join(folder, name))).find((inner) => isOurs.test(inner));
    if (found !== undefined) return join(folder, name, found);
  }
  return undefined;
};

const remainsOf = async (paths: Paths): Promise<readonly string[]> => {
  const wal = `${paths.path}.wal`;
  const end = extname(paths.path);
  const copyPrefix = `${basename(paths.path, end)}.schema-`;
  const names = await namesIn(dirname(paths.path));
  const copy = names.find((name) => name.startsWith(copyPrefix) && name.endsWith(end));
  const restore = names.find(isOfRestore);
  const mail = (await namesIn(paths.outboxDirectory)).find((name) => mailFile.test(name));
  const found = [
    (await sizeOf(wal)) > 0 ? wal : undefined,
    restore === undefined ? undefined : join(dirname(paths.path), restore),
    copy === undefined ? undefined : join(dirname(paths.path), copy),
    (await sizeOf(paths.auditFile)) > 0 ? paths.auditFile : undefined,
    mail === undefined ? undefined : join(paths.outboxDirectory, mail),
    await within(paths.reportsDirectory, slotFolder),
    await within(paths.archiveDirectory, monthFolder),
  ];
  return found.filter((path) => path !== undefined);
};

/**
 * Refuses to begin with an empty database where the data of one remain. Folders that the program creates at its first start hold
 * none. @throws Fault warehouse-missing
 */
export const refuseEmptyStart = async (paths: Paths): Promise<void> => {
  if ((await sizeOf(paths.path)) > 0) return;
  const remains = await remainsOf(paths);
  if (remains.length === 0) return;
  throw fault(
    'warehouse-missing',
    `the database ${paths.path} is missing or empty, but its data folder is in use: ${remains.join(', ')}`,
  );
};

/**
 * Refuses to begin with an empty database of PostgreSQL beside a file with data. `readFilled` returns a table of the database that
 * has rows. @throws Fault database-refused
 */
export const refuseOtherData = async (
  path: string,
  readFilled: () => Promise<string | undefined>,
): Promise<void> => {
  if ((await sizeOf(path)) === 0 || (await readFilled()) !== undefined) return;
  throw fault('database-refused', `the database is empty, but the file ${path} has data`, {
    advice:
      'copy the file into it with `tollkeeper migrate`, with the daemon stopped; or remove `database` to go on with the file, or move the file aside to start with an empty database',
  });
};
