import { Socket } from 'node:net';
import type { ClientConfig, Pool } from 'pg';
import { systemClock, type Clock } from '../../core/index.ts';
import { addressOf } from './address.ts';
import { postgresFault } from './faults.ts';
import { readFacts, readSchema, refusalOf, schemaRefusalOf, type SchemaRange } from './server-facts.ts';

type Driver = typeof import('pg');

let loaded: Promise<Driver> | undefined;

/** Loads the driver at the first connection, so that commands that use a database file start without it. */
const loadDriver = (): Promise<Driver> => (loaded ??= import('pg'));

export type PostgresOptions = {
  /** `postgres://` or `postgresql://`. The caller has registered its password for redaction. */
  readonly url: string;
  /** Connections at the same time; at least 2, as one is kept for state. */
  readonly most: number;
  readonly schema: SchemaRange;
  readonly clock?: Pick<Clock, 'now' | 'limit'>;
};

/** A pool whose closing has a time limit. */
export type PostgresPool = AsyncDisposable & { readonly pool: Pool };

export type PostgresConnections = PostgresPool & {
  /** Further connections to the same server, apart from those of `pool`. `timeout`: milliseconds to connect. */
  readonly openPool: (most: number, timeout: number) => PostgresPool;
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
/**
 * Milliseconds without traffic before the first keep-alive probe: less than the time after which firewalls drop an idle connection. A
 * connection fails after ten unanswered probes, one second apart.
 */
const keepAliveDelay = 10_000;
/** Milliseconds to wait at disposal until the server closes the connections. */
const closingTimeout = 1000;

const poolOf = (
  { Pool }: Driver,
  options: ClientConfig,
  { most, timeout, clock }: { most: number; timeout: number; clock: Pick<Clock, 'limit'> },
): PostgresPool => {
  const sockets = new Set<Socket>();
  const pool = new Pool({
    ...options,
    max: most,
    application_name: 'tollkeeper',
    connectionTimeoutMillis: timeout,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelay,
    stream: () => {
      const socket = new Socket();
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      return socket;
    },
  });
  // The next statement replaces an idle connection that fails. Without a listener, the error would end the process.
  pool.on('error', () => undefined);
  return {
    pool,
    [Symbol.asyncDispose]: async () => {
      using limit = clock.limit(closingTimeout);
      const late = new Promise<void>((resolve) => {
        limit.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      // The driver waits until the server closes a connection. A silent server never does.
      await Promise.race([pool.ending ? late : pool.end(), late]);
      for (const socket of sockets) socket.destroy();
    },
  };
};

/**
 * Connects to PostgreSQL, and checks once that the server and the database can be used. No session state is set, so a pooler in
 * transaction mode can be used. Nothing is written.
 * @throws faults database-unreachable, database-refused, warehouse-newer, warehouse-older
 */
export const connectPostgres = async ({
  url,
  most,
  schema: range,
  clock = systemClock,
}: PostgresOptions): Promise<PostgresConnections> => {
  const { shown: where, options } = await addressOf(url);
  const driver = await loadDriver();
  const openPool = (atMost: number, timeout: number): PostgresPool =>
    poolOf(driver, options, { most: atMost, timeout, clock });
  const opened = openPool(most, connectionTimeout);
  const { pool } = opened;
  try {
    // Opens the connection, so that the time to connect does not affect the clock offset.
    (await pool.connect()).release();
    const before = clock.now();
    const facts = await readFacts(pool);
    const after = clock.now();
    const refusal = refusalOf(facts, where);
    if (refusal !== undefined) throw refusal;
    const schema = await readSchema(pool, facts);
    const schemaRefusal = schemaRefusalOf(schema, range, facts, where);
    if (schemaRefusal !== undefined) throw schemaRefusal;
    return {
      ...opened,
      openPool,
      where,
      serverVersion: facts.version,
      schema,
      clockOffset: Math.round(facts.now - (before + after) / 2),
    };
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw postgresFault(error, where);
  }
};
