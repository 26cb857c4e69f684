import { expect, it } from 'vitest';
import { systemClock } from '../../../src/core/index.ts';
import { columnMigrations } from '../../../src/warehouse/logs/call-log-table.ts';
import { migrate } from '../../../src/warehouse/migrate.ts';
import { schema } from '../../../src/warehouse/schema.ts';
import { openSchema, testFolder } from '../support.ts';

it('a later column of the call log is added by a migration, unknown in earlier rows, and the rollup is built again', async () => {
  await using folder = await testFolder();
  await using engine = await openSchema(folder, ':memory:');
  await engine.state(async (connection) => {
    await connection.execute(`INSERT INTO call_log BY NAME SELECT 'main' AS account, 900 AS created_at, 900 AS quarter, 'm' AS model_name,
         'k' AS token_name, 'consumption' AS kind`);
    await connection.execute(`INSERT INTO rollup_day VALUES ('main', 'UTC', 0, 86400)`);
  });

  const number = schema.number + 1;
  const added = columnMigrations([
    { name: 'video_tokens', holds: 'tokens', since: number },
    { name: 'searches', holds: 'count', since: number },
  ]);
  const newer = { ...schema, number, migrations: [...schema.migrations, ...added] };
  await migrate(engine, newer, systemClock, ':memory:');
  await engine.state(async (connection) => {
    expect(await connection.rows('SELECT created_at, video_tokens, searches FROM call_log')).toEqual([
      { created_at: '900', video_tokens: null, searches: null },
    ]);
    expect(await connection.rows('SELECT * FROM rollup_day')).toEqual([]);
    const [last] = await connection.rows('SELECT max(number) AS number FROM schema_migration');
    expect(last).toEqual({ number: String(number) });
  });
});
