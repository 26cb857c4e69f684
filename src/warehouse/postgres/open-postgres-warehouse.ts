import { randomUUID } from 'node:crypto';
import { createNamedGates, errorFields, fault, type Clock } from '../../core/index.ts';
import {
  createLeases,
  inTransaction,
  openEngine,
  wholeNumber,
  type PostgresEngine,
  type Sql,
} from '../../storage/index.ts';
import type { ArchiveTable } from '../archive/archive-table.ts';
import { schema } from '../schema.ts';
import { createTables, type Warehouse, type WarehouseOptions } from '../tables.ts';
import { postgresStatements } from './account-tables.ts';
import { createPostgresRows } from './row-store.ts';

/** Longer than any step between two extensions, and short enough for a takeover. */
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

/** Calls stay in the partitions of their months. */
const noArchive: ArchiveTable = {
  plan: async () => ({ months: [], kept: [], damaged: [] }),
  months: async () => [],
  verify: async () => [],
  run: async () => {
    throw fault('wrong-use', 'the archive is one of a database file; PostgreSQL keeps all calls', {
      advice: 'remove the archive job; PostgreSQL has a partition of call_log for each month',
    });
  },
};

/** All tables in PostgreSQL, which is closed with them. What SQL needs of them at a time is in memory. */
export const openPostgresWarehouse = async (
  database: PostgresEngine,
  options: WarehouseOptions,
): Promise<Warehouse> => {
  await createSchema(database, options.clock, options.version);
  const engine = await openEngine({ ...options, path: ':memory:' });
  const leases = createLeases({ database, holder: randomUUID(), lasts: leaseLasts });
  const { spoolDirectory: folder } = options;
  return createTables(
    {
      engine,
      state: database,
      rowStore: createPostgresRows({ engine, database, folder, tokenOf: leases.take }),
      oneAnAccount: createNamedGates(),
      archive: noArchive,
      exclusive: async () => {
        throw fault('wrong-use', 'PostgreSQL has no database file', {
          advice: 'back it up with its own tools',
        });
      },
      close: async () => {
        await leases
          .release()
          .catch((error: unknown) => options.log.warn('leases are held until they end', errorFields(error)));
        await engine[Symbol.asyncDispose]();
        await database[Symbol.asyncDispose]();
      },
    },
    options,
  );
};
