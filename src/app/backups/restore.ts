import { mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fault, syncPath, type Deps, type Log, type Progress } from '../../core/index.ts';
import { databaseIn } from '../../backup/index.ts';
import type { Config } from '../../config/index.ts';
import { skipRestored, type SkippedSlots } from '../../scheduler/index.ts';
import { readConfig } from '../../settings.ts';
import { openWarehouse } from '../../warehouse/index.ts';
import { acquireDaemonLock } from '../data-folder/locks.ts';
import { goodConfig } from '../accounts/good-config.ts';
import { makeDataFolder, pathsOf } from '../data-folder/paths.ts';
import { requireSpace } from './drill.ts';
import { presentData, restoreFolder } from '../data-folder/put-in-place.ts';
import { openFrom, type BackupSource } from './read-backups.ts';
import { openRestoreTarget, stopDaemons } from './restore-target.ts';
import { restoreProven, sizeOf } from './restore-proven.ts';

export type RestoreRequest = BackupSource & {
  /** The folder of the configuration. */
  readonly folder: string;
  /** Moves what the data folder holds aside. */
  readonly replace: boolean;
  /** Leaves the slots since the backup to the `catchup` of each job. */
  readonly catchUp: boolean;
};

export type RestoreResult = {
  readonly from: string;
  readonly name: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** The data folder. */
  readonly to: string;
  readonly files: number;
  readonly bytes: number;
  /** Where the old data is now. */
  readonly replaced: readonly string[];
  /** Mails that wait for `outbox release`. */
  readonly held: number;
  readonly skipped: readonly SkippedSlots[];
};

/** The files are on disk; their folders are not yet. */
const syncFolders = async (root: string, files: readonly { readonly path: string }[]): Promise<void> => {
  const folders = new Set(['.']);
  for (const { path } of files)
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  for (const folder of folders) await syncPath(join(root, folder));
};

/** Holds the mails and skips the slots that the restored database must not send and run by itself. */
const markRestored = async (
  deps: Deps,
  folder: string,
  { database, config, catchUp, log }: { database: string; config: Config; catchUp: boolean; log: Log },
): Promise<Pick<RestoreResult, 'held' | 'skipped'>> => {
  const spoolDirectory = join(folder, 'spool');
  const warehouse = await openWarehouse({
    path: join(folder, database),
    spoolDirectory,
    tempDirectory: spoolDirectory,
    archiveDirectory: join(folder, 'archive'),
    memoryLimit: '256MB',
    threads: 1,
    clock: deps.clock,
    log,
    copyBeforeMigration: false,
  });
  try {
    const now = deps.clock.now();
    return {
      held: await warehouse.outbox.hold(now),
      skipped: catchUp ? [] : await skipRestored(warehouse.runs, Object.values(config.jobs), now),
    };
  } finally {
    await warehouse[Symbol.asyncDispose]();
    await rm(spoolDirectory, { recursive: true, force: true });
  }
};

/**
 * Restores a backup: into a folder within the data folder first, where it is opened and compared with its manifest; only then
 * it takes the place of the data. Until then nothing changes.
 * @throws faults restore-not-empty, daemon-runs, lease-lost, backup-damaged, disk-full, those of a store
 */
export const restoreBackup = async (
  deps: Deps,
  request: RestoreRequest,
  progress: Progress,
  log: Log,
): Promise<RestoreResult> => {
  const { signal } = deps;
  const config = goodConfig(await readConfig(request.folder, deps));
  const paths = pathsOf(deps, config.settings.warehouse);
  const data = dirname(paths.path);
  const from = resolve(deps.cwd, request.from);
  const backup = await openFrom(deps, request);
  const { manifest, name } = backup;
  await makeDataFolder(deps, paths);
  await using _lock = await acquireDaemonLock(paths, deps, log, {
    wait: false,
    advice: stopDaemons(config),
  });
  const present = await presentData(paths);
  if (present.length > 0 && !request.replace)
    throw fault(
      'restore-not-empty',
      `${data} is not empty: it holds ${present.map((path) => basename(path)).join(', ')}`,
    );
  await using target = await openRestoreTarget(deps, config, paths, log);
  const bytes = sizeOf(manifest.files);
  const folder = join(data, restoreFolder);
  await rm(folder, { recursive: true, force: true });
  await requireSpace(data, bytes);
  await mkdir(folder, { mode: 0o700 });
  const database = databaseIn(manifest);
  try {
    await restoreProven(backup, { from, folder }, progress, signal);
    await syncFolders(folder, manifest.files);
    const marked = await markRestored(deps, folder, { database, config, catchUp: request.catchUp, log });
    signal.throwIfAborted();
    const replaced = await target.place(folder, database, { progress, signal });
    return {
      from,
      name,
      at: manifest.at,
      to: data,
      files: manifest.files.length,
      bytes,
      replaced,
      ...marked,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
