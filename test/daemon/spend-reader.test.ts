import { expect, it } from 'vitest';
import { unixMillis } from '../../src/core/index.ts';
import { createSpendReader } from '../../src/daemon/views/spend-status.ts';
import { openAt } from '../warehouse/archive/archive-support.ts';
import { testFolder } from '../warehouse/support.ts';
import { day, landCalls } from '../warehouse/tokens/tokens-support.ts';

const settings = {
  timezone: 'UTC',
  accounts: { main: { currency: 'USD' } },
  teams: { search: { keys: ['*'] } },
  tags: {},
  prices: {},
  budgets: {},
} as unknown as Parameters<ReturnType<typeof createSpendReader>>[0]['settings'];

it('spend is read again after a landing, also by someone else, with other settings, and on another day', async () => {
  await using folder = await testFolder();
  const now = unixMillis((day + 7200) * 1000);
  await using warehouse = await openAt(folder, 'test', now);
  let scans = 0;
  const read = createSpendReader({
    ...warehouse,
    sums: async (request, signal) => {
      scans += 1;
      return warehouse.sums(request, signal);
    },
  });
  const today = async (more: { team?: string; at?: number; given?: typeof settings } = {}) => {
    const request = { now: unixMillis(more.at ?? now), team: more.team };
    const [view] = await read({ settings: more.given ?? settings }, request);
    return [view?.sums?.today, scans];
  };
  const call = { prompt_tokens: 1000, quota: '1.5' };
  expect(await today()).toEqual([undefined, 0]);
  await landCalls(warehouse, folder, [call]);
  expect(await today()).toEqual(['1.5', 1]);
  expect(await today()).toEqual(['1.5', 1]);
  expect(await today({ team: 'search' })).toEqual(['1.5', 2]);
  await landCalls(warehouse, folder, [{ ...call, quota: '2.25' }]);
  // A report has brought the rollup up to date before the page is opened.
  await warehouse.rollup.keepUp('main');
  expect(await today()).toEqual(['2.25', 3]);
  expect(await today({ given: { ...settings } })).toEqual(['2.25', 4]);
  expect(await today({ given: settings, at: now + 86_400_000 })).toEqual(['0', 5]);
});
