import { type Clock, type Log } from '../../core/index.ts';
import { connectPostgres } from './connect.ts';
import { openPostgres, type PostgresEngine } from './engine.ts';
import type { Fence } from './fence.ts';
import { completeSchema, createSchema, migrateSchema, oldestShared, type DatabaseSchema } from './schema.ts';
import { readFacts, readSchema } from './server-facts.ts';
import { createLeases, type Leases } from './leases.ts';
import { areAtWork, terminate } from './server-processes.ts';
import { createWatch } from './watch.ts';

/** A database that several processes share, and what this one may do in it. */
export type SharedDatabase = {
  readonly engine: PostgresEngine;
  /** Uses the same connections for work that only reads. It needs no lease, so another process may hold the leases. */
  readonly reader: PostgresEngine;
  readonly leases: Leases;
};

export type DatabaseOptions = {
  /** `postgres://` */
  readonly url: string;
  /** The name of this replica. No other replica and no earlier process has the same name. */
  readonly holder: string;
  /** A replica that ends without releasing its leases is replaced after this time, ms. */
  readonly lease: number;
  /** A statement is aborted after this time without a byte, even if the server still works on it, ms. */
  readonly timeout: number;
  readonly schema: DatabaseSchema;
  /** The version of this program. The database stores it with the schema version. */
  readonly version?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
};

/** The most connections for jobs and their state. Leases and checks of silent connections have one further connection each. */
const mostConnections = 9;

/** Clock offset in milliseconds above which the log has a warning. */
const largestOffset = 5000;

/**
 * Connects to PostgreSQL, and creates missing tables (all of them in an empty database) or migrates those of an earlier version.
 * @throws faults database-unreachable, database-refused, warehouse-newer, warehouse-older
 */
export const openDatabase = async ({
  url,
  holder,
  lease,
  timeout,
  schema: wanted,
  version,
  clock,
  log,
}: DatabaseOptions): Promise<SharedDatabase> => {
  const connections = await connectPostgres({
    url,
    most: mostConnections,
    schema: { oldest: oldestShared, newest: wanted.number },
    clock,
  });
  const { pool, where, clockOffset, serverVersion, schema } = connections;
  // If the server takes longer to answer, the lease may end before it is extended.
  const answer = lease / 3;
  const pools = [connections.openPool(1, answer), connections.openPool(1, answer)] as const;
  const close = async (): Promise<void> => {
    await Promise.all([connections, ...pools].map((one) => one[Symbol.asyncDispose]()));
  };
  try {
    const limit = { clock, most: answer };
    const [ofLeases, ofQuestions] = [
      openPostgres(pools[0].pool, where, { limit }),
      openPostgres(pools[1].pool, where, { limit }),
    ];
    const watch = createWatch({
      limits: { answer, statement: timeout },
      clock,
      where,
      areAtWork: (statements) => ofQuestions.bulk((sql) => areAtWork(sql, statements)),
      terminate: (backend) => ofQuestions.bulk((sql) => terminate(sql, backend)),
    });
    const fence: Fence = { holder, lasts: lease, leases: 0 };
    const own = openPostgres(pool, where, { fence, watch, close });
    const reads = openPostgres(pool, where, { watch, close, isReader: true });
    const abandon: PostgresEngine['abandon'] = (reason) => {
      for (const one of [own, reads, ofLeases, ofQuestions]) one.abandon(reason);
    };
    const engine: PostgresEngine = { ...own, abandon };
    const reader: PostgresEngine = { ...reads, abandon };
    if (schema === 0)
      await createSchema(engine, wanted, clock, version).catch(async (error: unknown) => {
        // Another replica that starts at the same time may have created them.
        if ((await readSchema(pool, await readFacts(pool))) === 0) throw error;
      });
    else if (schema < wanted.number) await migrateSchema(engine, wanted, clock, version);
    await completeSchema(engine);
    const fields = { database: where, version: serverVersion };
    if (Math.abs(clockOffset) <= largestOffset) log.info('connected to the database', fields);
    else
      log.warn('connected to the database, whose clock differs from that of this machine', {
        ...fields,
        offsetSeconds: Math.round(clockOffset / 1000),
        advice: 'synchronize both clocks (NTP); leases use the clock of the server',
      });
    const leases = createLeases({ database: ofLeases, fence, clock, log, isInDoubt: watch.isInDoubt });
    // After the leases are lost, nothing can be stored, so all work is aborted.
    void leases.lost.then(engine.abandon);
    return { engine, reader, leases };
  } catch (error) {
    await close();
    throw error;
  }
};
