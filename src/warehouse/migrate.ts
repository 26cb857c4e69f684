import { fault, type Clock } from '../core/index.ts';
import type { Engine } from './engine.ts';
import { execute, inTransaction, readRows, wholeNumber } from './rows.ts';

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

/**
 * Creates the tables in an empty database, or migrates it to the newest schema, each migration in one transaction.
 * @throws faults warehouse-newer, warehouse-older.
 */
export const migrate = async (engine: Engine, schema: Schema, clock: Clock, path: string): Promise<void> =>
  engine.state(async (connection) => {
    const applySchema = async ({ number, name, statements }: Migration): Promise<void> =>
      inTransaction(connection, async () => {
        await connection.run(statements.join(';'));
        await execute(connection, 'INSERT INTO schema_migration VALUES ($number, $name, $at)', {
          number,
          name,
          at: clock.now(),
        });
      });
    const table =
      'CREATE TABLE IF NOT EXISTS schema_migration (number BIGINT NOT NULL, name VARCHAR NOT NULL, applied_at BIGINT NOT NULL)';
    await execute(connection, table);
    const [row] = await readRows(
      connection,
      'SELECT coalesce(max(number), 0) AS number FROM schema_migration',
    );
    const reached = wholeNumber(row, 'number');
    if (reached === 0) {
      await applySchema({ number: schema.number, name: 'new database', statements: schema.statements });
      return;
    }
    if (reached > schema.number)
      throw fault(
        'warehouse-newer',
        `${path} has schema ${reached}; this version supports schemas up to ${schema.number}`,
      );
    const pending = schema.migrations.filter(({ number }) => number > reached);
    const oldest = Math.min(schema.number, ...schema.migrations.map(({ number }) => number - 1));
    if (reached < oldest)
      throw fault(
        'warehouse-older',
        `${path} has schema ${reached}; this version upgrades schemas from ${oldest}`,
      );
    for (const migration of pending) await applySchema(migration);
  });
