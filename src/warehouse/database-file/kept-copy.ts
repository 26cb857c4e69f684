import { constants } from 'node:fs';
import { copyFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { fault, isDiskFull, messageOf, setPermissions, syncPath, systemCode } from '../../core/index.ts';

const stemOf = (path: string): string => basename(path, extname(path));

/** Where the database is kept as it was before its migration from this schema: `tollkeeper.schema-30.duckdb`. */
export const keptCopyOf = (path: string, schema: number): string =>
  join(dirname(path), `${stemOf(path)}.schema-${schema}${extname(path)}`);

/** While it is written. */
const draftOf = (copy: string): string => `${copy}.part`;

/**
 * Copies a database that is checkpointed and closed, readable by its owner only, and flushes the copy. Not called while
 * this process has the database open: closing any descriptor of the file ends its lock. Returns the path of the copy.
 * @throws faults disk-full, path-unwritable; the database is unchanged.
 */
export const keepCopy = async (path: string, schema: number): Promise<string> => {
  const copy = keptCopyOf(path, schema);
  const draft = draftOf(copy);
  try {
    await copyFile(path, draft, constants.COPYFILE_FICLONE);
    await setPermissions(draft, 0o600);
    await syncPath(draft);
    await rename(draft, copy);
    await syncPath(dirname(copy));
    return copy;
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    const reason = systemCode(error) ?? messageOf(error);
    throw fault(
      isDiskFull(error) ? 'disk-full' : 'path-unwritable',
      `${path} is not migrated: the copy ${copy}, which is kept before a migration, cannot be written (${reason}); the database is unchanged`,
      {
        cause: error,
        advice:
          'free as much space on this volume as the database takes, or make a backup elsewhere and set `backup.before_migration: false` in tollkeeper.yaml; then start again',
      },
    );
  }
};

/** Removes the copies of other schemas, and what a copy that was interrupted left. */
export const removeOtherCopies = async (path: string, schema: number): Promise<void> => {
  const folder = dirname(path);
  const [kept, prefix, suffix] = [
    basename(keptCopyOf(path, schema)),
    `${stemOf(path)}.schema-`,
    extname(path),
  ];
  for (const name of await readdir(folder)) {
    const rest = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    const isCopy = [suffix, draftOf(suffix)].some(
      (end) => rest.endsWith(end) && /^\d+$/.test(rest.slice(0, -end.length)),
    );
    if (isCopy && name !== kept) await rm(join(folder, name), { force: true });
  }
};

/** The newest kept copy of a schema up to this one, if there is any. */
export const newestCopy = async (path: string, schema: number): Promise<string | undefined> => {
  for (let number = schema; number > 0; number -= 1) {
    const copy = keptCopyOf(path, number);
    const isFile = await stat(copy).then(
      (stats) => stats.isFile(),
      () => false,
    );
    if (isFile) return copy;
  }
  return undefined;
};

/** Differs once the file was written to, or has a log of writes beside it. Opens no file. */
export const stampOf = async (path: string): Promise<string> => {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  const wal = await stat(`${path}.wal`, { bigint: true }).then(
    (stats) => stats.size,
    () => 0n,
  );
  return [ino, size, mtimeNs, wal].join(' ');
};
