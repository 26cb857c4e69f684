import { expect, it } from 'vitest';
import { openWarehouse } from '../support/postgres-warehouse.ts';
import { optionsIn, testFolder } from './support.ts';

it('a series keeps its color over restarts and beside new series, and each account has its own colors', async () => {
  await using folder = await testFolder();
  {
    await using warehouse = await openWarehouse(optionsIn(folder));
    const { assign } = warehouse.seriesColours;
    expect([...(await assign('main', ['gpt', 'claude', 'gpt', '']))]).toEqual([
      ['gpt', 0],
      ['claude', 1],
      ['', 2],
    ]);
    expect([...(await assign('other', ['claude']))]).toEqual([['claude', 0]]);
    expect(await assign('main', [])).toEqual(new Map());
  }
  await using again = await openWarehouse(optionsIn(folder));
  const [one, two] = await Promise.all([
    again.seriesColours.assign('main', ['new-one', 'claude']),
    again.seriesColours.assign('main', ['new-two', 'gpt', "it's; DROP TABLE outbox"]),
  ]);
  expect(one.get('claude')).toBe(1);
  expect(two.get('gpt')).toBe(0);
  const fresh = [one.get('new-one'), two.get('new-two'), two.get("it's; DROP TABLE outbox")];
  expect(new Set(fresh)).toEqual(new Set([3, 4, 5]));
});
