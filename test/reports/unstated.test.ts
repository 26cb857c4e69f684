import { describe, expect, test } from 'vitest';
import { interval, unixSeconds, type LocaleTag } from '../../src/core/index.ts';
import { csvOf, type ReportModel } from '../../src/reports/index.ts';
import type { DataTable } from '../../src/reports/attachments/data.ts';
import { openAccount, type Account, type Call } from './shipped.ts';
import { figuresOf, findTable, paragraphsOf } from './parts.ts';

const oneDay = 86_400;
const firstDay = Date.UTC(2026, 10, 10) / 1000;
const period = '2026-11-10..2026-11-14';
const excludes = { input: { '*': 'excludes_cache' }, output: { '*': 'includes_reasoning' } } as const;

const callOn = (day: number): Call => ({
  at: firstDay + day * oneDay + 43_200,
  model: 'claude-sonnet-5',
  key: 'ci',
  prompt: 100,
  cached: 300,
  completion: 100,
  charge: '1',
});

/** Four days; the export of some lacks columns. */
const landDays = async (account: Account, without: readonly (readonly string[])[]): Promise<void> => {
  for (const [day, lacking] of without.entries()) {
    const start = firstDay + day * oneDay;
    await account.land([callOn(day)], {
      days: interval(unixSeconds(start), unixSeconds(start + oneDay)),
      without: lacking,
    });
  }
};

const shownRows = (model: ReportModel, title: string) =>
  findTable(model, title)?.rows.map(({ cells }) => cells.map(({ text }) => text));

const cached = ['cached_tokens'];

describe('a report over an export that began to state cached tokens in the middle of the period', () => {
  test('names the days, and marks the counts as a lower bound', async () => {
    await using account = await openAccount(excludes);
    await landDays(account, [cached, cached, [], cached]);
    const model = await account.report('spend-summary', { period: '2026-11-10..2026-11-16' });
    expect(shownRows(model, 'Days without all token counts')).toEqual([
      ['Nov 10', 'Nov 11', '2', 'lower bound', 'known'],
      ['Nov 13', 'Nov 13', '1', 'lower bound', 'known'],
    ]);
    const days = shownRows(model, 'Days') ?? [];
    expect(days.map(([day, , , input, , , , split]) => [day, input, split])).toEqual([
      ['Nov 15', '', '–'],
      ['Nov 14 (incomplete)', '0', 'known'],
      ['Nov 13', '100', 'lower bound'],
      ['Nov 12', '400', 'known'],
      ['Nov 11', '100', 'lower bound'],
      ['Nov 10 (incomplete)', '100', 'lower bound'],
      ['Total', '700', ''],
    ]);
  });

  test('has the words of the mail in the files for people, and the same codes for programs in every language', async () => {
    await using account = await openAccount(excludes);
    await landDays(account, [cached, cached, [], cached]);
    const tablesIn = async (report: string, locale: LocaleTag) =>
      (await account.report(report, { period: '2026-11-10..2026-11-16', locale })).data.tables;
    const splitOf = (title: string, tables: readonly DataTable[]): readonly string[] => {
      const table = tables.find((one) => one.title === title);
      const at = table?.columns.findIndex(({ name }) => name === 'split' || name === 'input_counts') ?? -1;
      const [, ...lines] = table === undefined ? [] : csvOf(table).toString('utf8').trim().split('\r\n');
      return lines.map((line) => line.split(',')[at] ?? '');
    };
    const [english, german] = [await tablesIn('spend-summary', 'en'), await tablesIn('spend-summary', 'de')];
    const words = ['', 'known', 'lower bound', 'known', 'lower bound', 'lower bound'];
    expect(splitOf('Days', english)).toEqual(words);
    expect(splitOf('Tokens by model', english)).toEqual(['lower bound']);
    expect(splitOf('Days without all token counts', english)).toEqual(['lower bound', 'lower bound']);
    expect(splitOf('Tage', german)).toEqual([
      '',
      'bekannt',
      'Mindestwert',
      'bekannt',
      'Mindestwert',
      'Mindestwert',
    ]);
    const codes = english.flatMap(({ columns, rows }) => {
      const at = columns.findIndex(({ name }) => name === 'split');
      return at < 0 ? [] : rows.map((row) => row[at]);
    });
    expect(new Set(codes)).toEqual(new Set([null, 'least']));
    const rowsOf = (tables: readonly DataTable[]) => tables.map(({ rows }) => rows);
    for (const report of ['spend-summary', 'statement'])
      for (const locale of ['de', 'zh'] as const)
        expect(rowsOf(await tablesIn(report, locale))).toEqual(rowsOf(await tablesIn(report, 'en')));
  });

  test('draws no hit rate for the days before, and says how many calls do not state their tokens', async () => {
    await using account = await openAccount(excludes);
    await landDays(account, [cached, cached, [], []]);
    const model = await account.report('token-economics', { period });
    const chart = model.sections.find(({ title }) => title === 'Cache hit rate by day');
    expect(chart).toMatchObject({ bars: [{ parts: [] }, { parts: [] }, { parts: [{}] }, { parts: [{}] }] });
    expect(paragraphsOf(model).join()).toContain('not state all tokens: 2, on days: 2.');
  });
});

test('a declared convention of prompts that include cached tokens makes the input known without them', async () => {
  await using account = await openAccount();
  await landDays(account, [cached, cached, cached, cached]);
  const model = await account.report('token-economics', { period });
  expect(figuresOf(model).get('Per 1M tokens')).toMatchObject({
    value: { text: '$5,000.00' },
    note: undefined,
  });
  expect(figuresOf(model).has('Cache hit rate')).toBe(false);
  expect(paragraphsOf(model).join()).toContain('cached or reasoning tokens: 4, on days: 4.');
});

test('an estimate of prices takes nothing from quarter hours whose cached tokens are not stated', async () => {
  await using account = await openAccount(excludes);
  const quarter = (at: number): Call => {
    const [prompt, read, completion] = [1000 + 37 * (at % 11), 500 + 53 * (at % 7), 200 + 29 * (at % 5)];
    const micros = prompt * 3 + read / 2 + completion * 15;
    const made = { ...callOn(0), at: firstDay + at * 900, prompt, cached: read, completion };
    return { ...made, charge: (micros / 1e6).toFixed(7) };
  };
  const calls = Array.from({ length: 96 }, (_, at) => quarter(at));
  const half = (from: number, to: number) =>
    interval(unixSeconds(firstDay + from * 900), unixSeconds(firstDay + to * 900));
  await account.land(calls.slice(0, 48), { days: half(0, 48), without: cached });
  await account.land(calls.slice(48), { days: half(48, 96) });
  const model = await account.report('token-economics', { period });
  expect(shownRows(model, 'Price per 1M tokens')?.[0]).toEqual(
    expect.arrayContaining(['claude-sonnet-5', '$3.00', '$0.50', '$15.00', 'estimate']),
  );
});

test('a column that appears between two periods does not pass for a change of prices or caching', async () => {
  await using account = await openAccount(excludes);
  await landDays(account, [cached, cached, [], []]);
  const range = interval(unixSeconds(firstDay - 20 * oneDay), unixSeconds(firstDay));
  await account.land([], { days: range });
  const model = await account.report('spend-summary', { period: '2026-11-12..2026-11-14' });
  expect(shownRows(model, 'What changed')).toBeUndefined();
  await account.land(
    [
      { ...callOn(0), charge: '1' },
      { ...callOn(1), charge: '2' },
    ],
    {
      days: interval(unixSeconds(firstDay), unixSeconds(firstDay + 2 * oneDay)),
      without: cached,
    },
  );
  const changed = await account.report('spend-summary', { period: '2026-11-12..2026-11-14' });
  expect(shownRows(changed, 'What changed')?.map(([cause, , , amount]) => [cause, amount])).toEqual([
    [expect.stringContaining('(tokens not stated)'), '-$1.00'],
    ['Change', '-$1.00'],
  ]);
});
