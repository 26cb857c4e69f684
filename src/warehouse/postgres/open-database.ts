import type { Clock, Log } from '../../core/index.ts';
import {
  connectPostgres,
  createLeases,
  inTransaction,
  openPostgres,
  wholeNumber,
  type Fence,
  type Leases,
  type PostgresEngine,
  type Sql,
} from '../../storage/index.ts';
import { schema } from '../schema.ts';
import { postgresStatements } from './account-tables.ts';

/** A database that several processes share, and what this one may do in it. */
export type SharedDatabase = { readonly engine: PostgresEngine; readonly leases: Leases };

export type DatabaseOptions = {
  /** `postgres://` */
  readonly url: string;
  /** The name of this replica, different from that of each other one, also of an earlier process. */
  readonly holder: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly version?: string | undefined;
};

/** Connections at the same time: jobs, their state, and leases. */
const mostConnections = 10;

/** A replica that ends without releasing them is replaced after this time, ms. */
const leaseLasts = 10_000;

const readSchema = async (connection: Sql): Promise<number> => {
  const [table] = await connection.rows(
    `SELECT 1 AS found FROM pg_class WHERE oid = to_regclass('schema_migration')`,
  );
  if (table === undefined) return 0;
  const [row] = await connection.rows('SELECT max(number) AS number FROM schema_migration');
  return wholeNumber(row, 'number');
};

/** Creates the tables in an empty database. Of two replicas that do it at once, one waits for the other. */
export const createSchema = async (
  database: PostgresEngine,
  clock: Clock,
  version = 'unknown',
): Promise<void> => {
  const isCreated = () => database.bulk(async (connection) => (await readSchema(connection)) > 0);
  if (await isCreated()) return;
  await database
    .bulk((connection) =>
      inTransaction(connection, async () => {
        // The name is taken by the first one: the others fail once it has finished.
        await connection.execute(
          'CREATE TABLE schema_migration (number BIGINT NOT NULL, name VARCHAR NOT NULL, applied_at BIGINT NOT NULL, version VARCHAR)',
        );
        for (const statement of postgresStatements) await connection.execute(statement);
        await connection.execute('INSERT INTO schema_migration VALUES ($number, $name, $at, $version)', {
          number: schema.number,
          name: 'new database',
          at: clock.now(),
          version,
        });
      }),
    )
    .catch(async (error: unknown) => {
      if (!(await isCreated())) throw error;
    });
};

/**
 * Connects to PostgreSQL, and creates the tables in an empty database.
 * @throws faults database-unreachable, database-refused, warehouse-newer, warehouse-older
 */
export const openDatabase = async ({
  url,
  holder,
  clock,
  log,
  version,
}: DatabaseOptions): Promise<SharedDatabase & { readonly isNew: boolean }> => {
  const { number } = schema;
  const { pool, where, clockOffset, ...found } = await connectPostgres({
    url,
    most: mostConnections,
    schema: { oldest: number, newest: number },
    clock,
  });
  try {
    const plain = openPostgres(pool, where);
    await createSchema(plain, clock, version);
    log.info('connected to the database', { database: where, version: found.serverVersion, clockOffset });
    const fence: Fence = { holder, leases: 0 };
    return {
      engine: openPostgres(pool, where, fence),
      leases: createLeases({ database: plain, fence, lasts: leaseLasts, clock, log }),
      isNew: found.schema === 0,
    };
  } catch (error) {
    await pool.end();
    throw error;
  }
};
