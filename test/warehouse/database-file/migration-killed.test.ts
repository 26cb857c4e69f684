import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { openWarehouse } from '../../../src/warehouse/index.ts';
import { openEngine } from '../../../src/storage/index.ts';
import { reachedSchema } from '../../../src/warehouse/migrate.ts';
import { schema } from '../../../src/warehouse/schema.ts';
import { compiledModules } from '../../support/compiled-modules.ts';
import { optionsIn, testFolder } from '../support.ts';

/** Migrates twice: `changed` is done when the second migration, which never ends, begins. */
const child = `
  const [out, path, spool, changes] = process.argv.slice(1);
  const { systemClock } = await import(out + '/core/index.js');
  const { openEngine } = await import(out + '/storage/duckdb/engine.js');
  const { migrate } = await import(out + '/warehouse/migrate.js');
  const { schema } = await import(out + '/warehouse/schema.js');
  const engine = await openEngine({ path, memoryLimit: '256MB', threads: 1, spoolDirectory: spool });
  const endless = 'SELECT count(*) FROM range(1000000000) a, range(1000000000) b';
  const watched = { ...engine, state: (work) => engine.state((connection) => work(new Proxy(connection, {
    get: (target, name) => name !== 'execute' ? (typeof target[name] === 'function' ? target[name].bind(target) : target[name])
      : (sql, bindings) => { if (sql === endless) process.stdout.write('between'); return target.execute(sql, bindings); },
  }))) };
  const migrations = [
    { number: 1000, name: 'changed', statements: JSON.parse(changes) },
    { number: 1001, name: 'endless', statements: [endless] },
  ];
  await migrate(watched, { ...schema, number: 1001, migrations: [...schema.migrations, ...migrations] }, systemClock, path);`;

const changes = [
  'CREATE TABLE later (a BIGINT)',
  `UPDATE schema_migration SET name = 'changed'`,
  'ALTER TABLE outbox ADD COLUMN later BIGINT',
];

/** What a process that is killed between two migrations leaves of the first: nothing, if all is well. */
const leftOf = async (statements: readonly string[]): Promise<readonly string[]> => {
  await using folder = await testFolder();
  const options = optionsIn(folder);
  await mkdir(dirname(options.path), { recursive: true });
  await (await openWarehouse(options))[Symbol.asyncDispose]();
  const out = await compiledModules();
  const argv = ['--input-type=module', '-e', child, out, options.path, folder.spool];
  const migrating = spawn(process.execPath, [...argv, JSON.stringify(statements)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(migrating, 'exit');
  await once(migrating.stdout, 'data');
  migrating.kill('SIGKILL');
  expect(await exit).toEqual([null, 'SIGKILL']);

  await using engine = await openEngine(options);
  const names = await engine.state(async (connection) => {
    await connection.execute('CHECKPOINT');
    return connection.rows(`SELECT table_name || '.' || column_name AS name FROM duckdb_columns()
       WHERE table_name = 'later' OR column_name = 'later'
       UNION ALL SELECT name FROM schema_migration WHERE name = 'changed'
       ORDER BY name`);
  });
  const { number } = await reachedSchema(engine);
  return [
    ...(number === schema.number ? [] : [`schema ${number}`]),
    ...names.map(({ name }) => String(name)),
  ];
};

it('a process that is killed between two migrations leaves the schema of before', async () => {
  expect(await leftOf(changes)).toEqual([]);
});

it('a migration that ends the transaction is noticed', async () => {
  const left = await leftOf([...changes, 'COMMIT', 'BEGIN TRANSACTION']);
  expect(left).toEqual(['changed', 'later.a', 'outbox.later']);
});
