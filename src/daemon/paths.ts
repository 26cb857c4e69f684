import { access, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fault, messageOf, systemCode } from '../core/index.ts';
import type { Deps } from '../core/index.ts';

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
    readonly archive?: { readonly path?: string | undefined } | undefined;
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

/** Makes the folder of the database. @throws Fault path-unwritable */
export const makeDataFolder = async ({ path }: Paths): Promise<void> => {
  const data = dirname(path);
  await mkdir(data, { recursive: true }).catch((error: unknown) => {
    const message = `the folder ${data} cannot be created (${systemCode(error) ?? messageOf(error)})`;
    throw fault('path-unwritable', message, { cause: error });
  });
};
