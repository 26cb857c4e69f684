import type { Pool as Connections, PoolClient } from 'pg';
import {
  createGate,
  fault,
  firstSignal,
  isFault,
  systemCode,
  type Clock,
  type Fault,
} from '../../core/index.ts';
import type { StateEngine } from '../sql.ts';
import { reading, sqlOf, type PostgresConnection } from './connection.ts';
import { fenced, type Fence } from './fence.ts';
import { endsConnection, isConflict, postgresFault } from './faults.ts';
import { destroy } from './socket.ts';
import { unwatched, type Watch } from './watch.ts';

/** The most attempts at work that conflicts with another transaction, which may belong to the same replica. */
const mostAttempts = 20;

/** The engine of a database that several processes share. */
export type PostgresEngine = AsyncDisposable & {
  readonly [Work in keyof StateEngine]: <T>(
    work: (connection: PostgresConnection) => Promise<T>,
    signal?: AbortSignal,
  ) => Promise<T>;
} & {
  /** Ends all work and refuses further work for this reason, without waiting for the server. */
  readonly abandon: (reason: Fault) => void;
};

export type EngineOptions = {
  /** The leases that transactions check first, except read-only snapshots. */
  readonly fence?: Fence;
  /** Whether the engine only reads. */
  readonly isReader?: boolean;
  readonly watch?: Watch;
  /** Limits each work, including the wait for a connection, to `most` ms. Without it, only `watch` limits statements. */
  readonly limit?: { readonly clock: Pick<Clock, 'limit'>; readonly most: number };
  /** Closes the connections; without it, those of the pool are ended. */
  readonly close?: () => Promise<void>;
};

/**
 * Opens an engine on a pool. Disposal calls `close`, which by default ends the pool. Messages show `where`.
 * @throws faults database-unreachable, database-refused, disk-full, warehouse-failed, lease-lost
 */
export const openPostgres = (
  pool: Connections,
  where = 'PostgreSQL',
  { fence, isReader = false, watch = unwatched, limit, close = () => pool.end() }: EngineOptions = {},
): PostgresEngine => {
  const abandoned = new AbortController();
  /** Returns a connection of the pool. Rejects as soon as the signal is aborted, with its reason. */
  const connect = (signal: AbortSignal): Promise<PoolClient> =>
    new Promise((resolve, reject) => {
      const stop = (): void => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      pool
        .connect()
        .then(
          // A connection that arrives after the abort returns to the pool.
          (client) => (signal.aborted ? client.release() : resolve(client)),
          (error: unknown) => reject(postgresFault(error, where)),
        )
        .finally(() => signal.removeEventListener('abort', stop));
    });
  const onConnection = async <T>(
    work: (connection: PostgresConnection) => Promise<T>,
    given?: AbortSignal,
  ): Promise<T> => {
    using late = limit?.clock.limit(limit.most);
    const tooLate = new AbortController();
    late?.signal.addEventListener('abort', () =>
      tooLate.abort(fault('database-unreachable', `${where}: the server does not answer in time`)),
    );
    using first = firstSignal([given, abandoned.signal, tooLate.signal]);
    const { signal } = first;
    signal.throwIfAborted();
    const client = await connect(signal);
    let lost: Error | undefined;
    // The pool handles errors of idle connections only. This connection may break between two statements.
    const onError = (error: Error): void => {
      lost ??= error;
    };
    client.on('error', onError);
    // Behind a pooler, the session to cancel is not known. The server rolls back when it finds that the connection is closed.
    const stop = (): void => destroy(client);
    signal.addEventListener('abort', stop, { once: true });
    let isSpent = false;
    const connection = isReader ? reading(sqlOf(client, watch)) : sqlOf(client, watch);
    try {
      signal.throwIfAborted();
      return await work(fence === undefined ? connection : fenced(connection, client, fence));
    } catch (error) {
      signal.throwIfAborted();
      // After a broken connection the driver refuses each statement without saying why.
      const hasReason = isFault(error) || systemCode(error) !== undefined;
      const failure = postgresFault(hasReason ? error : (lost ?? error), where);
      // The server reports the transaction state after the error, so the driver knows it only after the ROLLBACK.
      isSpent =
        endsConnection(failure) ||
        (await connection.execute('ROLLBACK').then(
          () => false,
          () => true,
        ));
      throw failure;
    } finally {
      signal.removeEventListener('abort', stop);
      client.off('error', onError);
      const isOpen = client.getTransactionStatus() !== 'I';
      isSpent ||= isOpen || lost !== undefined || signal.aborted;
      // `release` alone serves the work that waits for the pool only after the server has closed this connection.
      if (isSpent) destroy(client);
      client.release(isSpent);
    }
  };
  const oneAtATime = createGate(1);
  // Bulk work may call `state`, so one connection stays free for it. The wait at this gate has no time limit, unlike a wait at the pool.
  const jobs = createGate(Math.max(pool.options.max - 1, 1));
  const repeated: typeof onConnection = async (work, signal) => {
    for (let attempt = 1; ; attempt += 1)
      try {
        return await onConnection(work, signal);
      } catch (error) {
        if (attempt === mostAttempts || !isConflict(error)) throw error;
      }
  };
  return {
    state: (work, signal) => oneAtATime(() => repeated(work, signal)),
    bulk: (work, signal) => jobs(() => repeated(work, signal)),
    abandon: (reason) => abandoned.abort(reason),
    [Symbol.asyncDispose]: close,
  };
};
