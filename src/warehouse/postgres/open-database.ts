import type { Clock } from '../../core/index.ts';
import {
  flag,
  inTransaction,
  openSharedDatabase,
  type DatabaseOptions,
  type PostgresEngine,
  type SharedDatabase,
} from '../../storage/index.ts';
import { schema } from '../schema.ts';
import { laterStatements, postgresStatements } from './account-tables.ts';

/** Creates the tables in an empty database. Of two replicas that do it at once, one waits for the other and then fails. */
export const createSchema = async (
  database: PostgresEngine,
  clock: Clock,
  version = 'unknown',
): Promise<void> =>
  database.bulk((connection) =>
    inTransaction(connection, async () => {
      // The name is taken by the first one.
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
  );

/** Creates what the tables of an earlier version lack. */
const completeSchema = async (database: PostgresEngine): Promise<void> =>
  database.bulk(async (connection) => {
    for (const { table, statements } of laterStatements) {
      const [row] = await connection.rows('SELECT to_regclass($table) IS NOT NULL AS known', { table });
      if (flag(row ?? {}, 'known')) continue;
      await inTransaction(connection, async () => {
        for (const statement of statements) await connection.execute(statement);
      });
    }
  });

/** The database at an address, with the tables of this version. @throws those of `openSharedDatabase` */
export const openDatabase = async (
  options: Omit<DatabaseOptions, 'schema'> & { readonly version?: string | undefined },
): Promise<SharedDatabase> => {
  const database = await openSharedDatabase({
    ...options,
    schema: {
      number: schema.number,
      create: (engine) => createSchema(engine, options.clock, options.version),
    },
  });
  try {
    await completeSchema(database.engine);
    return database;
  } catch (error) {
    await database.engine[Symbol.asyncDispose]();
    throw error;
  }
};
