import { fault } from '../core/index.ts';
import type { Clock } from '../core/index.ts';
import type { Engine } from './engine.ts';
import type { Migration } from './migrations/migration.ts';
import { execute, inTransaction, readRows, wholeNumber } from './rows.ts';

/** Brings the file to the newest schema, each step in one transaction of its own. @throws fault warehouse-newer. */
export const migrate = async (
  engine: Engine,
  migrations: readonly Migration[],
  clock: Clock,
  path: string,
): Promise<void> =>
  engine.state(async (connection) => {
    await execute(
      connection,
      `CREATE TABLE IF NOT EXISTS schema_migration (number BIGINT NOT NULL, name VARCHAR NOT NULL, applied_at BIGINT NOT NULL)`,
    );
    const [row] = await readRows(
      connection,
      'SELECT coalesce(max(number), 0) AS number FROM schema_migration',
    );
    const reached = wholeNumber(row, 'number');
    const newest = Math.max(0, ...migrations.map(({ number }) => number));
    if (reached > newest)
      throw fault(
        'warehouse-newer',
        `${path} has schema ${reached}; this Tollkeeper knows schemas up to ${newest}`,
      );
    for (const migration of migrations) {
      if (migration.number <= reached) continue;
      await inTransaction(connection, async () => {
        for (const statement of migration.statements) await execute(connection, statement);
        await execute(connection, 'INSERT INTO schema_migration VALUES ($number, $name, $at)', {
          number: migration.number,
          name: migration.name,
          at: clock.now(),
        });
      });
    }
  });
