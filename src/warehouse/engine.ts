import { dirname } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { createGate } from '../core/index.ts';
import { archiveFolderOf } from './archive/archive-paths.ts';
import { loadDuckDB } from './duckdb.ts';
import { engineFault } from './engine-faults.ts';
import { engineMemory } from './engine-memory.ts';
import { interruptOn } from './interrupt.ts';
import { ownFolder } from './own-folder.ts';
import { literal } from './sql-literal.ts';

export type EngineOptions = {
  /** The database file, or `:memory:`. */
  readonly path: string;
  /** As DuckDB writes it: `512MB`, `1GB`. */
  readonly memoryLimit: string;
  readonly threads: number;
  /** Where DuckDB spills; beside the file when left out. */
  readonly tempDirectory?: string;
  /** Exports on their way in: with the archive the one folder that SQL may reach files in. */
  readonly spoolDirectory: string;
  /** Where months of the call log are kept as Parquet files; beside the database when left out. */
  readonly archiveDirectory?: string;
};

/** The one owner of the DuckDB instance. */
export type Engine = AsyncDisposable & {
  /** Small state, one piece of work after the other over one connection: concurrent updates of a row would conflict. */
  readonly state: <T>(work: (connection: DuckDBConnection) => Promise<T>) => Promise<T>;
  /** Bulk work on a connection of its own; at most three at once. A signal interrupts the statement under way. */
  readonly bulk: <T>(work: (connection: DuckDBConnection) => Promise<T>, signal?: AbortSignal) => Promise<T>;
};

/** More long jobs at once would starve files and DNS of libuv's threads. */
const jobsAtOnce = 3;

const lockDown = async (connection: DuckDBConnection, folders: readonly string[]): Promise<void> => {
  // Rows are a multiset: their order in the file means nothing, and keeping it costs memory.
  await connection.run('SET preserve_insertion_order = false');
  // A file that was just written is read again to verify it: what the engine remembers of it proves nothing.
  await connection.run('SET enable_external_file_cache = false');
  await connection.run(`SET allowed_directories = [${folders.map(literal).join(', ')}]`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
};

const openInstance = async (options: EngineOptions): Promise<DuckDBInstance> =>
  (await loadDuckDB()).DuckDBInstance.create(options.path, {
    memory_limit: engineMemory(options.memoryLimit),
    threads: String(options.threads),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    temp_directory:
      options.tempDirectory ?? (options.path === ':memory:' ? options.spoolDirectory : `${options.path}.tmp`),
  });

/** @throws faults warehouse-locked, warehouse-unreadable, warehouse-newer, disk-full, path-unwritable. */
export const openEngine = async (options: EngineOptions): Promise<Engine> => {
  if (options.path !== ':memory:') await ownFolder(dirname(options.path));
  await ownFolder(options.spoolDirectory);
  const translate = (error: unknown): never => {
    throw engineFault(error, options.path);
  };
  const instance = await openInstance(options).catch(translate);
  const connect = async (): Promise<DuckDBConnection> => instance.connect();
  const stateConnection = await connect().catch(translate);
  try {
    await lockDown(stateConnection, [options.spoolDirectory, archiveFolderOf(options)]);
  } catch (error) {
    instance.closeSync();
    translate(error);
  }
  const oneAtATime = createGate(1);
  const jobs = createGate(jobsAtOnce);
  const underWay = new Set<Promise<unknown>>();
  const onOwnConnection = async <T>(
    work: (connection: DuckDBConnection) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> => {
    signal?.throwIfAborted();
    const connection = await connect();
    const watch = signal === undefined ? undefined : interruptOn(connection, signal);
    try {
      return await work(connection);
    } catch (error) {
      signal?.throwIfAborted();
      return translate(error);
    } finally {
      watch?.[Symbol.dispose]();
      connection.closeSync();
    }
  };
  return {
    state: async (work) => oneAtATime(async () => work(stateConnection).catch(translate)),
    bulk: async (work, signal) => {
      const job = jobs(async () => onOwnConnection(work, signal));
      underWay.add(job);
      try {
        return await job;
      } finally {
        underWay.delete(job);
      }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.allSettled(underWay);
      await oneAtATime(async () => {
        stateConnection.closeSync();
        instance.closeSync();
      });
    },
  };
};
