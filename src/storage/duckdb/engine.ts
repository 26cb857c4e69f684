import { open, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DuckDBInstance } from '@duckdb/node-api';
import { createGate } from '../../core/index.ts';
import { type Sql, type StateEngine, literal } from '../sql.ts';
import { connectionOf, type Connection } from './connection.ts';
import { loadDuckDB } from './duckdb.ts';
import { engineFault } from './engine-faults.ts';
import { interruptOn } from './interrupt.ts';
import { ownFolder } from './own-folder.ts';

/**
 * The memory limit to set in DuckDB for the memory that the user allows: 80 % of it, because DuckDB does not count some of its vectors and buffers.
 * Both are sizes as DuckDB writes them, such as `512MB`.
 */
export const engineMemory = (allowed: string): string => {
  const [, digits = '', unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-z]+)\s*$/.exec(allowed) ?? [];
  return digits === '' ? allowed : `${Number((Number(digits) * 0.8).toFixed(4))}${unit}`;
};

export type EngineOptions = {
  /** The database file, or `:memory:`. */
  readonly path: string;
  /** As DuckDB writes it: `512MB`, `1GB`. */
  readonly memoryLimit: string;
  /** Of the process that runs queries; `memoryLimit` if omitted. */
  readonly queryMemory?: string | undefined;
  readonly threads: number;
  /** Where DuckDB spills; default: beside the file. */
  readonly tempDirectory?: string;
  /** Spooled exports. Besides the archive, the only folder whose files SQL can access. */
  readonly spoolDirectory: string;
  /** Folder of the archived months (Parquet files); default: beside the database. */
  readonly archiveDirectory?: string;
};

/** The default folder of the archive: beside the database, or beside the spool of an in-memory database. */
export const archiveFolderOf = (options: {
  readonly path: string;
  readonly spoolDirectory: string;
  readonly archiveDirectory?: string;
}): string =>
  options.archiveDirectory ??
  join(options.path === ':memory:' ? options.spoolDirectory : dirname(options.path), 'archive');

/** The one owner of the DuckDB instance. */
export type Engine = AsyncDisposable &
  Pick<StateEngine, 'state'> & {
    /** Bulk work on its own connection; at most three at once. A signal interrupts the running statement. */
    readonly bulk: <T>(work: (connection: Connection) => Promise<T>, signal?: AbortSignal) => Promise<T>;
    /**
     * Runs work between statements: those under way have ended, further ones wait, and the file alone holds all that was
     * committed, so that a copy of it is a database as of this moment. The work must read the file by this handle and leave
     * it open: when a process closes any descriptor of a file, it loses its lock on it.
     */
    readonly exclusive: <T>(work: (database: FileHandle, connection: Sql) => Promise<T>) => Promise<T>;
    /** Closes a database that cannot be used: its file and write-ahead log stay as they are. */
    readonly abandon: () => Promise<void>;
  };

/** More concurrent jobs would take libuv's threads from files and DNS. */
const jobsAtOnce = 3;

const lockDown = async (connection: Connection, folders: readonly string[]): Promise<void> => {
  // Rows are a multiset: their order in the file has no meaning, and preserving it costs memory.
  await connection.execute('SET preserve_insertion_order = false');
  // Four times the default: windows of some ten thousand rows would be written and compressed again with each of them.
  await connection.execute(`SET wal_autocheckpoint = '64MB'`);
  // Memory that statements freed returns to the system, which otherwise happens only as far as they allocate.
  await connection.execute('SET allocator_background_threads = true');
  // Verification must read a file that was just written from disk; cached data proves nothing.
  await connection.execute('SET enable_external_file_cache = false');
  await connection.execute(`SET allowed_directories = [${folders.map(literal).join(', ')}]`);
  await connection.execute('SET enable_external_access = false');
  // It would write to damaged files; disposal checkpoints itself.
  await connection.execute('PRAGMA disable_checkpoint_on_shutdown');
  await connection.execute('SET lock_configuration = true');
};

/** Of new files: from this version on, the write-ahead log names its database, and DuckDB refuses that of another one. */
const storageVersion = 'v1.4.0';

const openInstance = async (options: EngineOptions): Promise<DuckDBInstance> =>
  loadDuckDB().DuckDBInstance.create(options.path, {
    memory_limit: engineMemory(options.memoryLimit),
    threads: String(options.threads),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    storage_compatibility_version: storageVersion,
    temp_directory:
      options.tempDirectory ?? (options.path === ':memory:' ? options.spoolDirectory : `${options.path}.tmp`),
  });

const hasLog = (path: string): Promise<boolean> =>
  stat(`${path}.wal`).then(
    ({ size }) => size > 0,
    () => false,
  );

/** @throws faults warehouse-locked, warehouse-unreadable, warehouse-newer, disk-full, path-unwritable. */
export const openEngine = async (options: EngineOptions): Promise<Engine> => {
  if (options.path !== ':memory:') await ownFolder(dirname(options.path));
  await ownFolder(options.spoolDirectory);
  const translate = (error: unknown): never => {
    throw engineFault(error, options.path);
  };
  const instance = await openInstance(options).catch(translate);
  const connect = async (): Promise<Connection> => connectionOf(await instance.connect());
  const stateConnection = await connect().catch(translate);
  try {
    await lockDown(stateConnection, [options.spoolDirectory, archiveFolderOf(options)]);
  } catch (error) {
    instance.closeSync();
    translate(error);
  }
  const oneAtATime = createGate(1);
  const jobs = createGate(jobsAtOnce);
  const exclusives = createGate(1);
  let file: Promise<FileHandle> | undefined;
  const close = async (): Promise<void> => {
    stateConnection.close();
    instance.closeSync();
    await (await file)?.close();
  };
  /** Runs work while no bulk work is under way; further bulk work waits. */
  const withoutJobs = async <T>(work: () => Promise<T>): Promise<T> =>
    exclusives(async () => {
      const places: Disposable[] = [];
      try {
        while (places.length < jobsAtOnce) places.push(await jobs.enter());
        return await work();
      } finally {
        for (const place of places) place[Symbol.dispose]();
      }
    });
  return {
    state: async (work) => oneAtATime(async () => work(stateConnection).catch(translate)),
    bulk: async (work, signal) => {
      using _job = await jobs.enter();
      signal?.throwIfAborted();
      const connection = await connect().catch(translate);
      using _watch = signal === undefined ? undefined : interruptOn(connection, signal);
      try {
        return await work(connection);
      } catch (error) {
        signal?.throwIfAborted();
        return translate(error);
      } finally {
        connection.close();
      }
    },
    exclusive: async (work) =>
      // Bulk work may use the state within, never the other way round: so it ends first.
      withoutJobs(async () =>
        oneAtATime(async () => {
          await stateConnection.execute('CHECKPOINT').catch(translate);
          return await work(await (file ??= open(options.path, 'r')), stateConnection);
        }),
      ),
    abandon: async () => oneAtATime(close),
    [Symbol.asyncDispose]: async () => {
      await withoutJobs(async () =>
        oneAtATime(async () => {
          // What a full disk keeps from the file stays in the log.
          if (await hasLog(options.path)) await stateConnection.execute('CHECKPOINT').catch(() => undefined);
          await close();
        }),
      );
    },
  };
};
