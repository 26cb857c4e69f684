import type { Pool as Connections } from 'pg';
import { createGate, fault, isFault, messageOf } from '../../core/index.ts';
import type { StateEngine } from '../sql.ts';
import { sqlOf, type PostgresConnection } from './connection.ts';

const translate = (error: unknown): never => {
  throw isFault(error)
    ? error
    : fault('warehouse-failed', `PostgreSQL: ${messageOf(error)}`, { cause: error });
};

/** The engine of a database that several processes share. */
export type PostgresEngine = AsyncDisposable & {
  readonly [Work in keyof StateEngine]: <T>(
    work: (connection: PostgresConnection) => Promise<T>,
  ) => Promise<T>;
};

/** State in PostgreSQL. `pool` belongs to the engine, and closes with it. @throws Fault warehouse-failed */
export const openPostgres = (pool: Connections): PostgresEngine => {
  const onConnection = async <T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> => {
    const client = await pool.connect().catch(translate);
    try {
      return await work(sqlOf(client)).catch(translate);
    } finally {
      client.release();
    }
  };
  const oneAtATime = createGate(1);
  return {
    state: (work) => oneAtATime(() => onConnection(work)),
    bulk: (work) => onConnection(work),
    [Symbol.asyncDispose]: () => pool.end(),
  };
};
