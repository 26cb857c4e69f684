import { execFile } from 'node:child_process';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openWarehouse } from '../../../src/warehouse/index.ts';
import { openMigrated } from '../../../src/warehouse/database-file/open-migrated.ts';
import { schema } from '../../../src/warehouse/schema.ts';
import { optionsIn, testFolder } from '../support.ts';

const command = promisify(execFile);
const later = {
  ...schema,
  number: 1000,
  migrations: [
    ...schema.migrations,
    { number: 1000, name: 'later', statements: ['CREATE TABLE later (a BIGINT)'] },
  ],
};

/** Mounting a real file system takes root, which CI has. */
it('a full disk refuses a migration and leaves the database as it was, and the next start migrates it', async () => {
  await using folder = await testFolder();
  const options = optionsIn(folder);
  const disk = dirname(options.path);
  await command('mkdir', [disk]);
  await command('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'tmpfs', disk]);
  try {
    await (await openWarehouse(options))[Symbol.asyncDispose]();
    const before = await readFile(options.path);
    await writeFile(join(disk, 'other'), '');
    await command('sh', ['-c', `dd if=/dev/zero of=${join(disk, 'other')} bs=64k || true`]);
    await expect(openMigrated(options, later)).rejects.toMatchObject({
      code: 'disk-full',
      message: expect.stringMatching(
        /is not migrated: the copy .*\(ENOSPC\); the database is unchanged/,
      ) as string,
      advice: expect.stringMatching(/^free as much space .*backup\.before_migration: false/) as string,
    });
    expect((await readFile(options.path)).equals(before)).toBe(true);
    expect(await readdir(disk)).toEqual(expect.not.arrayContaining([expect.stringContaining('.part')]));
    await command('rm', [join(disk, 'other')]);
    await (await openMigrated(options, later))[Symbol.asyncDispose]();
    expect(await readdir(disk)).toContain(`test.schema-${schema.number}.duckdb`);
  } finally {
    await command('umount', [disk]);
  }
});
