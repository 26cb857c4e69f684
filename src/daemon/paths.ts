import { access, mkdir } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fault, messageOf, setPermissions, systemCode, type Deps } from '../core/index.ts';

/** Where the database and what goes with it are kept. */
export type Paths = {
  /** The database file, or `:memory:`. */
  readonly path: string;
  readonly spoolDirectory: string;
  readonly tempDirectory: string;
  readonly outboxDirectory: string;
  /** Built reports, a folder a job and slot. */
  readonly reportsDirectory: string;
  /** Months of the call log as Parquet files. */
  readonly archiveDirectory: string;
  readonly archiveReader: 'owner' | 'group';
  /** Every step on a key, each line bound to those before it. */
  readonly auditFile: string;
  /** The empty database whose lock makes a daemon the only one of its volume. */
  readonly daemonLock: string;
};

/** The places beside a database; nothing is made. */
export const pathsOf = (
  deps: Pick<Deps, 'cwd'>,
  warehouse: {
    readonly path: string;
    readonly temp_directory?: string | undefined;
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
    reportsDirectory: join(data, 'reports'),
    tempDirectory: resolve(deps.cwd, warehouse.temp_directory ?? join(data, 'temp')),
    archiveDirectory: resolve(deps.cwd, warehouse.archive?.path ?? join(data, 'archive')),
    archiveReader: warehouse.archive?.readable_by ?? 'owner',
    auditFile: join(data, 'audit', 'keys.jsonl'),
    daemonLock: join(data, 'daemon.lock.duckdb'),
  };
};

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** For plans alone: where there is no database, an empty one in memory plans the same, and nothing is made. */
export const placesToPlan = async (paths: Paths, folder: string): Promise<Paths> =>
  (await exists(paths.path))
    ? paths
    : { ...paths, path: ':memory:', spoolDirectory: folder, tempDirectory: folder, outboxDirectory: folder };

/** Whether `inner` is the folder or lies in it. */
const isWithin = (folder: string, inner: string): boolean => !/^\.\.(\/|$)/.test(relative(folder, inner));

/**
 * Makes data of an older version private. The working folder and the ones above it hold more than our data: they keep
 * their permissions. The archive is the warehouse's own.
 */
const makePrivate = async (paths: Paths, cwd: string): Promise<void> => {
  const data = dirname(paths.path);
  // The group passes through the folder to the archive, and cannot list it.
  const isPassed = paths.archiveReader === 'group' && isWithin(data, paths.archiveDirectory);
  if (!isWithin(data, cwd)) await setPermissions(data, isPassed ? 0o710 : 0o700);
  const { outboxDirectory, reportsDirectory, spoolDirectory, auditFile } = paths;
  const folders = [outboxDirectory, reportsDirectory, spoolDirectory, dirname(auditFile), join(data, 'temp')];
  for (const folder of folders) await setPermissions(folder, 0o700);
  for (const file of [paths.path, `${paths.path}.wal`, paths.daemonLock, auditFile])
    await setPermissions(file, 0o600);
};

/** Makes the folder of the database, and makes private what it holds. @throws Fault path-unwritable */
export const makeDataFolder = async ({ cwd }: Pick<Deps, 'cwd'>, paths: Paths): Promise<void> => {
  const data = dirname(paths.path);
  await mkdir(data, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    const message = `the folder ${data} cannot be created (${systemCode(error) ?? messageOf(error)})`;
    throw fault('path-unwritable', message, { cause: error });
  });
  await makePrivate(paths, cwd);
};
