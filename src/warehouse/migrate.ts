import { fault, type Clock } from '../core/index.ts';
import { type Engine, inTransaction, wholeNumber, type Sql } from '../storage/index.ts';

/** A step from one schema to the next. */
export type Migration = {
  readonly number: number;
  readonly name: string;
  readonly statements: readonly string[];
};

/** A schema, and the migrations to it from the oldest version that can be upgraded. */
export type Schema = {
  readonly number: number;
  /** Creates it in an empty database. */
  readonly statements: readonly string[];
  readonly migrations: readonly Migration[];
};

/** The schema of a database; 0 when it has none yet. `version` is that of the program that wrote it, where known. */
export type ReachedSchema = { readonly number: number; readonly version: string | undefined };

const readReached = async (connection: Sql): Promise<ReachedSchema> => {
  const [table] = await connection.rows(
    `SELECT table_name FROM duckdb_tables() WHERE table_name = 'schema_migration'`,
  );
  if (table === undefined) return { number: 0, version: undefined };
  // Databases of before 0.1.0 have no column of versions.
  const [row] = await connection.rows('SELECT * FROM schema_migration ORDER BY number DESC LIMIT 1');
  const version = row?.['version'];
  return {
    number: row === undefined ? 0 : wholeNumber(row, 'number'),
    version: typeof version === 'string' ? version : undefined,
  };
};

/** Writes nothing. */
export const reachedSchema = async (engine: Engine): Promise<ReachedSchema> => engine.state(readReached);

/**
 * Creates the tables in an empty database, or migrates it to the newest schema, with all pending migrations in one
 * transaction: a process that is killed leaves one schema or the other. `version` is that of this program.
 * @throws faults warehouse-newer, warehouse-older.
 */
export const migrate = async (
  engine: Engine,
  schema: Schema,
  clock: Clock,
  path: string,
  version = 'unknown',
): Promise<void> =>
  engine.state(async (connection) => {
    const { number: reached, version: writer } = await readReached(connection);
    if (reached === schema.number) return;
    if (reached > schema.number)
      throw fault(
        'warehouse-newer',
        `${path} has schema ${reached}, written by Tollkeeper ${writer ?? 'of an unknown version'}; this version, ${version}, supports schemas up to ${schema.number}`,
      );
    const oldest = Math.min(schema.number, ...schema.migrations.map(({ number }) => number - 1));
    if (reached !== 0 && reached < oldest)
      throw fault(
        'warehouse-older',
        `${path} has schema ${reached}; this version upgrades schemas from ${oldest}`,
      );
    const pending: readonly Migration[] =
      reached === 0
        ? [{ number: schema.number, name: 'new database', statements: schema.statements }]
        : schema.migrations.filter(({ number }) => number > reached);
    await inTransaction(connection, async () => {
      await connection.execute(`CREATE TABLE IF NOT EXISTS schema_migration (
           number BIGINT NOT NULL, name VARCHAR NOT NULL, applied_at BIGINT NOT NULL, version VARCHAR
         )`);
      await connection.execute('ALTER TABLE schema_migration ADD COLUMN IF NOT EXISTS version VARCHAR');
      for (const { number, name, statements } of pending) {
        for (const statement of statements) await connection.execute(statement);
        await connection.execute('INSERT INTO schema_migration VALUES ($number, $name, $at, $version)', {
          number,
          name,
          at: clock.now(),
          version,
        });
      }
    });
  });
