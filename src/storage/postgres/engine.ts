import type { Pool as Connections } from 'pg';
import { createGate, isFault, systemCode } from '../../core/index.ts';
import type { StateEngine } from '../sql.ts';
import { sqlOf, type PostgresConnection } from './connection.ts';
import { fenced, type Fence } from './fence.ts';
import { endsConnection, isConflict, postgresFault } from './faults.ts';

/** Of work that conflicts with another transaction, which may be one of this replica. */
const mostAttempts = 20;

/** The engine of a database that several processes share. */
export type PostgresEngine = AsyncDisposable & {
  readonly [Work in keyof StateEngine]: <T>(
    work: (connection: PostgresConnection) => Promise<T>,
    signal?: AbortSignal,
  ) => Promise<T>;
};

/**
 * State in PostgreSQL. `pool` belongs to the engine, and closes with it; `where` names it in messages.
 * @throws faults database-unreachable, database-refused, disk-full, warehouse-failed, lease-lost
 */
export const openPostgres = (pool: Connections, where = 'PostgreSQL', fence?: Fence): PostgresEngine => {
  const onConnection = async <T>(
    work: (connection: PostgresConnection) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> => {
    const client = await pool.connect().catch((error: unknown) => {
      throw postgresFault(error, where);
    });
    let lost: Error | undefined;
    // The pool listens to idle connections alone; this one may break between two statements.
    const onError = (error: Error): void => {
      lost ??= error;
    };
    client.on('error', onError);
    // A pooler has no session to cancel; the server rolls back when it finds the connection closed.
    const stop = (): void => void client.end();
    signal?.addEventListener('abort', stop, { once: true });
    let isSpent = false;
    try {
      signal?.throwIfAborted();
      return await work(fence === undefined ? sqlOf(client) : fenced(sqlOf(client), client, fence));
    } catch (error) {
      signal?.throwIfAborted();
      // After a broken connection the driver refuses each statement without saying why.
      const hasReason = isFault(error) || systemCode(error) !== undefined;
      const failure = postgresFault(hasReason ? error : (lost ?? error), where);
      isSpent = endsConnection(failure);
      throw failure;
    } finally {
      signal?.removeEventListener('abort', stop);
      client.off('error', onError);
      const isOpen = client.getTransactionStatus() !== 'I';
      client.release(isSpent || isOpen || lost !== undefined || signal?.aborted === true);
    }
  };
  const oneAtATime = createGate(1);
  // Bulk work may use the state within, so one connection is left for it; a wait for others has no time limit. Another one
  // is left for leases, which would end meanwhile.
  const jobs = createGate(Math.max(pool.options.max - 2, 1));
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
    [Symbol.asyncDispose]: () => pool.end(),
  };
};
