import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createNamedGates, interval, silentLog, systemClock } from '../../../src/core/index.ts';
import { createArchive } from '../../../src/warehouse/archive/archive.ts';
import { archiveFolderOf, openEngine } from '../../../src/storage/index.ts';
import { createRowStore } from '../../../src/warehouse/row-store.ts';
import { at, batchOfCalls, openAt, now, someCalls, year } from './archive-support.ts';
import { optionsIn, testFolder } from '../support.ts';

it('a file in use by a reader stays until the reader ends', async () => {
  await using folder = await testFolder();
  const january = interval(at('2024-01-01'), at('2024-02-01'));
  {
    await using warehouse = await openAt(folder);
    await warehouse.logs.landWindow(await batchOfCalls(folder, january, someCalls(january, 400)));
    await warehouse.archive.run({ account: 'main', settle: 0, retain: 1 });
  }
  const options = optionsIn(folder, join(folder.path, 'test', 'test.duckdb'));
  await using engine = await openEngine(options);
  const root = archiveFolderOf(options);
  const archive = createArchive({
    engine,
    root,
    reader: 'owner',
    clock: { ...systemClock, now: () => now },
    log: silentLog,
    oneAnAccount: createNamedGates(),
    beforeLeaving: async () => undefined,
    onFiles: async () => undefined,
  });
  const [{ file } = { file: '' }] = await archive.table.months('main');
  const isThere = async (): Promise<boolean> =>
    access(join(root, file)).then(
      () => true,
      () => false,
    );
  const rowStore = createRowStore(engine, archive);
  await rowStore.read({ account: 'main' }, async ({ connection: reading, rows }) => {
    const calls = await rows(year);
    // Beside it the month comes back, loses a row, and is archived again.
    await rowStore.publish({ account: 'main', writes: ['call_log'] }, async ({ connection, hold }) => {
      await hold(january, 1);
      await connection.execute(`DELETE FROM call_log WHERE created_at = ${january.start}`);
    });
    await archive.table.run({ account: 'main', settle: 0, retain: 1 });
    expect(await isThere()).toBe(true);
    const [row] = await reading.rows(`SELECT count(*) AS row_count FROM ${calls.sql}`, calls.bindings);
    expect(row).toEqual({ row_count: '400' });
  });
  await archive.table.run({ account: 'main', settle: 0, retain: 1 });
  expect(await isThere()).toBe(false);
  expect((await archive.table.months('main')).map(({ rows, state }) => [rows, state])).toEqual([
    [398, 'sole'],
  ]);
});
