import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openWarehouse } from '../../support/postgres-warehouse.ts';
import { killAfter } from '../../support/child-module.ts';
import { at } from './snapshots-support.ts';
import { optionsIn, testFolder } from '../support.ts';

/** Lands a snapshot a pass: 300 keys from pass × 50 on, each named by the pass in which it was last changed. */
const child = `
  const { snapshots } = await openWarehouse(options);
  for (let pass = ((await snapshots.watermark('main')) ?? 0) + 1; ; pass += 1) {
    const keys = Array.from({ length: 300 }, (_, index) => ({
      id: pass * 50 + index, name: 'pass ' + (index % 2 === 0 ? pass : 0), keyMask: undefined, status: 1, remainQuota: '1',
      unlimitedQuota: false, expiredTime: 'never', group: undefined, createdTime: undefined, rest: '{}',
    }));
    const profile = { askedAt: pass, username: 'a', displayName: undefined, balance: '1', usedQuota: String(pass),
      requestCount: undefined, group: undefined, level: undefined, rest: '{}' };
    const statistics = [{ start: 0, end: pass, quota: '1', rpm: undefined, tpm: undefined, mpm: undefined, rest: '{}' }];
    say('begun ' + pass);
    await snapshots.land({ account: 'main', takenAt: pass, profile, statistics, keys });
    say('landed ' + pass);
  }`;

it('a snapshot is stored completely or not at all after kill -9 at any moment', async () => {
  await using folder = await testFolder();
  const options = optionsIn(folder, join(folder.path, 'crash.duckdb'));
  let landed = 0;
  for (const [round, lines] of [1, 2, 3, 8, 14].entries()) {
    let begun = landed;
    const isEnough = (line: string, count: number): boolean => {
      const pass = Number(line.split(' ')[1]);
      if (line.startsWith('begun')) begun = pass;
      else landed = pass;
      return count === lines;
    };
    const heard = await killAfter(isEnough, child, options.path, folder.spool);
    expect(heard, `round ${round}`).toBeGreaterThanOrEqual(lines);

    await using warehouse = await openWarehouse(options);
    const { snapshots } = warehouse;
    const farthest = (await snapshots.watermark('main')) ?? 0;
    expect([landed, begun]).toContain(farthest);
    const accounts = await snapshots.accountBetween('main', at(0), at(farthest + 99));
    const statistics = await snapshots.statisticsBetween('main', at(0), at(farthest + 99));
    const cycles = Array.from({ length: farthest }, (_, index) => index + 1);
    expect(accounts.map(({ takenAt }) => takenAt)).toEqual(cycles);
    expect(statistics.map(({ takenAt }) => takenAt)).toEqual(cycles);
    for (const pass of cycles) {
      const inventory = await snapshots.inventoryAt('main', at(pass));
      expect(inventory?.keys.map(({ id, name }) => [id, name])).toEqual(
        Array.from({ length: 300 }, (_, index) => [pass * 50 + index, `pass ${index % 2 === 0 ? pass : 0}`]),
      );
    }
    landed = farthest;
  }
  expect(landed).toBeGreaterThan(8);
});
