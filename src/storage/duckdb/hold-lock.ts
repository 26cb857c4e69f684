import { fault, isThere, messageOf, systemCode, type Fault } from '../../core/index.ts';
import { link, mkdtemp, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { DuckDBInstance } from '@duckdb/node-api';
import { loadDuckDB } from './duckdb.ts';
import { engineFault, lockHolder } from './engine-faults.ts';
import { ownFolder } from './own-folder.ts';

/**
 * Active until it is disposed of or the process ends, however it ends. `holder`: process ID, where the system reports
 * it.
 */
export type AcquiredLock =
  | ({ readonly held: true } & AsyncDisposable)
  | { readonly held: false; readonly holder?: number };

/**
 * Files that this process has locked or is locking. POSIX locks belong to the process: opening and closing such a file
 * a second time would silently release the first lock. The map also keeps instances from being garbage collected.
 */
const heldHere = new Map<string, DuckDBInstance | undefined>();

const openFile = async (path: string): Promise<DuckDBInstance> =>
  loadDuckDB().DuckDBInstance.create(path, {
    threads: '1',
    memory_limit: '16MB',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });

/**
 * Creates the file completely or not at all: a half-written file after a crash or on a full disk could never be opened.
 */
const makeFile = async (path: string): Promise<void> => {
  const folder = await mkdtemp(`${path}-`);
  try {
    const draft = join(folder, basename(path));
    (await openFile(draft)).closeSync();
    await link(draft, path);
  } catch (error) {
    // EEXIST: another process was faster. The others: a volume without hard links, where the engine makes the file.
    if (!['EEXIST', 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP'].includes(systemCode(error) ?? ''))
      throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** The lock file contains no data, so a damaged one can be deleted. */
const lockFault = (error: unknown, path: string): Fault => {
  const found = engineFault(error, path);
  if (found.code !== 'warehouse-unreadable') return found;
  return fault(found.code, found.message, {
    cause: error,
    advice: 'stop all daemons of this volume and delete the file: it only holds a lock, and is created again',
  });
};

/**
 * Allows one process per file, through the lock of an empty database at `path`. The lock ends with the process, so no
 * stale locks need cleanup. Local volumes only. The file remains; nothing else may open it.
 * @throws faults path-unwritable, disk-full, warehouse-unreadable (not a lock file of Tollkeeper), warehouse-failed.
 */
export const acquireLock = async (path: string): Promise<AcquiredLock> => {
  await ownFolder(dirname(path));
  const file = join(await realpath(dirname(path)), basename(path));
  if (heldHere.has(file)) return { held: false, holder: process.pid };
  heldHere.set(file, undefined);
  try {
    if (!(await isThere(file))) await makeFile(file);
    const instance = await openFile(file);
    heldHere.set(file, instance);
    return {
      held: true,
      [Symbol.asyncDispose]: async () => {
        if (heldHere.get(file) !== instance) return;
        heldHere.delete(file);
        instance.closeSync();
      },
    };
  } catch (error) {
    heldHere.delete(file);
    const holder = lockHolder(messageOf(error));
    if (holder === undefined) throw lockFault(error, path);
    return { held: false, ...(holder === 'unknown' ? {} : { holder }) };
  }
};
