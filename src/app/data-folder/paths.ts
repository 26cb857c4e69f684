import { access, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isWithin } from '../../backup/index.ts';
import { fault, messageOf, setPermissions, systemCode, type Deps } from '../../core/index.ts';

export type Paths = {
  /** The database file, or `:memory:`. */
  readonly path: string;
  readonly spoolDirectory: string;
  readonly tempDirectory: string;
  readonly outboxDirectory: string;
  /** Built reports, one folder per job and slot. */
  readonly reportsDirectory: string;
  readonly archiveDirectory: string;
  readonly archiveReader: 'owner' | 'group';
  /** The audit log: one line per step on a key, chained by hashes. */
  readonly auditFile: string;
  /** An empty database whose lock makes a daemon the only one of its volume. */
  readonly daemonLock: string;
  /** Another one, which a command holds while it works with the spool beside a daemon that stands by. */
  readonly spoolLock: string;
  /** How attempts ended that a replica could not record; missing where it recorded all. */
  readonly unrecordedEnds: string;
};

/** Creates nothing. */
export const pathsOf = (
  deps: Pick<Deps, 'cwd'>,
  warehouse: {
    readonly path: string;
    readonly temp_directory?: string | undefined;
    readonly reports_directory?: string | undefined;
    readonly archive?:
      | { readonly path?: string | undefined; readonly readable_by?: 'owner' | 'group' | undefined }
      | undefined;
  },
): Paths => {
  const path = resolve(deps.cwd, warehouse.path);
  const data = dirname(path);
  return {
    path,
    spoolDirectory: join(data, 'spool'),
    outboxDirectory: join(data, 'outbox'),
    reportsDirectory: resolve(deps.cwd, warehouse.reports_directory ?? join(data, 'reports')),
    tempDirectory: resolve(deps.cwd, warehouse.temp_directory ?? join(data, 'temp')),
    archiveDirectory: resolve(deps.cwd, warehouse.archive?.path ?? join(data, 'archive')),
    archiveReader: warehouse.archive?.readable_by ?? 'owner',
    auditFile: join(data, 'audit', 'keys.jsonl'),
    daemonLock: join(data, 'daemon.lock.duckdb'),
    spoolLock: join(data, 'spool.lock.duckdb'),
    unrecordedEnds: join(data, 'unrecorded-ends.json'),
  };
};

export const isPresent = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** For plans only: without a database, an empty one in memory gives the same plan and creates no file. */
export const placesToPlan = async (paths: Paths, folder: string): Promise<Paths> =>
  (await isPresent(paths.path))
    ? paths
    : { ...paths, path: ':memory:', spoolDirectory: folder, tempDirectory: folder, outboxDirectory: folder };

/** The folders of what is stored besides the database, by their paths in a backup. */
export const storedFolders = (paths: Paths) => ({
  audit: dirname(paths.auditFile),
  outbox: paths.outboxDirectory,
  reports: paths.reportsDirectory,
  archive: paths.archiveDirectory,
});

/**
 * Makes the data of older versions private. The working folder and its parents hold other data, so they keep their permissions.
 * The warehouse sets those of the archive.
 */
const makePrivate = async (paths: Paths, cwd: string): Promise<void> => {
  const data = dirname(paths.path);
  // The group may traverse the folder to the archive, but not list it.
  const isPassed = paths.archiveReader === 'group' && isWithin(data, paths.archiveDirectory);
  if (!isWithin(data, cwd)) await setPermissions(data, isPassed ? 0o710 : 0o700);
  const { outboxDirectory, reportsDirectory, spoolDirectory, auditFile } = paths;
  const folders = [outboxDirectory, reportsDirectory, spoolDirectory, dirname(auditFile), join(data, 'temp')];
  for (const folder of folders) await setPermissions(folder, 0o700);
  for (const file of [paths.path, `${paths.path}.wal`, paths.daemonLock, auditFile])
    await setPermissions(file, 0o600);
};

/** Creates the folder of the database and makes its content private. @throws Fault path-unwritable */
export const makeDataFolder = async ({ cwd }: Pick<Deps, 'cwd'>, paths: Paths): Promise<void> => {
  const data = dirname(paths.path);
  await mkdir(data, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    const message = `the folder ${data} cannot be created (${systemCode(error) ?? messageOf(error)})`;
    throw fault('path-unwritable', message, { cause: error });
  });
  await makePrivate(paths, cwd);
};
