import { fault, isFault, messageOf, type Clock } from '../../core/index.ts';
import { connectionOf, interruptOn, withoutErrorClass } from '../../storage/index.ts';
import { openOwnEngine } from './own-tables.ts';
import { bindQuery, needsOfQuery } from './plan-queries.ts';
import type { QueryEngine, QueryTables } from './query-engine.ts';
import { runQuery, viewsOn } from './run-query.ts';

const limits = { memoryLimit: '512MB', threads: 1 };

/** One per process: an engine takes longer to open and close than a report's queries to run. */
let opened: ReturnType<typeof openOwnEngine> | undefined;
let databases = 0;

const openTables = async (clock: Clock) => {
  opened ??= openOwnEngine(':memory:', limits);
  const { instance } = await opened.catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  databases += 1;
  const name = `tables_${databases}`;
  const connection = connectionOf(await instance.connect());
  await connection.execute(`ATTACH ':memory:' AS ${name}`);
  await connection.execute(`USE ${name}`);
  const define = viewsOn(connection);
  return {
    fill: async (work) => work(connection),
    run: async (views, sql, { timeLimit, rowLimit, signal }) => {
      using tooLong = clock.limit(timeLimit);
      // Two separate watches: a combined signal would stay attached to the run's signal for as long as that exists.
      using _late = interruptOn(connection, tooLong.signal);
      using _stopped = signal === undefined ? undefined : interruptOn(connection, signal);
      try {
        await define(views);
        return await runQuery(connection, sql, rowLimit);
      } catch (error) {
        signal?.throwIfAborted();
        if (tooLong.signal.aborted) throw exceeded(timeLimit);
        if (isFault(error)) throw error;
        throw fault('report-query-failed', oneLine(error), { cause: error });
      }
    },
    [Symbol.asyncDispose]: async () => {
      await connection.execute('USE memory');
      await connection.execute(`DETACH ${name}`);
      connection.close();
    },
  } satisfies QueryTables;
};

/** The first lines of an engine's message, in one, without the class of the error. */
export const oneLine = (error: unknown): string =>
  withoutErrorClass(messageOf(error).split('\n').slice(0, 4).join(' ').trim());

export const exceeded = (timeLimit: number) =>
  fault('report-query-failed', `the query exceeded its time limit of ${timeLimit} ms`);

/**
 * Runs queries in this process, where a statement that the engine cannot interrupt goes on: only for SQL that is
 * trusted.
 */
export const createOwnQueries = (clock: Clock): QueryEngine => ({
  bind: async (sql, signal) => {
    signal?.throwIfAborted();
    return bindQuery(sql);
  },
  needs: async (sql, signal) => {
    signal?.throwIfAborted();
    return needsOfQuery(sql);
  },
  openTables: async () => openTables(clock),
  [Symbol.asyncDispose]: async () => undefined,
});
