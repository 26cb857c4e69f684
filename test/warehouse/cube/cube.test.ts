import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  interval,
  localDays,
  systemClock,
  tokenColumns,
  unixMillis,
  unixSeconds,
} from '../../../src/core/index.ts';
import {
  reportRelations,
  type CubeQuery,
  type CubeRequest,
  type LogBatch,
  type Warehouse,
} from '../../../src/warehouse/index.ts';
import { openWarehouse } from '../../support/postgres-warehouse.ts';
import {
  batchOf,
  columnsNamed,
  optionsIn,
  openInMemory,
  testFolder,
  type TestFolder,
  openNew,
} from '../support.ts';

const columns = columnsNamed(
  ['created_at', 'model_name', 'token_name', 'kind', 'cached_tokens', 'quota'],
  'id',
  'ID',
);

const start = Date.UTC(2026, 2, 28) / 1000;
const window = interval(unixSeconds(start), unixSeconds(start + 4 * 86_400));

const land = async (
  warehouse: Warehouse,
  folder: TestFolder,
  lines: string[],
  change: Partial<LogBatch> = {},
) => warehouse.logs.landWindow(await batchOf(folder, lines, { columns, window, asked: window, ...change }));

const lines = [
  `${start},gpt,key,Consume,,0.25,1,1`,
  `${start + 1},gpt,key,2,7,0.25,2,2`,
  `${start + 899},gpt,key,consumption,,0.000000000001,3,3`,
  `${start + 900},gpt,,refund,,-0.1,4,4`,
  `${start + 86_400},gpt,,REFUND,,0.2,5,5`,
  `${start + 86_400},,,topup,,100,6,6`,
  `${start + 86_400},,,system,,,7,7`,
  `${start + 2 * 86_400},gpt,key,bonus,,3,8,8`,
];

const request: CubeRequest = {
  account: 'main',
  periods: [
    { name: 'current', days: localDays('2026-03-29', '2026-03-31', 'Europe/Berlin') },
    { name: 'comparison', days: localDays('2026-03-28', '2026-03-28', 'Europe/Berlin') },
  ],
};

const rowsOf = async (warehouse: Warehouse, sql: string, change: Partial<CubeRequest> = {}) =>
  warehouse.readCube({ ...request, ...change }, async (query) => (await query(sql)).rows);

describe('the cube', () => {
  it('sums by quarter hour, model, key and kind with local days, and separates kinds that are not spend', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    await land(warehouse, folder, lines);
    const cells = await rowsOf(
      warehouse,
      `SELECT period, day, day_number, quarter, model_name, token_name, kind, rows, calls, cached_tokens, spend, amount
       FROM cube ORDER BY quarter, kind`,
    );
    expect(cells.map((row) => row.map((value) => value ?? 'NULL').join('|'))).toEqual([
      `comparison|2026-03-28|0|${start}|gpt|key|consumption|3|3|7|0.500000000001|0.500000000001`,
      `comparison|2026-03-28|0|${start + 900}|gpt||refund|1|0|NULL|-0.1|-0.1`,
      `current|2026-03-29|0|${start + 86_400}|gpt||refund|1|0|NULL|-0.2|0.2`,
      `current|2026-03-29|0|${start + 86_400}|||system|1|0|NULL|0|0`,
      `current|2026-03-29|0|${start + 86_400}|||top-up|1|0|NULL|0|100`,
      `current|2026-03-30|1|${start + 172_800}|gpt|key|bonus|1|0|NULL|0|3`,
    ]);
    expect(
      await rowsOf(warehouse, 'SELECT day, end_seconds - start_seconds AS length FROM days ORDER BY day'),
    ).toEqual([
      ['2026-03-28', '86400'],
      ['2026-03-29', '82800'],
      ['2026-03-30', '86400'],
      ['2026-03-31', '86400'],
    ]);
    expect(await warehouse.spend('main', window)).toMatchObject({
      consumption: '0.500000000001',
      refunds: '0.3',
      net: '0.200000000001',
      calls: 3,
      otherKinds: [
        { kind: 'bonus', rows: 1, amount: '3' },
        { kind: 'system', rows: 1, amount: '0' },
        { kind: 'top-up', rows: 1, amount: '100' },
      ],
    });
  });

  it('turns units to currency exactly', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    const amounts = { form: 'units' as const, unitsPerCurrency: 500_000, decimalsWritten: false };
    await land(warehouse, folder, [`${start},gpt,key,,,123456789,1,1`, `${start},gpt,key,,,-1,1,1`], {
      amounts,
    });
    expect(await rowsOf(warehouse, 'SELECT kind, spend FROM cube ORDER BY kind')).toEqual([
      ['consumption', '246.913578'],
      ['refund', '-0.000002'],
    ]);
  });

  it('recognises the row kinds in the gateway’s other language', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    const texts = ['充值', '消费', '管理', '系统', '错误', '退款'];
    await land(
      warehouse,
      folder,
      texts.map((word) => `${start + 86_400},gpt,key,${word},,0.5,1,1`),
    );
    expect(await rowsOf(warehouse, 'SELECT kind, spend FROM cube ORDER BY kind')).toEqual([
      ['consumption', '0.5'],
      ['error', '0'],
      ['management', '0'],
      ['refund', '-0.5'],
      ['system', '0'],
      ['top-up', '0'],
    ]);
  });

  it('rejects a currency other than the account’s, and reports whether amounts are units', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    const amounts = async (currency: string) =>
      warehouse.readCube({ ...request, currency }, async (_, facts) => facts.amounts);
    expect(await amounts('CNY')).toBeUndefined();
    await land(warehouse, folder, [`${start},gpt,key,,,5,1,1`]);
    expect(await amounts('USD')).toBeUndefined();
    await expect(amounts('CNY')).rejects.toMatchObject({ code: 'export-currency-changed' });
    await land(warehouse, folder, [`${start},gpt,key,,,0.5,1,1`]);
    expect(await amounts('USD')).toBe('currency');
  });

  it('ignores top-ups when it judges whether whole amounts are units', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    const calls = Array.from({ length: 30 }, () => `${start},flux,key,2,,1,1,1`);
    await land(warehouse, folder, [...calls, `${start},,,1,,500000,1,1`]);
    expect(await warehouse.spend('main', window)).toMatchObject({ net: '30', amounts: undefined });
  });

  it('gives every type as exact text', async () => {
    const { warehouse } = await openNew(openInMemory);
    const table = await warehouse.readCube(request, async (query) =>
      query(
        `SELECT 12345678901234567890123456::DECIMAL(38, 10) AS a, 170141183460469231731687303715884105727 AS b,
           true AS c, DATE '2026-01-01' AS d, 'x' AS e, NULL AS f, 0.1::DOUBLE AS g, 1.50::DECIMAL(4, 2) AS h`,
      ),
    );
    const [row = []] = table.rows;
    expect(table.columns.map(({ type }, at) => [type, row[at]])).toEqual([
      ['decimal', '12345678901234567890123456'],
      ['integer', '170141183460469231731687303715884105727'],
      ['boolean', true],
      ['date', '2026-01-01'],
      ['text', 'x'],
      ['integer', null],
      ['other', '0.1'],
      ['decimal', '1.5'],
    ]);
  });

  it.each([
    ['two statements', 'SELECT 1; SELECT 2', /2 statements/],
    ['nothing', ' ', /empty/],
    ['a comment alone', '-- SELECT 1', /./],
    ['a write', 'DELETE FROM days', /no SELECT/],
    ['a setting', `SET memory_limit = '1GB'`, /no SELECT/],
    ['a table of the warehouse', 'SELECT * FROM call_log', /call_log/],
    ['too many rows', 'SELECT * FROM range(11)', /more than 10 rows/],
  ])('refuses %s', async (_, sql, message) => {
    const { warehouse } = await openNew(openInMemory);
    await expect(rowsOf(warehouse, sql, { rowLimit: 10 })).rejects.toMatchObject({
      code: 'report-query-failed',
      message: expect.stringMatching(message) as string,
    });
    expect(await rowsOf(warehouse, 'SELECT * FROM range(10)', { rowLimit: 10 })).toHaveLength(10);
  });

  it('has the same figures for few keys of many as for the same keys of an account without others', async () => {
    const keys = Array.from({ length: 20 }, (_, key) => `key-${key}`);
    const kept = ['key-3', 'key-7'];
    const columnsOfTokens = columnsNamed(
      ['created_at', 'model_name', 'token_name', 'kind', ...tokenColumns, 'quota'],
      'id',
      'ID',
    );
    const [first, days] = [start - 20 * 86_400, 40];
    let nth = 0;
    const callsOf = (key: string): readonly string[] =>
      Array.from({ length: days * 8 }, (_, call) => {
        nth += 1;
        const at = first + call * 10_800 + (nth % 900);
        const prompt = call === 200 ? 4_000_000 : 1000 + ((nth * 37) % 801);
        const completion = 100 + ((nth * 91) % 301);
        const served = new Map([
          ['prompt_tokens', prompt],
          ['completion_tokens', completion],
        ]);
        const counts = tokenColumns.map((name) => served.get(name) ?? 0);
        const charge = ((prompt * 2 + completion * 8) / 1e6).toFixed(6);
        const kind = nth % 17 === 0 ? 'refund' : 'consume';
        return `${at},model-${nth % 3},${key},${kind},${counts.join(',')},${charge},${nth},${nth}`;
      });
    const byKey = keys.map((key) => [key, callsOf(key)] as const);
    const range = interval(unixSeconds(first), unixSeconds(first + (days + 1) * 86_400));
    const asked: Partial<CubeRequest> = {
      zone: 'Europe/Berlin',
      // Between the periods are days that belong to neither.
      periods: [
        { name: 'current', days: localDays('2026-03-25', '2026-04-03', 'Europe/Berlin') },
        { name: 'comparison', days: localDays('2026-03-10', '2026-03-20', 'Europe/Berlin') },
      ],
      run: { now: unixMillis((start + 30 * 86_400) * 1000), covered: range },
      only: { keys: kept },
    };
    const figures = async (rows: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> => {
      const { folder, warehouse } = await openNew(openInMemory);
      await land(warehouse, folder, [...rows], { columns: columnsOfTokens, window: range, asked: range });
      const found = new Map<string, readonly string[]>();
      const sums = 'model_name, kind, sum(calls), sum(spend), sum(input_tokens), sum(output_plain_tokens)';
      for (const from of [
        ...reportRelations.map(({ name }) => name),
        '(SELECT * EXCLUDE quarter FROM cube)',
        `(SELECT period, ${sums} FROM cube GROUP BY ALL)`,
        `(SELECT day, ${sums} FROM cube GROUP BY ALL)`,
      ]) {
        const result = await rowsOf(warehouse, `SELECT * FROM ${from}`, asked);
        found.set(from, result.map((row) => JSON.stringify(row)).toSorted());
      }
      return found;
    };
    const all = await figures(byKey.flatMap(([, rows]) => rows));
    const alone = await figures(byKey.flatMap(([key, rows]) => (kept.includes(key) ? rows : [])));
    for (const name of ['cube', 'calls', 'unusual_days', 'changed_usage', 'fitted_prices'])
      expect(all.get(name)?.length, name).toBeGreaterThan(0);
    expect(all).toEqual(alone);
  });

  it('reads no file, not even in the spool', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    const file = join(folder.spool, 'x.csv');
    await writeFile(file, 'a\n1\n');
    await expect(rowsOf(warehouse, `SELECT * FROM read_csv('${file}')`)).rejects.toMatchObject({
      code: 'report-query-failed',
    });
  });

  it('interrupts a query at its time limit and continues with the next', async () => {
    await using folder = await testFolder();
    await using warehouse = await openWarehouse({ ...optionsIn(folder), clock: systemClock });
    const long = 'SELECT count(*) FROM range(10000000000) a, range(1000) b';
    const use = async (query: CubeQuery) => query(long);
    await expect(warehouse.readCube({ ...request, timeLimit: unixMillis(5) }, use)).rejects.toMatchObject({
      code: 'report-query-failed',
      message: expect.stringContaining('5 ms') as string,
    });
  });

  it('stops when its signal is aborted', async () => {
    const { warehouse } = await openNew(openInMemory);
    const stop = new AbortController();
    const use = async (query: CubeQuery) => {
      const running = query('SELECT count(*) FROM range(10000000000) a, range(1000) b');
      setImmediate(() => stop.abort(new Error('stopped')));
      return running;
    };
    await expect(warehouse.readCube({ ...request, signal: stop.signal }, use)).rejects.toThrow('stopped');
  });
});
