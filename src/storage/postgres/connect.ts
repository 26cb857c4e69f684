import type { Pool } from 'pg';
import { systemClock, type Clock } from '../../core/index.ts';
import { addressOf } from './address.ts';
import { postgresFault } from './faults.ts';
import { readFacts, readSchema, refusalOf, schemaRefusalOf, type SchemaRange } from './server-facts.ts';

type Driver = typeof import('pg');

let loaded: Promise<Driver> | undefined;

/** The driver, loaded with the first connection, so that commands on a file start without it. */
const loadDriver = (): Promise<Driver> => (loaded ??= import('pg'));

export type PostgresOptions = {
  /** `postgres://` or `postgresql://`; its password is registered for redaction. */
  readonly url: string;
  /** Connections at the same time; at least 2, as one is kept for state. */
  readonly most: number;
  readonly schema: SchemaRange;
  readonly clock?: Pick<Clock, 'now'>;
};

export type PostgresConnections = AsyncDisposable & {
  readonly pool: Pool;
  /** The database in messages, without the password. */
  readonly where: string;
  /** `15.4` */
  readonly serverVersion: string;
  /** 0 for an empty database. */
  readonly schema: number;
  /** Milliseconds by which the clock of the server is ahead of the local one. */
  readonly clockOffset: number;
};

/** Milliseconds. */
const connectionTimeout = 10_000;
/** Milliseconds; below the time after which firewalls forget a connection. */
const keepAliveDelay = 60_000;

/**
 * Connects to PostgreSQL, and checks once that the server and the database can be used. No session state is set, so that
 * it may be a pooler in transaction mode. Nothing is written.
 * @throws faults database-unreachable, database-refused, warehouse-newer, warehouse-older
 */
export const connectPostgres = async ({
  url,
  most,
  schema: range,
  clock = systemClock,
}: PostgresOptions): Promise<PostgresConnections> => {
  const { shown: where, options } = await addressOf(url);
  const { Pool } = await loadDriver();
  const pool = new Pool({
    ...options,
    max: most,
    application_name: 'tollkeeper',
    connectionTimeoutMillis: connectionTimeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelay,
  });
  // An idle connection that ends is replaced by the next statement; without a listener it would end the process.
  pool.on('error', () => undefined);
  try {
    // The first statement connects, which is no part of the time that the clock is read in.
    await pool.query('SELECT 1');
    const before = clock.now();
    const facts = await readFacts(pool);
    const after = clock.now();
    const refusal = refusalOf(facts, where);
    if (refusal !== undefined) throw refusal;
    const schema = await readSchema(pool, facts);
    const schemaRefusal = schemaRefusalOf(schema, range, facts, where);
    if (schemaRefusal !== undefined) throw schemaRefusal;
    return {
      pool,
      where,
      serverVersion: facts.version,
      schema,
      clockOffset: Math.round(facts.now - (before + after) / 2),
      // An engine that the pool was given to has closed it.
      [Symbol.asyncDispose]: async () => {
        if (!pool.ending) await pool.end();
      },
    };
  } catch (error) {
    await pool.end();
    throw postgresFault(error, where);
  }
};
