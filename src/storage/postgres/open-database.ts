import { type Clock, type Log } from '../../core/index.ts';
import { connectPostgres } from './connect.ts';
import { openPostgres, type PostgresEngine } from './engine.ts';
import type { Fence } from './fence.ts';
import { readFacts, readSchema } from './server-facts.ts';
import { createLeases, type Leases } from './leases.ts';

/** A database that several processes share, and what this one may do in it. */
export type SharedDatabase = { readonly engine: PostgresEngine; readonly leases: Leases };

export type DatabaseOptions = {
  /** `postgres://` */
  readonly url: string;
  /** The name of this replica, different from that of each other one, also of an earlier process. */
  readonly holder: string;
  /** A replica that ends without releasing its leases is replaced after this time, ms. */
  readonly lease: number;
  /** The number of the schema, and what creates it in an empty database; it may fail where another process does so. */
  readonly schema: { readonly number: number; readonly create: (engine: PostgresEngine) => Promise<void> };
  readonly clock: Clock;
  readonly log: Log;
};

/** Connections at the same time: jobs, their state, and leases. */
const mostConnections = 10;

/**
 * Connects to PostgreSQL, and creates the tables in an empty database.
 * @throws faults database-unreachable, database-refused, warehouse-newer, warehouse-older
 */
export const openDatabase = async ({
  url,
  holder,
  lease,
  schema: { number, create },
  clock,
  log,
}: DatabaseOptions): Promise<SharedDatabase> => {
  const { pool, where, clockOffset, serverVersion, schema } = await connectPostgres({
    url,
    most: mostConnections,
    schema: { oldest: number, newest: number },
    clock,
  });
  try {
    const plain = openPostgres(pool, where);
    if (schema === 0)
      await create(plain).catch(async (error: unknown) => {
        // Another replica that starts at the same time may have created them.
        if ((await readSchema(pool, await readFacts(pool))) === 0) throw error;
      });
    log.info('connected to the database', { database: where, version: serverVersion, clockOffset });
    const fence: Fence = { holder, lasts: lease, leases: 0 };
    return {
      engine: openPostgres(pool, where, fence),
      leases: createLeases({ database: plain, fence, clock, log }),
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
};
