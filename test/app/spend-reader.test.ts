import { expect, it } from 'vitest';
import { unixMillis } from '../../src/core/index.ts';
import { createSpendReader } from '../../src/app/queries/spend-status.ts';
import { openAt } from '../warehouse/archive/archive-support.ts';
import { testFolder } from '../warehouse/support.ts';
import { day, landCalls } from '../warehouse/tokens/tokens-support.ts';

const settings = {
  timezone: 'UTC',
  accounts: { main: { currency: 'USD' } },
  teams: { search: { keys: ['*'] } },
  tags: {},
  owners: {},
  cost_centers: {},
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

it('a part of this month is compared with the same part of the last one, by team too', async () => {
  await using folder = await testFolder();
  const ninth = Date.UTC(2026, 11, 9) / 1000;
  const complete = ninth + 15 * 3600 + 27 * 60;
  const before = Date.UTC(2026, 10, 9) / 1000;
  await using warehouse = await openAt(folder, 'test', unixMillis(complete * 1000));
  const call = (at: number, quota: string, key = 'search-1') => ({ at, quota, key, prompt_tokens: 1000 });
  const calls = [
    call(before - 3600, '4'),
    call(before + 15 * 3600, '6.46'),
    call(before + 15 * 3600 + 27 * 60 - 1, '0.5', 'other'),
    call(before + 15 * 3600 + 27 * 60, '1.11'),
    call(ninth + 3600, '12.05'),
  ];
  const from = Date.UTC(2026, 10, 1) / 1000;
  await landCalls(warehouse, folder, calls, { from, days: (complete - from) / 86_400 });
  await warehouse.rollup.keepUp('main');
  const read = createSpendReader(warehouse);
  const given = { ...settings, teams: { search: { keys: ['search-*'] } } } as unknown as typeof settings;
  // Later on the day, with no more of the log, the comparison is the same.
  for (const now of [complete, complete + 6 * 3600]) {
    const [view] = await read({ settings: given }, { now: unixMillis(now * 1000) });
    expect(view?.sums).toMatchObject({ month: '12.05', lastMonth: '12.07', lastMonthToDate: '10.96' });
    expect(view?.teams.map(({ team, lastMonthToDate }) => [team, lastMonthToDate])).toEqual([
      ['search', '10.46'],
      ['', '0.5'],
    ]);
    expect(view?.days.find(({ date }) => date === '2026-11-09')?.spend).toBe('8.07');
  }
});

it('spend ends at the watermark, also after a clock that was set back has moved it back', async () => {
  await using folder = await testFolder();
  const now = day + 7200;
  await using warehouse = await openAt(folder, 'test', unixMillis(now * 1000));
  const note = async (offset: number) =>
    warehouse.clocks.note('main', { at: unixMillis(now * 1000), offset, uncertainty: 500 });
  await note(0);
  const calls = [
    { at: day - 2 * 86_400 + 60, prompt_tokens: 1000, quota: '1.5' },
    { at: day + 60, prompt_tokens: 1000, quota: '2.25' },
  ];
  await landCalls(warehouse, folder, calls, { from: day - 4 * 86_400, days: (now - day) / 86_400 + 4 });
  const read = createSpendReader(warehouse);
  const sums = async () => {
    const [view] = await read({ settings }, { now: unixMillis(now * 1000) });
    return [view?.through, view?.sums?.month, view?.sums?.today, view?.days.at(-1)?.spend];
  };
  expect(await sums()).toEqual([now * 1000, '3.75', '2.25', '2.25']);
  await note(-86_400_000);
  const [through, ...amounts] = await sums();
  expect(through).toBeLessThan(day * 1000);
  expect(amounts).toEqual(['1.5', '0', '0']);
});
