import { describe, expect, it } from 'vitest';
import { interval, unixSeconds } from '../../../src/core/index.ts';
import { batchOf, openInMemory, openNew } from '../support.ts';

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
