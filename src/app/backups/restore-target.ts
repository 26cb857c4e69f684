import { join } from 'node:path';
import { type Deps, type Log, type Progress } from '../../core/index.ts';
import type { Config } from '../../config/index.ts';
import { mailFolder } from '../../notify/index.ts';
import type { SharedDatabase } from '../../storage/index.ts';
import { copyFromFile, requireEmpty, type CopiedTables } from '../../warehouse/index.ts';
import { version } from '../../version.ts';
import type { Paths } from '../data-folder/paths.ts';
import { closeShared, holdAlone, openShared } from '../replicas/database-leases.ts';
import { putInPlace } from '../data-folder/put-in-place.ts';

/** A database file with the folders beside it. */
export type DataFiles = Pick<Paths, 'path' | 'spoolDirectory' | 'outboxDirectory' | 'archiveDirectory'>;

type Working = { readonly progress: Progress; readonly signal: AbortSignal };

/** What to do when a command needs the data alone, and a daemon runs on its volume. */
export const stopDaemons = ({ settings: { database } }: Pick<Config, 'settings'>): string =>
  database === undefined
    ? 'stop it: this command needs the data folder alone; then try again'
    : 'stop it and all other replicas, also those that stand by: this command needs the database and this data folder alone; then try again';

/** An empty database of several processes, in which no other one works until disposal. */
export type EmptyDatabase = AsyncDisposable & {
  /** Copies a database file into it, which counts when `beforeCommit` is done. */
  readonly copyFrom: (
    files: DataFiles,
    working: Working,
    beforeCommit?: () => Promise<void>,
  ) => Promise<CopiedTables>;
};

/** @throws faults restore-not-empty when it holds data, lease-lost while a daemon works */
export const openEmpty = async (
  deps: Deps,
  url: string,
  config: Config,
  log: Log,
): Promise<EmptyDatabase> => {
  const database: SharedDatabase = await openShared(deps, url, config, log);
  try {
    await holdAlone(database, deps, config, log);
    await database.engine.state(requireEmpty);
  } catch (error) {
    await closeShared(database);
    throw error;
  }
  const { warehouse, backup } = config.settings;
  return {
    copyFrom: ({ outboxDirectory, ...files }, { progress, signal }, beforeCommit) =>
      copyFromFile(
        database,
        {
          ...files,
          tempDirectory: files.spoolDirectory,
          memoryLimit: '256MB',
          threads: warehouse.threads,
          clock: deps.clock,
          log,
          version,
          copyBeforeMigration: backup.before_migration,
          mails: mailFolder(outboxDirectory),
        },
        { progress, signal, ...(beforeCommit === undefined ? {} : { beforeCommit }) },
      ),
    [Symbol.asyncDispose]: () => closeShared(database),
  };
};

/** Where a restore goes. */
export type RestoreTarget = AsyncDisposable & {
  /** Puts restored data in its place, and returns where the present data is. `folder` holds it in the form of a data folder. */
  readonly place: (folder: string, database: string, working: Working) => Promise<readonly string[]>;
};

/** The database file, or the database of several processes that the configuration names. @throws those of `openEmpty` */
export const openRestoreTarget = async (
  deps: Deps,
  config: Config,
  paths: Paths,
  log: Log,
): Promise<RestoreTarget> => {
  const { database: url } = config.settings;
  if (url === undefined)
    return {
      place: (folder, database) => putInPlace(folder, paths, deps.clock.now(), { database }),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  const empty = await openEmpty(deps, url.reveal(), config, log);
  return {
    place: async (folder, database, working) => {
      const files = {
        path: join(folder, database),
        spoolDirectory: join(folder, 'spool'),
        outboxDirectory: join(folder, 'outbox'),
        archiveDirectory: join(folder, 'archive'),
      };
      let replaced: readonly string[] = [];
      await empty.copyFrom(files, working, async () => {
        replaced = await putInPlace(folder, paths, deps.clock.now(), { parts: ['audit', 'reports'] });
      });
      return replaced;
    },
    [Symbol.asyncDispose]: empty[Symbol.asyncDispose],
  };
};
