import { describe, expect, it } from 'vitest';
import { money, unixSeconds } from '../../../src/core/index.ts';
import type { Snapshot } from '../../../src/warehouse/index.ts';
import { inDatabase, isOnPostgres } from '../../support/postgres-warehouse.ts';
import { at, key, keysOf, profileOf, snapshotOf } from './snapshots-support.ts';
import { openIn, optionsIn, testFolder, type TestFolder, openNew } from '../support.ts';

/** All rows of a table of a warehouse that is closed. */
const rowsOf = async (
  folder: TestFolder,
  table: string,
  columns = '*',
): Promise<readonly (readonly string[])[]> =>
  // The rows are arrays of texts.
  (await inDatabase(
    optionsIn(folder).path,
    `SELECT ${columns} FROM ${table} ORDER BY 1, 2, 3`,
  )) as string[][];

describe('the profile', () => {
  it('is stored digit by digit and found by its moment', async () => {
    const { snapshots } = (await openNew()).warehouse;
    expect(await snapshots.watermark('main')).toBeUndefined();
    expect(await snapshots.latestAccount('main')).toBeUndefined();
    const exact = profileOf('99999999999999999999.123456789012345678', {
      balance: money('-0.000000000000000001'),
      requestCount: undefined,
      displayName: undefined,
      group: undefined,
      level: undefined,
      rest: '{"aff":12345678901234567890.10,"text":"ü"}',
    });
    await snapshots.land(snapshotOf(1000, undefined, { profile: exact }));
    await snapshots.land(snapshotOf(2000));
    await snapshots.land(snapshotOf(3000));
    expect(await snapshots.accountAt('main', at(999))).toBeUndefined();
    expect(await snapshots.accountAt('main', at(1999))).toEqual({ ...exact, takenAt: 1000 });
    expect(await snapshots.accountAt('main', at(2000))).toMatchObject({ takenAt: 2000, usedQuota: '2000' });
    expect(await snapshots.latestAccount('main')).toMatchObject({ takenAt: 3000, requestCount: 7 });
    const between = await snapshots.accountBetween('main', at(1000), at(3000));
    expect(between.map(({ takenAt }) => takenAt)).toEqual([1000, 2000]);
    expect(await snapshots.latestAccount('other')).toBeUndefined();
    expect(await snapshots.watermark('main')).toBe(3000);
  });

  it.each([
    ['profile', '0.1234567890123456789'],
    ['profile', '100000000000000000000'],
    ['keys', '0.1234567890123456789'],
    ['keys', '-100000000000000000000'],
  ])(
    'or a list of keys is refused whole, and nothing kept, where the %s would make %s be rounded',
    async (part, amount) => {
      const { snapshots } = (await openNew()).warehouse;
      await snapshots.land(snapshotOf(1000, [key(1), key(2)]));
      const bad: Partial<Snapshot> =
        part === 'profile'
          ? { profile: profileOf(amount) }
          : { keys: [key(2, { name: 'other' }), key(3), key(4, { remainQuota: money(amount) })] };
      await expect(snapshots.land(snapshotOf(2000, [key(3)], bad))).rejects.toMatchObject({
        code: amount.includes('.') ? 'export-amount-inexact' : 'gateway-answer-unreadable',
      });
      expect(await snapshots.watermark('main')).toBe(1000);
      expect(keysOf(await snapshots.inventoryAt('main', at(9999)))).toEqual([key(1), key(2)]);
      expect(await snapshots.changes('main', at(0), at(9999))).toEqual([]);
      expect(await snapshots.land(snapshotOf(3000, [key(1), key(2)]))).toMatchObject({
        keys: { changed: 0 },
      });
    },
  );

  it('that could not be read does not prevent statistics and keys from being stored', async () => {
    const { snapshots } = (await openNew()).warehouse;
    const range = { start: unixSeconds(0), end: unixSeconds(3600), mpm: undefined, rest: '{}' };
    const output = {
      ...range,
      quota: money('0.000000123456789012345678'),
      rpm: money('1e-30'),
      tpm: money('3'),
    };
    await snapshots.land({ account: 'main', takenAt: at(1000), statistics: [output], keys: [key(1)] });
    expect(await snapshots.latestAccount('main')).toBeUndefined();
    expect(await snapshots.statisticsBetween('main', at(1000), at(1001))).toEqual([
      { ...output, takenAt: 1000 },
    ]);
    expect(await snapshots.statisticsBetween('main', at(0), at(1000))).toEqual([]);
    expect(keysOf(await snapshots.inventoryAt('main', at(1000)))).toEqual([key(1)]);
    await snapshots.land(snapshotOf(2000));
    expect(await snapshots.inventoryAt('main', at(2500))).toEqual({
      takenAt: 1000,
      keys: [{ ...key(1), since: 1000 }],
    });
  });
});

describe('the inventory', () => {
  it('adds a row for each change of a key and none otherwise', async () => {
    await using folder = await testFolder();
    {
      await using warehouse = await openIn(folder);
      const { snapshots } = warehouse;
      const counts = async (moment: number, ...keys: Parameters<typeof key>[]) =>
        (
          await snapshots.land(
            snapshotOf(
              moment,
              keys.map((one) => key(...one)),
            ),
          )
        ).keys;
      const none = { new: 0, changed: 0, gone: 0, first: false };
      expect(await counts(1, [1], [2], [3])).toEqual({ ...none, count: 3, first: true });
      expect(await counts(2, [3], [1], [2])).toEqual({ ...none, count: 3 });
      expect(await counts(3, [1], [2, { status: 2 }], [4])).toEqual({
        count: 3,
        new: 1,
        changed: 1,
        gone: 1,
        first: false,
      });
      expect(await counts(4, [1], [2, { status: 2 }], [4])).toEqual({ ...none, count: 3 });
      expect(await counts(5)).toEqual({ ...none, count: 0, gone: 3 });
      expect(await counts(6, [1])).toEqual({ ...none, count: 1, new: 1 });
    }
    const ranges = (await rowsOf(folder, 'key_snapshot', 'key_id, valid_from, valid_until')).map((row) =>
      row.join(' '),
    );
    const open = String(Number.MAX_SAFE_INTEGER);
    expect(ranges.toSorted()).toEqual(
      ['1 1 5', '2 1 3', '3 1 3', '2 3 5', '4 3 5', `1 6 ${open}`].toSorted(),
    );
    expect(await rowsOf(folder, 'account_snapshot')).toHaveLength(6);
  });

  it('taken twice at one moment is stored twice, one millisecond apart, and a key listed twice is rejected', async () => {
    const { snapshots } = (await openNew()).warehouse;
    await snapshots.land(snapshotOf(5, [key(1)]));
    expect(await snapshots.land(snapshotOf(5, [key(2)]))).toMatchObject({ takenAt: 6 });
    expect(keysOf(await snapshots.inventoryAt('main', at(5)))).toEqual([key(1)]);
    expect(keysOf(await snapshots.inventoryAt('main', at(6)))).toEqual([key(2)]);
    await expect(snapshots.land(snapshotOf(7, [key(1), key(1, { status: 2 })]))).rejects.toMatchObject({
      code: 'gateway-answer-unreadable',
    });
    expect(await snapshots.watermark('main')).toBe(6);
  });

  it('is separate for each account, and concurrent landings are serialised', async () => {
    const { snapshots } = (await openNew()).warehouse;
    await Promise.all(
      ['main', 'second'].flatMap((account) =>
        [1, 2, 3, 4].map((id) => snapshots.land(snapshotOf(id, [key(id)], { account }))),
      ),
    );
    for (const account of ['main', 'second'])
      expect(keysOf(await snapshots.inventoryAt(account, at(3)))).toEqual([key(3)]);
  });

  it('stores unusual names unchanged', async () => {
    const { snapshots } = (await openNew()).warehouse;
    // PostgreSQL stores no NUL.
    const odd = isOnPostgres ? [] : ['a\u0000b'];
    const names = ['', '"', '\\', "'; DROP TABLE key_snapshot; --", ...odd, '\u2028', '🔑', 'null', '\n'];
    const keys = names.map((name, id) =>
      key(id, { name, group: name, keyMask: undefined, status: undefined }),
    );
    await snapshots.land(snapshotOf(1, keys));
    expect(keysOf(await snapshots.inventoryAt('main', at(1)))).toEqual(keys);
    const cut = [...keys, key(99, { name: 'cut \uD83D' })];
    await snapshots.land(snapshotOf(2, cut));
    expect(await snapshots.land(snapshotOf(3, cut))).toMatchObject({ keys: { new: 0, changed: 0, gone: 0 } });
  });

  it('stores more keys than one statement accepts', async () => {
    const { snapshots } = (await openNew()).warehouse;
    const many = Array.from({ length: 10_500 }, (_, id) => key(id));
    await snapshots.land(snapshotOf(1, many));
    const later = many.slice(100).map((one) => (one.id % 2 === 0 ? one : { ...one, status: 2 }));
    expect(await snapshots.land(snapshotOf(2, later))).toMatchObject({
      keys: { count: 10_400, new: 0, changed: 5200, gone: 100 },
    });
    expect(keysOf(await snapshots.inventoryAt('main', at(1)))).toEqual(many);
    expect(keysOf(await snapshots.inventoryAt('main', at(2)))).toEqual(later);
  });
});

it('no secret is stored, whatever the gateway returns under any name', async () => {
  await using folder = await testFolder();
  const plaintext = 'sk-Zx8Qm2Lr7Tb4Kd9Wv1Hs6Ny3Pc5Gf0';
  {
    await using warehouse = await openIn(folder);
    const rest = JSON.stringify({
      api_key: plaintext.slice(3),
      owner: { accessToken: 'hunter2-hunter2', note: `made as ${plaintext}` },
      'Session-Id': 'cookie-of-a-session',
      tokens_used: 12,
      other_mask: 'sk-ab**********yz',
      [plaintext]: true,
    });
    await warehouse.snapshots.land(
      snapshotOf(1, [key(1, { keyMask: plaintext, rest }), key(2)], { profile: profileOf('1', { rest }) }),
    );
    const kept = (await warehouse.snapshots.inventoryAt('main', at(1)))?.keys[0];
    expect(kept?.keyMask).toBe('sk-Zx8Q**********5Gf0');
    expect(JSON.parse(kept?.rest ?? '')).toEqual({
      api_key: '[secret]',
      owner: { accessToken: '[secret]', note: 'made as [secret]' },
      'Session-Id': '[secret]',
      tokens_used: 12,
      other_mask: 'sk-ab**********yz',
      '[secret]': true,
    });
    expect((await warehouse.snapshots.latestAccount('main'))?.rest).toBe(kept?.rest);
  }
  for (const table of ['key_snapshot', 'account_snapshot'])
    expect(JSON.stringify(await rowsOf(folder, table))).not.toMatch(/Zx8Qm2Lr|hunter2|cookie-of/);
});
