import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fault, isThere, syncPath, type Deps, type Log, type Progress } from '../../core/index.ts';
import { readDatabaseArgument, type Config } from '../../config/index.ts';
import { copyToFile, openWarehouse } from '../../warehouse/index.ts';
import { readConfig } from '../../settings.ts';
import { version } from '../../version.ts';
import { acquireDaemonLock } from '../data-folder/locks.ts';
import { closeShared, holdAlone, openShared } from '../replicas/database-leases.ts';
import { goodConfig } from '../accounts/good-config.ts';
import { openKeyRuntime } from '../keys/key-runtime.ts';
import { makeDataFolder, pathsOf, type Paths } from '../data-folder/paths.ts';
import { moveEntries, restoreFolder } from '../data-folder/put-in-place.ts';
import { openEmpty, stopDaemons } from './restore-target.ts';
import { requireEqual } from './restore-proven.ts';
import { copiedParts, copyInto } from './subject.ts';

export type MigrateRequest = {
  /** The folder of the configuration. */
  readonly folder: string;
  /** The URL of a database, with references, or the path of a file; the database of the configuration if omitted. */
  readonly to?: string | undefined;
};

/** What both databases hold. */
export type MigrateResult = {
  readonly direction: 'to PostgreSQL' | 'to a file';
  /** The path of the database file. */
  readonly file: string;
  /** Whether the configuration names the new database already. */
  readonly isConfigured: boolean;
  /** Rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
  /** The charges of each account, exact decimals. */
  readonly charges: Readonly<Record<string, string>>;
  readonly audit: { readonly entries: number; readonly head: string };
  readonly mails: number;
};

type Migrating = {
  readonly deps: Deps;
  readonly config: Config;
  readonly progress: Progress;
  readonly log: Log;
};

/** Opens the file once as the daemon does: steps on keys that only the audit file has go to the database. */
const settleJournal = async ({ deps, config, log }: Migrating, paths: Paths): Promise<void> => {
  const { warehouse: settings, backup } = config.settings;
  await using warehouse = await openWarehouse({
    ...paths,
    memoryLimit: '256MB',
    threads: settings.threads,
    version,
    copyBeforeMigration: backup.before_migration,
    clock: deps.clock,
    log,
  });
  const { journals } = await openKeyRuntime(warehouse, paths.auditFile, log, false);
  const problem = journals.now().problem();
  if (problem !== undefined) throw problem;
};

const toPostgres = async (
  migrating: Migrating,
  paths: Paths,
  url: string,
): Promise<Omit<MigrateResult, 'isConfigured'>> => {
  const { deps, config, progress, log } = migrating;
  if (!(await isThere(paths.path)))
    throw fault('warehouse-missing', `there is no database file ${paths.path}`, {
      advice: 'correct warehouse.path in tollkeeper.yaml, or start without data',
    });
  await using _lock = await acquireDaemonLock(paths, deps, log, {
    wait: false,
    advice: stopDaemons(config),
  });
  await settleJournal(migrating, paths);
  await using empty = await openEmpty(deps, url, config, log);
  const { tables, ...copied } = await empty.copyFrom(paths, { progress, signal: deps.signal });
  const rows = Object.fromEntries(Object.entries(tables).map(([table, sums]) => [table, sums.rows]));
  return { direction: 'to PostgreSQL', file: paths.path, rows, ...copied };
};

/** The database comes last: until then, the program does not start in the folder. */
const putCopyInPlace = async (parts: ReturnType<typeof copiedParts>, paths: Paths): Promise<void> => {
  const audit = join(parts.audit, 'keys.jsonl');
  if (await isThere(audit)) {
    await mkdir(dirname(paths.auditFile), { recursive: true, mode: 0o700 });
    await rename(audit, paths.auditFile);
    await syncPath(dirname(paths.auditFile));
  }
  await moveEntries(parts.outbox, paths.outboxDirectory);
  await rename(parts.database, paths.path);
  await syncPath(dirname(paths.path));
};

const toFile = async (
  { deps, config, progress, log }: Migrating,
  paths: Paths,
  url: string,
): Promise<Omit<MigrateResult, 'isConfigured'>> => {
  const { clock, signal } = deps;
  for (const path of [paths.path, `${paths.path}.wal`])
    if (await isThere(path))
      throw fault('restore-not-empty', `${path} exists`, {
        advice: 'name another path, or move that file aside; nothing was changed',
      });
  await makeDataFolder(deps, paths);
  await using _lock = await acquireDaemonLock(paths, deps, log, {
    wait: false,
    advice: stopDaemons(config),
  });
  const database = await openShared(deps, url, config, log);
  const folder = join(dirname(paths.path), restoreFolder);
  try {
    await holdAlone(database, deps, config, log);
    // What a migration that was killed has left.
    await rm(folder, { recursive: true, force: true });
    const parts = copiedParts(folder, basename(paths.path));
    const { facts, mails } = await copyInto(
      (target) => copyToFile(database.engine, target, { clock, log, version }),
      parts,
      progress,
      signal,
    );
    await requireEqual(folder, basename(paths.path), facts, 'the copy of the database');
    signal.throwIfAborted();
    await putCopyInPlace(parts, paths);
    const { rows, charges, audit } = facts;
    return { direction: 'to a file', file: paths.path, rows, charges, audit, mails };
  } finally {
    await rm(folder, { recursive: true, force: true });
    await closeShared(database);
  }
};

/**
 * Copies all data from the database file into PostgreSQL, or back, and changes nothing where they come from. Interrupted at any point,
 * it leaves nothing that counts, and begins from the start when it is called again.
 * @throws faults wrong-use, restore-not-empty, daemon-runs, lease-lost, warehouse-missing, those of both engines
 */
export const migrateData = async (
  deps: Deps,
  { folder, to }: MigrateRequest,
  progress: Progress,
  log: Log,
): Promise<MigrateResult> => {
  const config = goodConfig(await readConfig(folder, deps));
  const { warehouse, database } = config.settings;
  const migrating = { deps, config, progress, log };
  const present = database?.reveal();
  if (to === undefined && present === undefined)
    throw fault('wrong-use', 'no database is named', {
      advice: 'add --to postgres://user@host:5432/database, or set `database` in tollkeeper.yaml',
    });
  if (to === undefined || /^postgres(ql)?:\/\//.test(to)) {
    const url = to === undefined ? (present ?? '') : await readDatabaseArgument(to, deps);
    const migrated = await toPostgres(migrating, pathsOf(deps, warehouse), url);
    return { ...migrated, isConfigured: url === present };
  }
  if (present === undefined)
    throw fault('wrong-use', 'the data lie in a database file: `database` is not set', {
      advice: 'to copy them into PostgreSQL, add --to postgres://user@host:5432/database',
    });
  const paths = pathsOf(deps, { ...warehouse, path: resolve(deps.cwd, to) });
  return { ...(await toFile(migrating, paths, present)), isConfigured: false };
};
