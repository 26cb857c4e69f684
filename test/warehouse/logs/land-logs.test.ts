import { describe, expect, it } from 'vitest';
import { interval, systemClock, unixSeconds } from '../../../src/core/index.ts';
import { batchOf, openInMemory, openNew, openSchema, testFolder } from '../support.ts';
import { columnMigrations } from '../../../src/warehouse/logs/call-log-table.ts';
import { migrate } from '../../../src/warehouse/migrate.ts';
import { schema } from '../../../src/warehouse/schema.ts';

const whole = interval(unixSeconds(0), unixSeconds(4_000_000_000));

describe('landing a window of the call log', () => {
  it('stores the rows of the window, discards those of the overlap and counts identical rows as different calls (G6.15)', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    const batch = await batchOf(folder, [
      '899,m,k,1,0.5',
      '900,m,k,1,0.123456789012',
      '1799,m,k,1,1.2e-05',
      '1799,m,k,1,1.2e-05',
      '1800,m,k,1,0.25',
    ]);
    const landed = await warehouse.logs.landWindow(batch);
    expect(landed).toEqual({ rows: 3, replaced: 0, quota: '0.123480789012', replacedQuota: '0' });
    const again = await warehouse.logs.landWindow(batch);
    expect(again).toEqual({ rows: 3, replaced: 3, quota: '0.123480789012', replacedQuota: '0.123480789012' });
    const spend = await warehouse.spend('main', whole);
    expect(spend).toMatchObject({ net: '0.123480789012', calls: 3, amounts: 'currency' });
    expect(await warehouse.logs.cursor('main')).toBe(1800);
    expect(await warehouse.logs.windows('main')).toHaveLength(2);
  });

  it.each([
    ['an amount with 13 decimals', '900,m,k,1,0.1234567890123', 'export-amount-inexact'],
    ['an amount that underflows', '900,m,k,1,1e-13', 'export-amount-inexact'],
    ['an amount in words', '900,m,k,1,free', 'export-row-invalid'],
    ['an amount with digits grouped', '900,m,k,1,1_000', 'export-row-invalid'],
    ['a blank amount', '900,m,k,1,', 'export-row-invalid'],
    ['a broken count', '900,m,k,0.5,1', 'export-row-invalid'],
    ['a hexadecimal count', '900,m,k,0x10,1', 'export-row-invalid'],
    ['a short row', '900,m,k,1', 'export-row-invalid'],
    ['a long row', '900,m,k,1,1,1', 'export-row-invalid'],
    ['an open quote', '900,"m,k,1,1', 'export-row-invalid'],
    ['a time in words', 'soon,m,k,1,1', 'export-timestamp-unreadable'],
    ['a time far away', '90000,m,k,1,1', 'export-timestamp-unreadable'],
  ])('rejects %s and keeps the stored rows', async (_, line, code) => {
    const { folder, warehouse } = await openNew(openInMemory);
    await warehouse.logs.landWindow(await batchOf(folder, ['900,m,k,1,0.5']));
    const broken = await batchOf(folder, ['901,m,k,1,0.25', line]);
    await expect(warehouse.logs.landWindow(broken)).rejects.toMatchObject({ code });
    expect(await warehouse.spend('main', whole)).toMatchObject({ net: '0.5', calls: 1 });
    expect(await warehouse.logs.windows('main')).toHaveLength(1);
  });

  it('rejects a file with fewer rows than were counted', async () => {
    const { folder, warehouse } = await openNew(openInMemory);
    const batch = await batchOf(folder, ['900,m,k,1,0.5'], { served: 2 });
    await expect(warehouse.logs.landWindow(batch)).rejects.toMatchObject({ code: 'export-row-invalid' });
    expect(await warehouse.logs.cursor('main')).toBeUndefined();
  });
});

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
