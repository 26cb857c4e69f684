import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { interval, localDays, unixMillis, unixSeconds } from '../../../src/core/index.ts';
import { cellsBySpan, type CellTable } from '../../../src/storage/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';
import { inDatabase as runInDatabase, isOnPostgres } from '../../support/postgres-warehouse.ts';
import { openAt } from '../archive/archive-support.ts';
import { testFolder, type TestFolder, openNew } from '../support.ts';
import { day, landCalls } from '../tokens/tokens-support.ts';

const zone = 'Europe/Berlin';
/** The day on which clocks go forward, and those around it. */
const days = localDays('2026-03-26', '2026-04-02', zone);

const open = async (folder: TestFolder, now = Date.UTC(2026, 5, 1)): Promise<Warehouse> =>
  openAt(folder, 'test', unixMillis(now));

const read = async (warehouse: Warehouse, figures = 'sum(calls), sum(spend), sum(input_uncached_tokens)') =>
  warehouse.readCube(
    { account: 'main', zone, periods: [{ name: 'current', days }] },
    async (query) => (await query(`SELECT day, ${figures} FROM cube GROUP BY day ORDER BY day`)).rows,
  );

/** Runs SQL of our own on the closed database. */
const inDatabase = async (folder: TestFolder, ...statements: readonly string[]): Promise<unknown> =>
  runInDatabase(join(folder.path, 'test', 'test.duckdb'), ...statements);

const call = { prompt_tokens: 1000, cached_tokens: 400, quota: '0.5' };

it('a day that lands again is read as it landed last', async () => {
  const { folder, warehouse } = await openNew(open);
  await landCalls(warehouse, folder, [{ ...call, quota: '1.5' }]);
  expect(await read(warehouse)).toEqual([['2026-03-28', '1', '1.5', '600']]);
  await landCalls(warehouse, folder, [
    { ...call, quota: '1.5' },
    { ...call, quota: '2.25', at: day + 60 },
  ]);
  expect(await read(warehouse)).toEqual([['2026-03-28', '2', '3.75', '1200']]);
});

it('a day that lands while a report is open is read as it has landed', async () => {
  const { folder, warehouse } = await openNew(open);
  await landCalls(warehouse, folder, [call]);
  await read(warehouse);
  const request = { account: 'main', zone, periods: [{ name: 'current' as const, days }] };
  const rows = await warehouse.readCube(request, async (query) => {
    await landCalls(warehouse, folder, [{ ...call, quota: '7.5' }]);
    return (await query('SELECT day, sum(spend) FROM cube GROUP BY day')).rows;
  });
  expect(rows).toEqual([['2026-03-28', '7.5']]);
});

it('a convention of a model that is configured later changes the tokens of earlier days', async () => {
  const { folder, warehouse } = await openNew(open);
  await landCalls(warehouse, folder, [call, { ...call, model: 'other' }]);
  const tokens = 'sum(input_uncached_tokens), sum(input_tokens)';
  expect(await read(warehouse, tokens)).toEqual([['2026-03-28', '1200', '2000']]);
  await warehouse.tokens.configure('main', { model: 'excludes_cache', other: 'includes_cache' });
  expect(await read(warehouse, tokens)).toEqual([['2026-03-28', '1600', '2400']]);
});

it('calls at both ends of a day of 23 hours count for that day', async () => {
  const { folder, warehouse } = await openNew(open);
  // March 29 in Berlin: from 23:00 to 22:00 UTC.
  const start = day + 23 * 3600;
  const moments = [start - 1, start, start + 23 * 3600 - 1, start + 23 * 3600];
  await landCalls(
    warehouse,
    folder,
    moments.map((at) => ({ ...call, at })),
    { days: 2 },
  );
  expect(await read(warehouse, 'sum(calls)')).toEqual([
    ['2026-03-28', '1'],
    ['2026-03-29', '2'],
    ['2026-03-30', '1'],
  ]);
  expect(await warehouse.rollup.compare('main', 'cells')).toEqual([]);
});

it('the current day is read from its calls, and gets cells when it has ended', async () => {
  await using folder = await testFolder();
  const cells = async () =>
    inDatabase(folder, 'SELECT count(*) FROM rollup_pair', 'SELECT count(*) FROM rollup_day');
  {
    await using warehouse = await open(folder, (day + 3600) * 1000);
    await landCalls(warehouse, folder, [call]);
    expect(await read(warehouse, 'sum(calls)')).toEqual([['2026-03-28', '1']]);
  }
  // March 26 and 27 are over.
  expect(await cells()).toEqual([['2']]);
  {
    await using warehouse = await open(folder);
    expect(await read(warehouse, 'sum(calls)')).toEqual([['2026-03-28', '1']]);
  }
  expect(await cells()).toEqual([[String(days.length)]]);
});

// PostgreSQL never held rows of before schema 25.
it.skipIf(isOnPostgres)(
  'a landing changes what the rows of the next local day state whose columns only their UTC day shows',
  async () => {
    await using folder = await testFolder();
    {
      await using warehouse = await open(folder);
      await landCalls(warehouse, folder, [
        { ...call, cache_write_tokens: 0, at: day + 60 },
        // 00:20 in Berlin.
        { prompt_tokens: 0, completion_tokens: 5, quota: '0.5', at: day + 84_000 },
      ]);
    }
    await inDatabase(folder, 'UPDATE call_log SET served_columns = NULL');
    await using warehouse = await open(folder);
    const known = `sum(rows) FILTER (input_counts = 'known')`;
    expect((await read(warehouse, known)).at(-1)).toEqual(['2026-03-29', '1']);
    const hour = { from: day, days: 1 / 24 };
    await landCalls(warehouse, folder, [{ prompt_tokens: 5, quota: '0.5', at: day + 60 }], hour);
    expect(await warehouse.rollup.compare('main', 'cells')).toEqual([]);
    expect((await read(warehouse, known)).at(-1)).toEqual(['2026-03-29', null]);
  },
);

it('a day whose sums exceed a cell is read from its calls', async () => {
  const { folder, warehouse } = await openNew(open);
  await landCalls(
    warehouse,
    folder,
    Array.from({ length: 12 }, (_, at) => ({
      ...call,
      at: day + at,
      prompt_tokens: 9e17,
    })),
  );
  expect(await read(warehouse, 'sum(prompt_tokens)')).toEqual([['2026-03-28', '10800000000000000000']]);
  expect(await read(warehouse, 'sum(prompt_tokens)')).toEqual([['2026-03-28', '10800000000000000000']]);
});

/** Adds one to every amount of a table of cells, as no landing does. */
const edited = async (folder: TestFolder, table: CellTable): Promise<void> => {
  {
    await using warehouse = await open(folder);
    await landCalls(warehouse, folder, [call]);
    await read(warehouse);
  }
  await inDatabase(folder, `UPDATE ${table} SET quota = quota + 1`);
};

it.each(cellsBySpan.rollup_day)(
  'a day with edited cells in %s is found, built again and recorded once',
  async (table) => {
    await using folder = await testFolder();
    await edited(folder, table);
    await using warehouse = await open(folder);
    const different = [{ zone, start: day - 3600 }];
    expect(await warehouse.rollup.compare('main', 'sums')).toEqual(different);
    expect(await warehouse.rollup.compare('main', 'cells')).toEqual(different);
    expect(await warehouse.rollup.repair('main')).toEqual(different);
    expect(await read(warehouse, 'sum(spend)')).toEqual([['2026-03-28', '0.5']]);
    expect(await warehouse.rollup.repair('main')).toEqual([]);
    const found: unknown[] = [];
    for (let time = 0; time < 2; time += 1)
      await warehouse.notifyOnce('learned', 'main', async (fresh) => {
        found.push(...fresh);
        return [];
      });
    expect(found).toMatchObject([{ topic: 'rollup-differs', name: zone, days: 1, first: '2026-03-28' }]);
  },
);

it('a rebuild builds every day again, also those whose sums are right', async () => {
  await using folder = await testFolder();
  await edited(folder, 'rollup_model');
  await inDatabase(folder, `UPDATE rollup_model SET quota = quota - 1, model_name = 'another'`);
  await using warehouse = await open(folder);
  expect(await warehouse.rollup.repair('main')).toEqual([]);
  expect(await warehouse.rollup.rebuild('main')).toEqual([]);
  expect(await read(warehouse, 'min(model_name)')).toEqual([['2026-03-28', 'model']]);
});

it('a whole month is read from cells of its own, which are built again after a landing and after an edit', async () => {
  await using folder = await testFolder();
  const march = { name: 'current' as const, days: localDays('2026-03-01', '2026-03-31', zone) };
  const ofKeys = async (warehouse: Warehouse) =>
    warehouse.readCube(
      { account: 'main', zone, periods: [march] },
      async (query) =>
        (await query('SELECT token_name, sum(spend) FROM cube GROUP BY ALL ORDER BY ALL')).rows,
    );
  const edit = () => inDatabase(folder, 'UPDATE rollup_month_pair SET quota = quota + 1');
  {
    await using warehouse = await open(folder);
    await landCalls(warehouse, folder, [call]);
    expect(await ofKeys(warehouse)).toEqual([['key', '0.5']]);
  }
  await edit();
  {
    await using warehouse = await open(folder);
    // The edit shows that the cells of the month are read.
    expect(await ofKeys(warehouse)).toEqual([['key', '1.5']]);
    await landCalls(warehouse, folder, [{ ...call, quota: '2.5' }]);
    expect(await ofKeys(warehouse)).toEqual([['key', '2.5']]);
  }
  await edit();
  await using warehouse = await open(folder);
  const different = [{ zone, start: Date.UTC(2026, 1, 28, 23) / 1000 }];
  expect(await warehouse.rollup.compare('main', 'sums')).toEqual(different);
  expect(await warehouse.rollup.compare('main', 'cells')).toEqual(different);
  expect(await warehouse.rollup.repair('main')).toEqual(different);
  expect(await ofKeys(warehouse)).toEqual([['key', '2.5']]);
});

it('a month of two periods is read from its days', async () => {
  const { folder, warehouse } = await openNew(open);
  await landCalls(warehouse, folder, [call, { ...call, at: day + 86_400 }], { days: 2 });
  const dates = localDays('2026-03-01', '2026-03-31', zone);
  const rows = await warehouse.readCube(
    {
      account: 'main',
      zone,
      periods: [
        { name: 'comparison', days: dates.slice(0, 28) },
        { name: 'current', days: dates.slice(28) },
      ],
    },
    async (query) =>
      (await query('SELECT period, token_name, sum(calls) FROM cube GROUP BY ALL ORDER BY ALL')).rows,
  );
  expect(rows).toEqual([
    ['comparison', 'key', '1'],
    ['current', 'key', '1'],
  ]);
});

it('a month whose sums exceed a cell is read from its days', async () => {
  const { folder, warehouse } = await openNew(open);
  const calls = Array.from({ length: 12 }, (_, at) => ({
    ...call,
    at: day + (at % 2) * 86_400 + at,
    prompt_tokens: 9e17,
    cached_tokens: 0,
  }));
  await landCalls(warehouse, folder, calls, { days: 2 });
  const rows = await warehouse.readCube(
    {
      account: 'main',
      zone,
      periods: [{ name: 'current', days: localDays('2026-03-01', '2026-03-31', zone) }],
    },
    async (query) => (await query('SELECT token_name, sum(prompt_tokens) FROM cube GROUP BY ALL')).rows,
  );
  expect(rows).toEqual([['key', '10800000000000000000']]);
  expect(await warehouse.rollup.compare('main', 'cells')).toEqual([]);
});

it('days that have ended get their cells without a report', async () => {
  await using folder = await testFolder();
  {
    await using warehouse = await open(folder, (day + 3600) * 1000);
    await landCalls(warehouse, folder, [call]);
    await read(warehouse);
  }
  {
    await using warehouse = await open(folder, (day + 2 * 86_400) * 1000);
    await warehouse.rollup.keepUp('main');
  }
  expect(await inDatabase(folder, 'SELECT sum(row_count) FROM rollup_pair')).toEqual([['1']]);
});

describe('hours of the rollup', () => {
  const range = interval(unixSeconds(day), unixSeconds(day + 86_400));
  const hours = async (warehouse: Warehouse, asked = range) =>
    (
      await warehouse.hours({ account: 'main', queries: [{ range: asked, by: ['model'], each: 'hour' }] })
    ).found.flatMap((rows) => rows.map(({ at, calls, spend }) => [(at - day) / 3600, calls, spend]));
  const calls = [
    { ...call, at: day + 30 },
    { ...call, at: day + 7200 },
    { ...call, at: day + 10_799 },
  ];

  it('are read from cells once their day has ended, which are built again after a landing', async () => {
    await using folder = await testFolder();
    {
      await using warehouse = await open(folder);
      await landCalls(warehouse, folder, calls);
      expect(await hours(warehouse)).toEqual([
        [0, 1, '0.5'],
        [2, 2, '1'],
      ]);
    }
    await inDatabase(folder, 'UPDATE rollup_hour SET spend = spend + 1');
    await using warehouse = await open(folder);
    // The edit shows that cells are read, also for a part of a day.
    expect((await hours(warehouse)).map(([, , spend]) => spend)).toEqual(['1.5', '2']);
    expect(await hours(warehouse, interval(unixSeconds(day + 3600), unixSeconds(day + 90_000)))).toEqual([
      [2, 2, '2'],
    ]);
    const different = [{ zone: 'UTC', start: day }];
    expect(await warehouse.rollup.compare('main', 'sums')).toEqual(different);
    expect(await warehouse.rollup.repair('main')).toEqual(different);
    expect(await hours(warehouse)).toEqual([
      [0, 1, '0.5'],
      [2, 2, '1'],
    ]);
    await landCalls(warehouse, folder, calls.slice(0, 1));
    expect(await hours(warehouse)).toEqual([[0, 1, '0.5']]);
  });

  it.each(['rollup_hour_model', 'rollup_hour_key'])('of %s are compared with their calls', async (table) => {
    await using folder = await testFolder();
    {
      await using warehouse = await open(folder);
      await landCalls(warehouse, folder, calls);
      await hours(warehouse);
      expect(await warehouse.rollup.compare('main', 'sums')).toEqual([]);
    }
    await inDatabase(folder, `UPDATE ${table} SET spend = spend * 1.000001`);
    await using warehouse = await open(folder);
    expect(await warehouse.rollup.compare('main', 'sums')).toEqual([{ zone: 'UTC', start: day }]);
  });

  it('sum the keys of a service, and leave out other services', async () => {
    await using folder = await testFolder();
    await using warehouse = await open(folder);
    await landCalls(warehouse, folder, [
      { ...call, at: day + 30, key: 'billing-1' },
      { ...call, at: day + 60, key: 'billing-2' },
      { ...call, at: day + 90, key: 'search' },
    ]);
    const step = { account: 'main', service: 'billing', rotation: 'r', what: 'created', event: '{}' };
    await warehouse.keys.append(
      [{ ...step, seq: 1, hash: 'h', at: unixMillis(day * 1000) }],
      ['billing-1', 'billing-2'].map((name, at) => ({
        account: 'main',
        keyId: at + 1,
        service: 'billing',
        generation: at + 1,
        name,
        born: unixMillis(day * 1000),
      })),
    );
    const { found, series, growth } = await warehouse.hours({
      account: 'main',
      queries: [{ range, by: ['service'], each: 'range', only: { service: ['billing'] } }],
      series: [{ range, by: 'service', each: 'range', only: ['billing'] }],
      growth: [{ range, by: 'service', floor: 0.6, hour: { times: 1, calls: 0 }, day: { times: 1 } }],
    });
    expect(found).toEqual([[{ at: day, model: '', key: '', service: 'billing', calls: 2, spend: '1' }]]);
    expect(series).toEqual([new Map([['billing', new Map([[day, { calls: 2, spend: 1 }]])]])]);
    expect(growth).toEqual([new Map([['billing', { hour: true, day: true }]])]);
  });

  it('are kept for 70 days', async () => {
    await using folder = await testFolder();
    const countAt = async (now: number): Promise<unknown> => {
      {
        await using warehouse = await open(folder, now);
        if (now < day * 1000 + 71 * 86_400_000) await landCalls(warehouse, folder, calls);
        expect(await hours(warehouse)).toHaveLength(2);
      }
      return inDatabase(folder, 'SELECT count(*) FROM rollup_hour');
    };
    expect(await countAt((day + 70 * 86_400) * 1000)).toEqual([['2']]);
    expect(await countAt((day + 71 * 86_400) * 1000)).toEqual([['0']]);
  });
});
