import type { Clock } from '../../core/index.ts';
import {
  inTransaction,
  openSharedDatabase,
  wholeNumber,
  type DatabaseOptions,
  type PostgresEngine,
  type SharedDatabase,
  type Sql,
} from '../../storage/index.ts';
import { schema } from '../schema.ts';
import { postgresStatements } from './account-tables.ts';

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

/** The database at an address, with the tables of this version. @throws those of `openSharedDatabase` */
export const openDatabase = async (
  options: Omit<DatabaseOptions, 'schema'> & { readonly version?: string | undefined },
): Promise<SharedDatabase & { readonly isNew: boolean }> =>
  openSharedDatabase({
    ...options,
    schema: {
      number: schema.number,
      create: (engine) => createSchema(engine, options.clock, options.version),
    },
  });
