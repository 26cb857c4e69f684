import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLog, systemClock, type Log } from '../../../src/core/index.ts';
import { openWarehouse, type WarehouseOptions } from '../../../src/warehouse/index.ts';
import { openEngine } from '../../../src/storage/index.ts';
import { migrate, reachedSchema, type Schema } from '../../../src/warehouse/migrate.ts';
import { schema } from '../../../src/warehouse/schema.ts';
import { openMigrated } from '../../../src/warehouse/database-file/open-migrated.ts';
import { optionsIn, testFolder, type TestFolder } from '../support.ts';

/** The schemas that later versions might have. */
const later = (...numbers: readonly number[]): Schema => ({
  ...schema,
  number: Math.max(...numbers),
  migrations: [
    ...schema.migrations,
    ...numbers.map((number) => ({
      number,
      name: 'later',
      statements: [`CREATE TABLE later_${number} (a BIGINT)`],
    })),
  ],
});

/** A database of today's schema, and what the log says of its next opening. */
const openOld = async (folder: TestFolder) => {
  const lines: unknown[] = [];
  const log: Log = {
    ...silentLog,
    info: (message: string, fields?: object) => void lines.push([message, fields]),
  };
  const options: WarehouseOptions = { ...optionsIn(folder), log, version: '0.1.0' };
  await mkdir(dirname(options.path), { recursive: true });
  await (await openWarehouse(options))[Symbol.asyncDispose]();
  return { options, lines, files: () => readdir(dirname(options.path)), bytes: () => readFile(options.path) };
};

const copyName = `test.schema-${schema.number}.duckdb`;

const numberIn = async (options: WarehouseOptions, path: string): Promise<number> => {
  await using engine = await openEngine({ ...options, path });
  return (await reachedSchema(engine)).number;
};

describe('an older database', () => {
  it('is refused by who only reads, with both versions and what migrates it, and stays as it is', async () => {
    await using folder = await testFolder();
    const { options, files, bytes, lines } = await openOld(folder);
    const before = await bytes();
    await expect(
      openMigrated({ ...options, version: '0.2.0', migrates: false }, later(1000)),
    ).rejects.toMatchObject({
      code: 'warehouse-older',
      message: expect.stringMatching(
        new RegExp(`has schema ${schema.number}, .*0\\.1\\.0; .*0\\.2\\.0, reads schema 1000`),
      ) as string,
      advice: expect.stringContaining('as the daemon, or run') as string,
    });
    expect([await files(), lines]).toEqual([['test.duckdb'], []]);
    expect((await bytes()).equals(before)).toBe(true);
    await (await openMigrated({ ...options, migrates: false }, schema))[Symbol.asyncDispose]();
  });

  it('is migrated after a copy of it was kept that only its owner can read, and the log names the copy', async () => {
    await using folder = await testFolder();
    const { options, lines, files, bytes } = await openOld(folder);
    const before = await bytes();
    await (await openMigrated(options, later(1000, 1001)))[Symbol.asyncDispose]();
    const copy = join(dirname(options.path), copyName);
    expect(await files()).toEqual(['test.duckdb', copyName]);
    expect((await readFile(copy)).equals(before)).toBe(true);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    expect(lines).toEqual([[expect.any(String), { copy, schema: schema.number, to: 1001 }]]);
    expect(await numberIn(options, options.path)).toBe(1001);
    expect(await numberIn(options, copy)).toBe(schema.number);
  });

  it('keeps the newest copy only, and no other file is removed', async () => {
    await using folder = await testFolder();
    const { options, files } = await openOld(folder);
    await (await openMigrated(options, later(1000)))[Symbol.asyncDispose]();
    await writeFile(join(dirname(options.path), 'test.schema-9.duckdb.part'), 'of a copy that was killed');
    await writeFile(join(dirname(options.path), 'test.schema-notes.duckdb'), 'of a person');
    await (await openMigrated(options, later(1000, 1001)))[Symbol.asyncDispose]();
    expect(await files()).toEqual(['test.duckdb', 'test.schema-1000.duckdb', 'test.schema-notes.duckdb']);
  });

  it('is migrated without a copy on request', async () => {
    await using folder = await testFolder();
    const { options, files } = await openOld(folder);
    const opened = await openMigrated({ ...options, copyBeforeMigration: false }, later(1000));
    await opened[Symbol.asyncDispose]();
    expect(await files()).toEqual(['test.duckdb']);
  });

  it('is neither migrated nor changed when its copy cannot be written', async () => {
    await using folder = await testFolder();
    const { options, bytes } = await openOld(folder);
    const before = await bytes();
    await mkdir(join(dirname(options.path), `${copyName}.part`));
    await expect(openMigrated(options, later(1000))).rejects.toMatchObject({
      code: 'path-unwritable',
      message: expect.stringMatching(/not migrated: .*schema-\d+\.duckdb.*unchanged$/) as string,
      advice: expect.stringContaining('backup.before_migration: false') as string,
    });
    expect((await bytes()).equals(before)).toBe(true);
  });

  it('stays as it was when one of several migrations fails', async () => {
    await using folder = await testFolder();
    const { options } = await openOld(folder);
    const { migrations, ...rest } = later(1000, 1001);
    const broken = migrations.map((one) =>
      one.number === 1001 ? { ...one, statements: ['CREATE NONSENSE'] } : one,
    );
    await expect(openMigrated(options, { ...rest, migrations: broken })).rejects.toMatchObject({
      code: 'warehouse-failed',
    });
    expect(await numberIn(options, options.path)).toBe(schema.number);
  });
});

describe('a newer database', () => {
  it('names the version that wrote it, the schemas, and the copy to go back to', async () => {
    await using folder = await testFolder();
    const { options } = await openOld(folder);
    await (await openMigrated({ ...options, version: '0.9.0' }, later(1000)))[Symbol.asyncDispose]();
    await expect(openWarehouse(options)).rejects.toMatchObject({
      code: 'warehouse-newer',
      message: expect.stringMatching(
        new RegExp(`^${options.path} has schema 1000, .*0\\.9\\.0; .*0\\.1\\.0, .* ${schema.number}$`),
      ) as string,
      advice: expect.stringMatching(
        new RegExp(`move .*test\\.duckdb aside and rename .*${copyName} to it`),
      ) as string,
    });
  });

  it('names a backup where no copy was kept, and no version where none was recorded', async () => {
    await using folder = await testFolder();
    const { options } = await openOld(folder);
    {
      await using engine = await openEngine(options);
      await migrate(engine, later(1000), systemClock, options.path);
      await engine.state(async (connection) =>
        connection.execute('ALTER TABLE schema_migration DROP version'),
      );
    }
    await expect(openWarehouse(options)).rejects.toMatchObject({
      code: 'warehouse-newer',
      message: expect.stringContaining('of an unknown version') as string,
      advice: expect.stringContaining('restore a backup') as string,
    });
  });
});
