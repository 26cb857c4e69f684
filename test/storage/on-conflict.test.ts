import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/core/index.ts';
import { openEngine, inTransaction } from '../../src/storage/index.ts';
import { migrate } from '../../src/warehouse/migrate.ts';
import { schema } from '../../src/warehouse/schema.ts';

type Statement = { readonly table: string; readonly key: string; readonly action: string };

/** Each statement of the program with ON CONFLICT. */
const statementsIn = async (folder: string): Promise<readonly Statement[]> => {
  const names = (await readdir(folder, { recursive: true })).filter(
    // Only PostgreSQL has leases and replicas.
    (name) => name.endsWith('.ts') && !/postgres|app\/replicas/.test(name),
  );
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) =>
    [
      ...text.matchAll(
        /INSERT INTO (\w+)(?:(?!INSERT INTO)[^`])*?ON CONFLICT \(([^)]*)\) (DO NOTHING|DO UPDATE SET [^`]*?)(?: RETURNING[^`]*)?`/g,
      ),
    ].map(([, table = '', key = '', action = '']) => ({ table, key, action })),
  );
};

const samples: Readonly<Record<string, string>> = { VARCHAR: `'x'`, BIGINT: '1', 'VARCHAR[]': `['x']` };

it('each ON CONFLICT holds in a transaction that deletes the row before, on every table that has one', async () => {
  const statements = await statementsIn(join(import.meta.dirname, '../../src'));
  expect(statements.map(({ table }) => table).sort()).toEqual([
    'job_cursor',
    'job_outage',
    'job_run',
    'outbox',
  ]);
  await using engine = await openEngine({
    path: ':memory:',
    memoryLimit: '128MB',
    threads: 1,
    spoolDirectory: tmpdir(),
  });
  await migrate(engine, schema, systemClock, ':memory:');
  for (const { table, key, action } of statements)
    await engine.state(async (connection) => {
      const columns = await connection.rows(
        'SELECT data_type FROM duckdb_columns() WHERE table_name = $table ORDER BY column_index',
        { table },
      );
      const row = columns.map(({ data_type: type }) => samples[String(type)]).join(', ');
      const insert = `INSERT INTO ${table} VALUES (${row}) ON CONFLICT (${key}) ${action}`;
      expect([table, await connection.execute(insert)]).toEqual([table, 1]);
      await inTransaction(connection, async () => {
        await connection.execute(`DELETE FROM ${table}`);
        expect([table, await connection.execute(insert)]).toEqual([table, 1]);
        const again = action === 'DO NOTHING' ? 0 : 1;
        expect([table, await connection.execute(insert)]).toEqual([table, again]);
      });
      expect(await connection.rows(`SELECT count(*) AS rows FROM ${table}`)).toEqual([{ rows: '1' }]);
    });
});
