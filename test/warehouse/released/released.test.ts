import { copyFile, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/core/index.ts';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/index.ts';
import { schema } from '../../../src/warehouse/schema.ts';
import { version } from '../../../src/version.ts';
import { began, contentsOf, openReleasedWorld, placesIn, type ReleasedWorld } from './released-world.ts';

/*
 * Each released schema keeps a database here, with its audit log and what it holds. A release whose schema has no file
 * yet gets one, and those before stay: `TMPDIR=/example TOLLKEEPER_KEEP_DATABASE=1 npx vitest run --config test/vitest.config.ts
 * test/warehouse/released`.
 */

const hour = 3_600_000;
const here = new URL('.', import.meta.url).pathname;
const kept = (await readdir(here)).flatMap((name) => /^schema-(\d+)\.json$/.exec(name)?.[1] ?? []);
const filesOf = (number: string | number) => ({
  database: join(here, `schema-${number}.duckdb.gz`),
  audit: join(here, `schema-${number}.keys.jsonl`),
  contents: join(here, `schema-${number}.json`),
});

const opened = (world: ReleasedWorld): Promise<Warehouse> =>
  openWarehouse({
    path: placesIn(world.folder.path).path,
    memoryLimit: '256MB',
    threads: 1,
    spoolDirectory: join(world.folder.path, 'data/spool'),
    clock: world.clock,
    log: silentLog,
    version,
  });

const succeeds = async (world: ReleasedWorld, ...argv: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await world.run(...argv);
  expect([code, code === 0 ? '' : stderr], argv.join(' ')).toEqual([0, '']);
  return stdout;
};

/** Lives through two days, with the program of today. */
const live = async (world: ReleasedWorld): Promise<void> => {
  const { key, plaintext } = world.sandbox.state.keys.create({
    name: 'app',
    group: 'default',
    unlimited: true,
    remain: 0n,
    expiredTime: -1,
    createdAt: world.sandbox.state.seconds() - 40 * 86_400,
  });
  expect(key.name).toBe('app');
  await writeFile(world.sink, `KEY=sk-${plaintext}\n`);
  for (const job of ['pull-logs', 'pull-other', 'pull-usage', 'snapshot', 'spend'])
    await succeeds(world, 'run', job);
  await succeeds(world, 'run', 'rotate-app');
  world.clock.advance(3 * hour);
  await succeeds(world, 'run', 'pull-logs');
  // Records why the old key is retained.
  await succeeds(world, 'run', 'rotate-app');
  await world.endMail();
  await world.run('run', 'alerts');
  world.clock.advance(21 * hour);
  await world.run('run', 'spend');
};

it.runIf(process.env['TOLLKEEPER_KEEP_DATABASE'] !== undefined)(
  'a database of the newest schema is kept',
  async () => {
    await using world = await openReleasedWorld(began - 24 * hour);
    await live(world);
    const { path, auditFile } = placesIn(world.folder.path);
    const files = filesOf(schema.number);
    let contents: unknown;
    {
      await using warehouse = await opened(world);
      contents = await contentsOf(warehouse, auditFile);
    }
    await writeFile(files.database, gzipSync(await readFile(path), { level: 9 }));
    await copyFile(auditFile, files.audit);
    await writeFile(
      files.contents,
      `${JSON.stringify({ version, ...(contents as object) }, undefined, 2)}\n`,
    );
  },
);

/** A world with the kept database in the place of its own. */
const restore = async (number: string): Promise<ReleasedWorld> => {
  const world = await openReleasedWorld(began + hour);
  const { path, auditFile } = placesIn(world.folder.path);
  await mkdir(dirname(auditFile), { recursive: true, mode: 0o700 });
  await writeFile(path, gunzipSync(await readFile(filesOf(number).database)));
  await copyFile(filesOf(number).audit, auditFile);
  return world;
};

/** Each schema that a release brings is kept before the version in package.json is that of the release. */
const isMissing = (newestKept: number, ofVersion: string, today: number, thisVersion: string): boolean =>
  newestKept < today && ofVersion !== thisVersion;

it('the schema of the newest release is kept', async () => {
  const newest = Math.max(...kept.map(Number));
  const { version: of } = JSON.parse(await readFile(filesOf(newest).contents, 'utf8')) as { version: string };
  expect(isMissing(newest, of, schema.number, version)).toBe(false);
  expect(isMissing(30, '0.1.0', 31, '0.2.0')).toBe(true);
});

describe.each(kept)('the kept database of schema %s', (number) => {
  it('holds its rows and sums after it was migrated', async () => {
    await using world = await restore(number);
    await using warehouse = await opened(world);
    const contents = JSON.parse(await readFile(filesOf(number).contents, 'utf8')) as object;
    const found = await contentsOf(warehouse, placesIn(world.folder.path).auditFile);
    expect(contents).toEqual({ version: expect.any(String) as string, ...found });
  });

  it('is continued by a pull and read by a report, and its audit log passes verification', async () => {
    await using world = await restore(number);
    expect(await succeeds(world, 'run', 'pull-logs')).toMatch(/rows/);
    expect(await succeeds(world, 'report', 'spend-summary', '--period', '2026-11-19..2026-11-20')).toMatch(
      /\$0\.24 · reconciled with the gateway/,
    );
    await succeeds(world, 'keys', 'audit', '--verify');
  });

  it('is found to differ where one row is missing', async () => {
    await using world = await restore(number);
    await using warehouse = await opened(world);
    const [row] = await warehouse.outbox.list({ states: ['deferred'] });
    await warehouse.outbox.drop(row?.id ?? '', row?.changedAt ?? (0 as never));
    const { outbox } = JSON.parse(await readFile(filesOf(number).contents, 'utf8')) as { outbox: unknown };
    expect((await contentsOf(warehouse, placesIn(world.folder.path).auditFile)).outbox).not.toEqual(outbox);
  });
});

it('the kept backup of schema 32 passes verification, and a restore of it holds its calls and audit log', async () => {
  await using world = await openReleasedWorld(began + hour);
  const backup = join(world.folder.path, 'kept.tar');
  await writeFile(backup, gunzipSync(await readFile(join(here, 'schema-32.backup.tar.gz'))));
  await succeeds(world, 'restore', backup, '--verify');
  await succeeds(world, 'restore', backup);
  await succeeds(world, 'keys', 'audit', '--verify');
  await using warehouse = await opened(world);
  const contents = JSON.parse(await readFile(filesOf('32').contents, 'utf8')) as object;
  const { outbox: _held, ...found } = await contentsOf(warehouse, placesIn(world.folder.path).auditFile);
  expect(contents).toMatchObject(found);
});
