import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { interval, silentLog, type LogFields } from '../../../src/core/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';
import {
  archiveOf,
  at,
  batchOfCalls,
  cubeOf,
  dayMillis,
  now,
  openAt,
  rowsAtRest,
  someCalls,
  year,
} from './archive-support.ts';
import { inDatabase } from '../../support/postgres-warehouse.ts';
import { testFolder, type TestFolder, openNew } from '../support.ts';

const spring = interval(at('2024-01-01'), at('2024-05-03'));
const march = interval(at('2024-03-01'), at('2024-04-01'));

const fileIn = ({ path }: TestFolder): string => join(path, 'test', 'test.duckdb');

const land = async (warehouse: Warehouse, folder: TestFolder, window = spring, count = 3000) =>
  warehouse.logs.landWindow(await batchOfCalls(folder, window, someCalls(window, count)));

/** January to March leave, April stays as a copy, May is still left to late rows. */
const run = async (warehouse: Warehouse, retain = 60 * dayMillis) =>
  warehouse.archive.run({ account: 'main', settle: 7 * dayMillis, retain });

const filesIn = async (root: string): Promise<readonly string[]> =>
  (await readdir(root, { recursive: true })).filter((name) => name.includes('calls')).toSorted();

const fileOf = async (warehouse: Warehouse, month: string): Promise<string> => {
  const found = (await warehouse.archive.months('main')).find((one) => one.month === month);
  return found?.file ?? '';
};

const damages: readonly (readonly [string, (path: string) => Promise<void>])[] = [
  ['missing', async (path) => rm(path)],
  ['cut off', async (path) => writeFile(path, (await readFile(path)).subarray(0, -100))],
  [
    'changed in one bit, its size and time as before',
    async (path) => {
      const { atime, mtime } = await stat(path);
      const bytes = await readFile(path);
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      await writeFile(path, bytes);
      await utimes(path, atime, mtime);
    },
  ],
];

/** The permissions of every folder and file of the archive, each once. */
const permissionsOf = async (root: string): Promise<readonly string[]> => {
  const names = ['', ...(await readdir(root, { recursive: true }))];
  const found = await Promise.all(
    names.map(async (name) => {
      const entry = await stat(join(root, name));
      return `${entry.isDirectory() ? 'folder' : 'file'} ${(entry.mode & 0o7777).toString(8)}`;
    }),
  );
  return [...new Set(found)].toSorted();
};

describe('the archive', () => {
  it('is private, or readable by its group, also where an older version has written it', async () => {
    await using folder = await testFolder();
    const root = archiveOf(folder);
    {
      await using warehouse = await openAt(folder);
      await land(warehouse, folder);
      await run(warehouse);
      expect(await permissionsOf(root)).toEqual(['file 600', 'folder 700']);
    }
    for (const name of ['', ...(await readdir(root, { recursive: true }))])
      await chmod(join(root, name), name.endsWith('.parquet') ? 0o644 : 0o2755);
    {
      await using _warehouse = await openAt(folder);
      expect(await permissionsOf(root)).toEqual(['file 600', 'folder 2700']);
    }
    await using shared = await openAt(folder, 'test', now, { archiveReader: 'group' });
    expect(await permissionsOf(root)).toEqual(['file 640', 'folder 2750']);
    await run(shared, 1);
    await shared.logs.landWindow(await batchOfCalls(folder, march, someCalls(march, 2000)));
    await run(shared, 1);
    expect(await permissionsOf(root)).toEqual(['file 640', 'folder 2750']);
  });

  it('stores closed months as Parquet files and removes old rows from the table, and reads return all rows', async () => {
    await using folder = await testFolder();
    let before: Awaited<ReturnType<typeof rowsAtRest>>;
    {
      await using warehouse = await openAt(folder);
      await land(warehouse, folder);
    }
    before = await rowsAtRest(folder);
    {
      await using warehouse = await openAt(folder);
      const [spend, cube] = [await warehouse.spend('main', year), await cubeOf(warehouse)];
      const plan = await warehouse.archive.plan('main', { settle: 0, retain: 60 * dayMillis }, now);
      expect(plan.months.map(({ name, write, leave }) => [name, write, leave])).toEqual([
        ['2024-01', true, true],
        ['2024-02', true, true],
        ['2024-03', true, true],
        ['2024-04', true, false],
        ['2024-05', true, false],
      ]);
      const outcome = await warehouse.archive.run({ account: 'main', settle: 0, retain: 60 * dayMillis });
      expect(outcome).toMatchObject({ written: 5, rows: 3000, left: 3, kept: 3 });
      expect(await warehouse.spend('main', year)).toEqual(spend);
      expect(await cubeOf(warehouse)).toEqual(cube);
      const months = await warehouse.archive.months('main');
      expect(months.map(({ month, state }) => [month, state])).toEqual([
        ['2024-01', 'sole'],
        ['2024-02', 'sole'],
        ['2024-03', 'sole'],
        ['2024-04', 'copy'],
        ['2024-05', 'copy'],
      ]);
      expect(months.reduce((sum, { rows }) => sum + rows, 0)).toBe(3000);
      expect(months.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(outcome.bytes);
      expect(await filesIn(archiveOf(folder))).toEqual(months.map(({ file }) => file).toSorted());
      expect(months[0]?.file).toMatch(/^account=main\/month=2024-01\/calls-[0-9a-f]{64}\.parquet$/);
      // Nothing to do is done once.
      expect(
        await warehouse.archive.run({ account: 'main', settle: 0, retain: 60 * dayMillis }),
      ).toMatchObject({
        written: 0,
        left: 0,
        kept: 3,
      });
    }
    const after = await rowsAtRest(folder);
    expect(after.rows).toEqual(before.rows);
    expect(after.inTable).toBeLessThan(before.inTable / 2);
    // Calls that are lost are not left out of the view of classes in silence: then there is none.
    const [file = ''] = await filesIn(archiveOf(folder));
    await rm(join(archiveOf(folder), file));
    const heard: string[] = [];
    const log = { ...silentLog, warn: (message: string) => void heard.push(message) };
    await (await openAt(folder, 'test', now, { log }))[Symbol.asyncDispose]();
    expect(heard.join()).toContain('cannot create the view call_classes');
    expect(
      await inDatabase(fileIn(folder), 'SELECT view_name FROM duckdb_views() WHERE NOT internal'),
    ).toEqual([]);
  });

  it('can be read by any engine, with account and month as partitions', async () => {
    await using folder = await testFolder();
    {
      await using warehouse = await openAt(folder);
      await land(warehouse, folder);
      await run(warehouse);
    }
    const found = `SELECT count(DISTINCT month)::INTEGER, any_value(account)
      FROM read_parquet('${archiveOf(folder)}/**/*.parquet', hive_partitioning = true)`;
    expect(await inDatabase(':memory:', found)).toEqual([[4, 'main']]);
  });

  it('separates accounts with any names', async () => {
    const { folder, warehouse } = await openNew(openAt);
    const names = ['main', 'Main', "../../o'br/ien", 'a*b?[c] %2E', '汉字\n😀'];
    for (const [index, name] of names.entries())
      await warehouse.logs.landWindow(
        await batchOfCalls(folder, march, someCalls(march, 100 + index * 2), name),
      );
    for (const account of names) await warehouse.archive.run({ account, settle: 0, retain: 1 });
    for (const [index, name] of names.entries()) {
      expect(await warehouse.archive.verify(name)).toEqual([]);
      expect((await warehouse.archive.months(name)).map(({ rows, state }) => [rows, state])).toEqual([
        [100 + index * 2, 'sole'],
      ]);
      expect((await warehouse.spend(name, year)).served).not.toBe('0');
    }
    expect((await readdir(archiveOf(folder))).toSorted()).toEqual(
      [
        'account=main',
        'account=Main',
        'account=%2E%2E%2F%2E%2E%2Fo%27br%2Fien',
        'account=a%2Ab%3F%5Bc%5D%20%252E',
        'account=%E6%B1%89%E5%AD%97%0A%F0%9F%98%80',
      ].toSorted(),
    );
  });

  it.each(damages)('reports a file that is %s without losing data', async (_, damage) => {
    await using folder = await testFolder();
    const warned: LogFields[] = [];
    await using warehouse = await openAt(folder, 'test', now, {
      log: { ...silentLog, warn: (_words, fields = {}) => warned.push(fields) },
    });
    await land(warehouse, folder);
    await run(warehouse);
    const whole = await warehouse.spend('main', march);
    const path = join(archiveOf(folder), await fileOf(warehouse, '2024-03'));
    await damage(path);
    const named = { code: 'archive-damaged', message: expect.stringContaining(`main for 2024-03`) as string };
    await expect(warehouse.spend('main', year)).rejects.toMatchObject(named);
    await expect(cubeOf(warehouse)).rejects.toMatchObject(named);
    await expect(run(warehouse)).rejects.toMatchObject({
      ...named,
      message: expect.stringContaining(path) as string,
    });
    expect((await warehouse.archive.verify('main')).map(({ month }) => month)).toEqual(['2024-03']);
    expect((await warehouse.archive.plan('main', { settle: 0 }, now)).damaged).toHaveLength(1);
    // What does not need it is there.
    await warehouse.spend('main', interval(at('2024-01-01'), at('2024-03-01')));
    // A landing that needs it keeps nothing.
    const part = interval(at('2024-03-10'), at('2024-03-11'));
    await expect(land(warehouse, folder, part, 10)).rejects.toMatchObject(named);
    expect((await warehouse.archive.months('main')).map(({ month }) => month)).toContain('2024-03');
    await expect(warehouse.logs.landWindow(await batchOfCalls(folder, march, []))).rejects.toMatchObject(
      named,
    );
    // One that brings all of the month fixes it.
    const inMarch = someCalls(spring, 3000).filter((call) => call.at >= march.start && call.at < march.end);
    await warehouse.logs.landWindow(await batchOfCalls(folder, march, inMarch));
    expect(warned).toMatchObject([{ month: '2024-03' }]);
    expect(await warehouse.spend('main', march)).toEqual(whole);
    expect(await run(warehouse)).toMatchObject({ written: 1, left: 1, kept: 3 });
  });

  it('replaces a damaged copy while its rows are in the table', async () => {
    const { folder, warehouse } = await openNew(openAt);
    await land(warehouse, folder);
    await run(warehouse);
    const path = join(archiveOf(folder), await fileOf(warehouse, '2024-04'));
    await writeFile(path, 'no parquet');
    expect((await warehouse.archive.verify('main')).map(({ month }) => month)).toEqual(['2024-04']);
    expect(await run(warehouse)).toMatchObject({ written: 1, left: 0, kept: 3 });
    expect(await warehouse.archive.verify('main')).toEqual([]);
    await rm(path);
    // Also where it is about to be all there is.
    expect(await run(warehouse, dayMillis)).toMatchObject({ written: 1, left: 1, kept: 4 });
  });

  it.each<readonly [string, (draft: string, other: string) => void]>([
    ['cut off', (draft) => writeFileSync(draft, readFileSync(draft).subarray(0, -10))],
    ['that of another month', (draft, other) => writeFileSync(draft, readFileSync(other))],
  ])('removes no rows when the written file is %s', async (_, tamper) => {
    const { folder, warehouse } = await openNew(openAt);
    await land(warehouse, folder);
    const whole = await warehouse.spend('main', year);
    const of = (month: string): string => join(archiveOf(folder), 'account=main', `month=${month}`);
    const tampered = warehouse.archive.run({
      account: 'main',
      settle: 0,
      retain: 1,
      onStep: (step, month) => {
        if (step !== 'drafted' || month !== '2024-02') return;
        const [january = ''] = readdirSync(of('2024-01'));
        tamper(join(of(month), 'calls.draft'), join(of('2024-01'), january));
      },
    });
    await expect(tampered).rejects.toMatchObject({ code: 'archive-unverified' });
    expect(await warehouse.spend('main', year)).toEqual(whole);
    expect((await warehouse.archive.months('main')).map(({ month }) => month)).toEqual(['2024-01']);
    expect(await filesIn(archiveOf(folder))).toHaveLength(1);
  });

  it('reads the file again before its rows leave', async () => {
    const { folder, warehouse } = await openNew(openAt);
    await land(warehouse, folder);
    const whole = await warehouse.spend('main', year);
    const [copied] =
      (await warehouse.archive.run({ account: 'main', settle: 0 }), await warehouse.archive.months('main'));
    const tampered = warehouse.archive.run({
      account: 'main',
      settle: 0,
      retain: 1,
      onStep: (step) => {
        if (step === 'leaving') writeFileSync(join(archiveOf(folder), copied?.file ?? ''), 'no parquet');
      },
    });
    await expect(tampered).rejects.toMatchObject({ code: 'archive-damaged' });
    expect(await warehouse.spend('main', year)).toEqual(whole);
    expect((await warehouse.archive.months('main')).map(({ state }) => state)).toEqual(
      Array.from({ length: 5 }, () => 'copy'),
    );
  });

  it('replaces the copy of a month when it is older than a change of the table', async () => {
    await using folder = await testFolder();
    {
      await using warehouse = await openAt(folder);
      await land(warehouse, folder);
      await warehouse.archive.run({ account: 'main', settle: 0 });
      // A landing says so by itself.
      await land(warehouse, folder, interval(at('2024-04-10'), at('2024-04-11')), 10);
      expect((await warehouse.archive.months('main')).map(({ month }) => month)).not.toContain('2024-04');
    }
    // As a later schema might: a column more, and a change of one row that keeps count and sum.
    await inDatabase(
      fileIn(folder),
      'ALTER TABLE call_log ADD COLUMN later VARCHAR',
      `UPDATE call_log SET extra = 'changed'
       WHERE rowid = (SELECT min(rowid) FROM call_log WHERE created_at >= ${march.start} AND created_at < ${march.end})`,
    );
    const before = await rowsAtRest(folder);
    {
      await using warehouse = await openAt(folder);
      expect(await warehouse.archive.run({ account: 'main', settle: 0, retain: 1 })).toMatchObject({
        written: 2,
        left: 5,
      });
      // Files from before the column are read as if it had been empty.
      expect((await warehouse.spend('main', year)).calls).toBeGreaterThan(0);
    }
    const after = await rowsAtRest(folder);
    expect(after.inTable).toBe(0);
    expect(after.rows).toEqual(before.rows);
  });

  it('is found in another folder after a move with its setting', async () => {
    await using folder = await testFolder();
    {
      await using warehouse = await openAt(folder);
      await land(warehouse, folder);
      await run(warehouse);
    }
    const moved = join(folder.path, "elsewhere it's [here]");
    await rename(archiveOf(folder), moved);
    {
      await using lost = await openAt(folder);
      await expect(lost.spend('main', year)).rejects.toMatchObject({ code: 'archive-damaged' });
    }
    await using found = await openAt(folder, 'test', now, { archiveDirectory: moved });
    expect((await found.spend('main', year)).calls).toBeGreaterThan(2000);
    expect(await found.archive.run({ account: 'main', settle: 0, retain: 1 })).toMatchObject({ kept: 5 });
  });

  it('gives the same sums at any moment of a run, of concurrent landings and of a stop', async () => {
    const { folder, warehouse } = await openNew(openAt);
    await land(warehouse, folder);
    const { net } = await warehouse.spend('main', year);
    const seen = new Set<string>();
    const done = new AbortController();
    const watch = async (): Promise<void> => {
      while (!done.signal.aborted) seen.add((await warehouse.spend('main', year)).net);
    };
    const watching = watch();
    const inMarch = someCalls(spring, 3000).filter((call) => call.at >= march.start && call.at < march.end);
    for (const _ of [1, 2, 3]) {
      await warehouse.logs.landWindow(await batchOfCalls(folder, march, inMarch));
      const stop = new AbortController();
      const stopped = warehouse.archive.run({
        account: 'main',
        settle: 0,
        retain: 1,
        signal: stop.signal,
        onStep: (step, month) => {
          if (step === 'leaving' && month === '2024-03') stop.abort(new Error('stopped'));
        },
      });
      await expect(stopped).rejects.toThrow('stopped');
      const again = warehouse.archive.run({ account: 'main', settle: 0, retain: 1 });
      await warehouse.logs.landWindow(await batchOfCalls(folder, march, inMarch));
      await again;
    }
    done.abort();
    await watching;
    expect([...seen]).toEqual([net]);
    await warehouse.archive.run({ account: 'main', settle: 0, retain: 1 });
    expect(await filesIn(archiveOf(folder))).toHaveLength(5);
  });
});
