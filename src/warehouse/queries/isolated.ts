import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesOf, createGate, isFault, type Clock, type Gate } from '../../core/index.ts';
import { spoolPrefix } from '../spool-prefix.ts';
import { openOwnEngine } from './own-tables.ts';
import { createQueryProcess, type ProcessOptions, type QueryProcess } from './query-process.ts';
import type { QueryEngine, QueryTables, TablesOptions } from './query-engine.ts';

/**
 * Planning a query takes milliseconds of processor time, unless the engine evaluates an expression of constants while it
 * plans. On a busy machine a process of low priority waits for most of the time.
 */
const planLimits = { timeLimit: 20_000, memoryLimit: 256 * 2 ** 20 };

/** Bytes that the engine takes beside what it counts: it does not count all its memory, and plans without counting any. */
export const uncounted = 128 * 2 ** 20;

/** `oneFile`: the process has one file open, so the queries of one report run until its tables are closed. */
const openTables = async (
  queries: QueryProcess,
  oneFile: Gate,
  options: TablesOptions,
): Promise<QueryTables> => {
  const { memoryLimit, threads } = options;
  const folder = await mkdtemp(join(options.folder, `${spoolPrefix}queries-`));
  const file = join(folder, 'tables.duckdb');
  const limits = { memoryLimit: bytesOf(memoryLimit) + uncounted };
  let opened: Promise<Disposable> | undefined;
  return {
    fill: async (work) => {
      if (opened !== undefined) await queries.release();
      const { instance, connection } = await openOwnEngine(file, options);
      try {
        return await work(connection);
      } finally {
        connection.close();
        instance.closeSync();
      }
    },
    run: async (views, sql, { rowLimit, ...others }) => {
      await (opened ??= oneFile.enter());
      return queries.ask(
        'run',
        { file, memoryLimit, threads, views, sql, rowLimit },
        { ...limits, ...others },
      );
    },
    [Symbol.asyncDispose]: async () => {
      if (opened !== undefined) {
        using _file = await opened;
        await queries.release();
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/**
 * Runs queries in a child process, which is killed when one takes too long or too much memory, or when its run is
 * stopped. Their tables are a file, which the process reads and this one writes.
 */
export const createIsolatedQueries = (
  start: () => ChildProcess,
  clock: Clock,
  options: ProcessOptions,
): QueryEngine => {
  const queries = createQueryProcess(start, clock, options);
  const oneFile = createGate(1);
  return {
    bind: async (sql, signal) => {
      try {
        return await queries.ask('bind', { sql }, { ...planLimits, signal });
      } catch (error) {
        signal?.throwIfAborted();
        if (!isFault(error)) throw error;
        return { fault: { message: error.message } };
      }
    },
    needs: async (sql, signal) => queries.ask('needs', { sql }, { ...planLimits, signal }),
    openTables: async (options) => openTables(queries, oneFile, options),
    [Symbol.asyncDispose]: async () => queries[Symbol.asyncDispose](),
  };
};
