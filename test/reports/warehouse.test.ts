import { afterAll, beforeAll, describe, expect, test, it } from 'vitest';
import {
  hasCode,
  interval,
  money,
  sumMoney,
  unixSeconds,
  systemClock,
  unixMillis,
} from '../../src/core/index.ts';
import {
  renderReport,
  resolvePeriod,
  type ReportDefinition,
  type ReportModel,
} from '../../src/reports/index.ts';
import type { CubeRow } from './cube.ts';
import { hostileNames } from './hostile.ts';
import { build, now, ordinaryRows, spendSummary, zone } from './sample.ts';
import { openAccount, type Account, type Call } from './shipped.ts';
import fc from 'fast-check';
import { runs } from '../support/storm.ts';

const ownNames = hostileNames.filter((name) => !/\p{Cc}|\p{Cs}/u.test(name));

const rows: readonly CubeRow[] = [
  ...ordinaryRows().map((row) => ({ ...row, calls: 1 })),
  ...ownNames.map((name, at) => ({
    quarter: Date.UTC(2026, 10, 2 + (at % 15), 9) / 1000,
    model: name,
    key: name,
    calls: 1,
    prompt: 10,
    spend: `0.${String(at + 1).padStart(8, '0')}`,
  })),
];

/** Each row of the sample is one call of the log. */
const calls = (until: number): readonly Call[] =>
  rows
    .filter(({ quarter }) => quarter < until)
    .map(({ quarter, model, key, spend, kind, prompt = 0, completion = 0, cached, reasoning = 0 }) => ({
      at: quarter,
      model: model ?? '',
      key: key ?? '',
      kind: kind === 'refund' ? 'refund' : 'consumption',
      prompt,
      completion,
      cached: cached ?? 0,
      reasoning,
      charge: spend,
    }));

describe('the spend summary over the warehouse', () => {
  let account: Account;
  let definition: ReportDefinition;
  const period = resolvePeriod('2026-10-21..2026-11-20', now, zone);

  beforeAll(async () => {
    definition = await spendSummary();
    account = await openAccount();
    await account.land(calls(period.interval.end));
  });
  afterAll(() => account[Symbol.asyncDispose]());

  const fromWarehouse = (changed: Partial<ReportDefinition> = {}): Promise<ReportModel> =>
    account.report('spend-summary', {
      definition: { ...definition, ...changed },
      deps: { run: { now, covered: interval(unixSeconds(0), period.interval.end) } },
      facts: {
        reconciliation: {
          verdict: 'equal',
          text: 'equal to the gateway’s statistics to the last decimal.',
          good: true,
        },
      },
    });

  test('equals the sum of the warehouse to the last decimal', async () => {
    const model = await fromWarehouse();
    const spend = await account.warehouse.spend('main', period.interval);
    expect(model.headline.value.exact).toBe(spend.net);
    for (const section of model.sections) {
      if (section.kind !== 'table') continue;
      for (const [label, sum] of [
        ['Spend', spend.net],
        ['Calls', String(spend.calls)],
      ] as const) {
        const at = section.columns.findIndex((column) => column.label === label);
        if (at < 0) continue;
        const cells = section.rows.map(({ cells }) => cells[at]?.exact ?? money('0'));
        expect([section.title, label, sumMoney(cells.slice(0, -1))]).toEqual([section.title, label, sum]);
      }
    }
  });

  test('gives the same mail for the same rows in another cube', async () => {
    const [real, other] = [
      await renderReport(await fromWarehouse()),
      await renderReport(await build({ rows })),
    ];
    expect(real.text).toBe(other.text);
    expect(real.html).toBe(other.html);
  });

  const withSql = async (sql: string): Promise<unknown> => {
    const queries = new Map(definition.queries).set('models.sql', sql);
    return fromWarehouse({ queries }).catch((error: unknown) => error);
  };

  test.each([
    ['SELECT 1 AS model_name', 'models.sql gives no column "spend"'],
    [
      "SELECT 'a' AS model_name, 0.5::DOUBLE AS spend, 1 AS spend_before, 1 AS calls, 1 AS prompt_tokens, 1 AS cached_tokens, 1 AS completion_tokens, 1 AS reasoning_tokens",
      'holds no exact numbers',
    ],
  ])('SQL without the columns of the report is reported: %s', async (sql, message) => {
    const error = await withSql(sql);
    expect(hasCode(error, 'report-invalid')).toBe(true);
    expect(String(error)).toContain(message);
  });

  test.each([
    'SELECT nonsense FROM cube',
    'SELECT * FROM call_log',
    "SELECT * FROM read_csv('/etc/passwd')",
    'DROP TABLE days',
  ])('SQL that fails or accesses other data is a fault of its file: %s', async (sql) => {
    const error = await withSql(sql);
    expect(hasCode(error, 'report-query-failed')).toBe(true);
    expect(String(error)).toContain('models.sql');
  });

  test('a total of more than one row is rejected', async () => {
    const queries = new Map(definition.queries).set(
      'totals.sql',
      'SELECT 1 AS spend, 1 AS spend_before FROM days',
    );
    const error = await fromWarehouse({ queries }).catch((caught: unknown) => caught);
    expect(String(error)).toContain('totals.sql must give exactly one row; it gave');
  });
});

const first = Date.UTC(2026, 8, 20) / 1000;
const last = Date.UTC(2026, 10, 18) / 1000;

const count = fc.option(fc.nat(5000), { nil: undefined });
const call = fc.record(
  {
    at: fc.integer({ min: first, max: last }),
    model: fc.constantFrom('gpt-5', 'claude-opus-4-5', 'gemini-3-pro', ''),
    key: fc.constantFrom('search', 'growth', 'billing', ''),
    kind: fc.constantFrom('consumption', 'consumption', 'consumption', 'refund'),
    prompt: fc.integer({ min: 5000, max: 20_000 }),
    cached: count,
    cacheWrite: count,
    completion: fc.integer({ min: 1000, max: 4000 }),
    reasoning: fc.nat(1000),
    charge: fc.integer({ min: 1, max: 99_999 }).map((units) => `${units / 10_000}`),
  },
  { requiredKeys: ['at', 'model', 'key', 'kind', 'prompt', 'completion', 'charge'] },
) as fc.Arbitrary<Call>;

const asked = [
  ['spend-summary', '2026-10-21..2026-11-20'],
  ['spend-summary', 'yesterday'],
  ['digest', 'last-week'],
  ['showback', '2026-10-01..2026-11-01'],
  ['statement', '2026-10-01..2026-11-01'],
  ['token-economics', '2026-10-01..2026-11-01'],
  ['key-inventory', '2026-10-21..2026-11-20'],
  ['reconciliation', '2026-10-21..2026-11-20'],
] as const;

it('every figure of every shipped report is the same from the rollup and from the calls', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 60 }), async (calls) => {
      let moment = systemClock.now();
      await using account = await openAccount(undefined, { ...systemClock, now: () => moment });
      await account.land(calls);
      const build = async () => {
        const models: unknown[] = [];
        for (const [name, period] of asked) models.push(await account.report(name, { period }));
        return models;
      };
      // Before any day has ended, none has cells.
      moment = unixMillis(0);
      const fromCalls = await build();
      moment = systemClock.now();
      await account.report('spend-summary');
      expect(await account.warehouse.rollup.compare('main', 'cells')).toEqual([]);
      expect(await build()).toEqual(fromCalls);
    }),
    { numRuns: runs(8), endOnFailure: true },
  );
}, 300_000);
