import { describe, expect, it } from 'vitest';
import { interval, localDays, money, unixMillis, unixSeconds } from '../../../src/core/index.ts';
import type { CubeRequest, KeyState, LogBatch, Warehouse } from '../../../src/warehouse/index.ts';
import { key, profileOf, snapshotOf } from '../snapshots/snapshots-support.ts';
import {
  batchOf,
  columnsNamed,
  openInMemory,
  type TestFolder,
  openNew,
  optionsIn,
  testFolder,
} from '../support.ts';
import { openWarehouse } from '../../support/postgres-warehouse.ts';

const columns = columnsNamed([
  'created_at',
  'model_name',
  'token_name',
  'kind',
  'prompt_tokens',
  'cached_tokens',
  'quota',
]);

const zone = 'Europe/Berlin';
const start = Date.UTC(2026, 2, 1) / 1000;
const window = interval(unixSeconds(start), unixSeconds(start + 40 * 86_400));

const land = async (
  warehouse: Warehouse,
  folder: TestFolder,
  lines: readonly string[],
  change: Partial<LogBatch> = {},
) => warehouse.logs.landWindow(await batchOf(folder, lines, { columns, window, asked: window, ...change }));

/** Over the day of 23 hours, 2026-03-29; the month of the period and eight weeks that end with it share its days. */
const periods: CubeRequest['periods'] = [
  { name: 'current', days: localDays('2026-03-28', '2026-03-30', zone) },
  { name: 'comparison', days: localDays('2026-03-25', '2026-03-27', zone) },
  { name: 'month', days: localDays('2026-03-01', '2026-03-30', zone) },
  { name: 'history', days: localDays('2026-02-03', '2026-03-30', zone) },
];

const request: CubeRequest = {
  account: 'main',
  currency: 'USD',
  periods,
  teams: [
    { name: 'search', keys: ['prod-search*'] },
    { name: 'prod', keys: ['prod-*', 'shared'] },
    { name: 'late', keys: ['prod-search-2', 'shared'] },
  ],
  zone,
  run: { now: unixMillis((start + 31 * 86_400) * 1000) },
};

const at = (day: number, second = 0): number => start + day * 86_400 + second;

const lines = [
  `${at(24)},gpt,prod-search-1,Consume,100,10,1.5`,
  `${at(27, 3600)},gpt,prod-search-2,Consume,100,10,0.25`,
  `${at(28, 7199)},claude,shared,Consume,7,,0.000000000001`,
  `${at(28, 7200)},claude,prod-api,refund,,,-0.1`,
  `${at(28, 80_000)},gpt,ci,Consume,1,,2`,
  `${at(29, 70_000)},gpt,,Consume,1,,4`,
  `${at(2)},gpt,ci,topup,,,100`,
];

const rowsOf = async (
  warehouse: Warehouse,
  sql: string,
  change: Partial<CubeRequest> = {},
  announced = true,
) =>
  warehouse.readCube(
    { ...request, ...(announced ? { queries: [sql] } : {}), ...change },
    async (query) => (await query(sql)).rows,
  );

/** A warehouse in which the lines have landed, and what SQL reads of it. */
const landed = async () => {
  const { folder, warehouse } = await openNew(openInMemory);
  await land(warehouse, folder, lines);
  const rows = async (sql: string, change: Partial<CubeRequest> = {}, announced = true) =>
    rowsOf(warehouse, sql, change, announced);
  return { folder, warehouse, rows };
};

describe('the tables of a report', () => {
  it('cut overlapping periods correctly, with days of every length', async () => {
    const { rows } = await landed();
    expect(
      await rows(
        "SELECT period, day, day_number, sum(spend) FROM cube WHERE kind <> 'top-up' GROUP BY ALL ORDER BY ALL",
      ),
    ).toEqual([
      ['comparison', '2026-03-25', '0', '1.5'],
      ['current', '2026-03-28', '0', '0.25'],
      ['current', '2026-03-29', '1', '-0.099999999999'],
      ['current', '2026-03-30', '2', '6'],
      ['history', '2026-03-25', '50', '1.5'],
      ['history', '2026-03-28', '53', '0.25'],
      ['history', '2026-03-29', '54', '-0.099999999999'],
      ['history', '2026-03-30', '55', '6'],
      ['month', '2026-03-25', '24', '1.5'],
      ['month', '2026-03-28', '27', '0.25'],
      ['month', '2026-03-29', '28', '-0.099999999999'],
      ['month', '2026-03-30', '29', '6'],
    ]);
    expect(await rows('SELECT period, sum(spend), sum(calls) FROM cube GROUP BY ALL ORDER BY ALL')).toEqual([
      ['comparison', '1.5', '1'],
      ['current', '6.150000000001', '4'],
      ['history', '7.650000000001', '5'],
      ['month', '7.650000000001', '5'],
    ]);
  });

  it('assign each key to the first matching team, and apply the filter of a report', async () => {
    const { rows } = await landed();
    const byTeam = `SELECT team, sum(spend) FROM cube WHERE period = 'month' GROUP BY ALL ORDER BY ALL`;
    expect(await rows(byTeam)).toEqual([
      ['prod', '-0.099999999999'],
      ['search', '1.75'],
      [null, '6'],
    ]);
    const total = `SELECT sum(spend) FROM cube WHERE period = 'month'`;
    const left = async (only: CubeRequest['only']) =>
      (await rows(total, only === undefined ? {} : { only }))[0]?.[0];
    expect(await left({ teams: ['search'] })).toBe('1.75');
    expect(await left({ teams: ['prod'] })).toBe('-0.099999999999');
    expect(await left({ teams: ['late'] })).toBeNull();
    expect(await left({ teams: [null] })).toBe('6');
    expect(await left({ teams: ['search', null], models: ['g*t'] })).toBe('7.75');
    expect(await left({ keys: ['prod-*'], models: ['claude'] })).toBe('-0.1');
    expect(await left(undefined)).toBe('7.650000000001');
  });

  it('give the same sums for any query, announced or not', async () => {
    const { warehouse, rows } = await landed();
    const queries = [
      'SELECT sum(spend), sum(prompt_tokens) FROM cube',
      'SELECT sum(spend), sum(prompt_tokens) FROM (SELECT * FROM cube)',
      'SELECT sum(spend), sum(prompt_tokens) FROM cube WHERE day IS NOT NULL AND quarter > 0',
      `SELECT sum(spend), sum(prompt_tokens) FROM cube WHERE coalesce(team, '') <> '?' AND model_name <> '?'`,
      "SELECT sum(spend), sum(COLUMNS('^prompt_tok')) FROM cube",
      'SELECT sum(spend), sum(prompt_tokens) FROM calls',
    ];
    for (const announced of [true, false])
      for (const sql of queries)
        expect([sql, await rows(sql, {}, announced)]).toEqual([sql, [['22.950000000003', '627']]]);
    const together = await warehouse.readCube({ ...request, queries }, async (query) =>
      Promise.all(queries.map(async (sql) => (await query(sql)).rows)),
    );
    expect(together).toEqual(queries.map(() => [['22.950000000003', '627']]));
  });

  it('report the position of a fault in a query', async () => {
    const { warehouse } = await openNew(openInMemory);
    for (const [sql, message] of [
      ['SELECT\n  sum(spnd)\nFROM cube', /^2:7: Referenced column "spnd" not found.*"spend"/],
      ['SELECT 1 FROM cub', /^1:15: Table with name cub does not exist!; Did you mean "cube"\?/],
      ["SELECT 'é', sum(spend FROM cube", /^1:23: syntax error at or near "FROM"/],
    ] as const)
      await expect(rowsOf(warehouse, sql)).rejects.toMatchObject({
        code: 'report-query-failed',
        message: expect.stringMatching(message) as string,
      });
  });

  it('contain keys with their totals over the whole log, their history and that of the account', async () => {
    const { warehouse, rows } = await landed();
    const listed = (id: number, name: string, change: Partial<KeyState> = {}) =>
      key(id, { name, remainQuota: money('5'), createdTime: unixSeconds(start - 900), ...change });
    const { land: landKeys } = warehouse.snapshots;
    await landKeys({
      account: 'main',
      takenAt: unixMillis(at(1) * 1000),
      keys: [listed(1, 'prod-search-1'), listed(2, 'gone')],
    });
    await landKeys(
      snapshotOf(
        at(30) * 1000,
        [
          listed(1, 'prod-search-1', { expiredTime: unixSeconds(at(35)) }),
          listed(3, 'ci', { unlimitedQuota: true }),
        ],
        { profile: profileOf('3', { balance: money('12.5') }) },
      ),
    );
    const keys = `SELECT key_id, name, team, remain_quota, expires_seconds, first_seen_seconds, last_call_seconds, calls, spend FROM keys ORDER BY key_id`;
    const first = ['1', 'prod-search-1', 'search', '5', `${at(35)}`, `${at(1)}`, `${at(24)}`, '1', '1.5'];
    expect(await rows(keys)).toEqual([
      first,
      ['3', 'ci', null, null, null, `${at(30)}`, `${at(28, 80_000)}`, '1', '2'],
    ]);
    expect(await rows(keys, { only: { teams: ['search'] } })).toEqual([first]);
    expect(
      await rows(
        'SELECT name, from_seconds, until_seconds, team FROM key_history ORDER BY key_id, from_seconds',
      ),
    ).toEqual([
      ['prod-search-1', `${at(1)}`, `${at(30)}`, 'search'],
      ['prod-search-1', `${at(30)}`, null, 'search'],
      ['gone', `${at(1)}`, `${at(30)}`, null],
      ['ci', `${at(30)}`, null, null],
    ]);
    const history = 'SELECT taken_seconds, balance, key_count FROM account_history ORDER BY 1';
    expect(await rows(history)).toEqual([
      [`${at(1)}`, null, '2'],
      [`${at(30)}`, '12.5', '2'],
    ]);
    expect(await rows(history, { only: { teams: ['search'] } })).toEqual([]);
  });

  it('contain prices by the closest pattern, budgets, teams and the values of the run', async () => {
    const { rows } = await landed();
    const given: Partial<CubeRequest> = {
      prices: [
        { pattern: '*', currency: 'USD', input: money('9') },
        { pattern: 'gp*', currency: 'USD', input: money('1.25'), cache_write: money('0.000000000001') },
      ],
      budgets: [
        { month: money('500'), currency: 'USD' },
        { team: 'search', month: money('99.5'), currency: 'USD' },
      ],
    };
    expect(
      await rows('SELECT model_name, pattern, input, cache_write, output FROM prices ORDER BY 1', given),
    ).toEqual([
      ['claude', '*', '9', null, null],
      ['gpt', 'gp*', '1.25', '0.000000000001', null],
    ]);
    const budgets = 'SELECT scope, team, month FROM budgets ORDER BY 1';
    expect(await rows(budgets, given)).toEqual([
      ['account', null, '500'],
      ['team', 'search', '99.5'],
    ]);
    expect(await rows(budgets, { ...given, only: { teams: ['prod'] } })).toEqual([]);
    expect(await rows('SELECT team FROM teams ORDER BY position')).toEqual([['search'], ['prod'], ['late']]);
    expect(
      await rows(
        'SELECT currency, zone, month_days, month_elapsed, now_seconds, data_since_seconds FROM run',
      ),
    ).toEqual([['USD', zone, '31', '30', `${at(31)}`, null]]);
  });

  it('contain restatements by local day and the newest comparisons', async () => {
    const { folder, warehouse, rows } = await landed();
    const late = interval(unixSeconds(at(28)), unixSeconds(at(29)));
    await land(
      warehouse,
      folder,
      [`${at(28, 7199)},claude,shared,Consume,7,,1`, `${at(28, 80_000)},gpt,ci,Consume,1,,2`],
      {
        window: late,
        asked: late,
      },
    );
    expect(
      await rows('SELECT day, old_spend, new_spend, difference, old_calls, new_calls FROM restated_days', {
        run: { now: unixMillis(8e12) },
      }),
    ).toEqual([['2026-03-29', '-0.099999999999', '1', '1.099999999999', '1', '1']]);
    const comparison = {
      source: 'statistics' as const,
      range: late,
      ours: money('3'),
      theirs: money('3.5'),
      gap: money('0.5'),
      unit: 'USD',
      verdict: 'gap',
      text: 'They differ.',
      comparedAt: unixMillis(at(29) * 1000),
    };
    await warehouse.comparisons.put('main', [
      comparison,
      { ...comparison, gap: money('0.25'), comparedAt: unixMillis(at(30) * 1000) },
    ]);
    expect(await rows('SELECT source, entry, gap, verdict FROM comparisons')).toEqual([
      ['statistics', null, '0.25', 'gap'],
    ]);
  });
});

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
