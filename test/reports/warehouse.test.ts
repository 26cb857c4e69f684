import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  hasCode,
  interval,
  money,
  silentLog,
  sumMoney,
  systemClock,
  unixSeconds,
} from '../../src/core/index.ts';
import {
  buildReport,
  renderReport,
  resolvePeriod,
  type ReportDefinition,
  type ReportModel,
} from '../../src/reports/index.ts';
import { openWarehouse, type Warehouse } from '../../src/warehouse/index.ts';
import type { CubeRow } from './cube.ts';
import { hostileNames } from './hostile.ts';
import { build, now, ordinaryRows, spendSummary, zone } from './sample.ts';

const columns = [
  'created_at',
  'model_name',
  'token_name',
  'kind',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'reasoning_tokens',
  'cache_write_tokens',
  'quota',
] as const;

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Each row of the sample is one call of the log. */
const lineOf = (row: CubeRow): string =>
  [
    row.quarter,
    quoted(row.model ?? ''),
    quoted(row.key ?? ''),
    row.kind ?? 'consumption',
    row.prompt ?? 0,
    row.completion ?? 0,
    row.cached ?? 0,
    row.reasoning ?? 0,
    0,
    row.spend,
  ].join(',');

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

describe('the spend summary over the warehouse', () => {
  let folder: string;
  let warehouse: Warehouse;
  let definition: ReportDefinition;
  const period = resolvePeriod('2026-10-21..2026-11-20', now, zone);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollkeeper-report-'));
    const spoolDirectory = join(folder, 'spool');
    await mkdir(spoolDirectory);
    warehouse = await openWarehouse({
      path: join(folder, 'test.duckdb'),
      memoryLimit: '256MB',
      threads: 1,
      spoolDirectory,
      clock: systemClock,
      log: silentLog,
    });
    definition = await spendSummary();
    const file = join(spoolDirectory, 'rows.csv');
    const text = rows.map((row) => `${lineOf(row)}\n`).join('');
    await writeFile(file, text);
    const window = interval(unixSeconds(Date.UTC(2026, 8, 19) / 1000), period.interval.end);
    await warehouse.logs.landWindow({
      account: 'main',
      window,
      asked: window,
      file,
      bytes: Buffer.byteLength(text),
      served: rows.filter(({ quarter }) => quarter < window.end).length,
      columns: columns.map((name) => ({ name, role: name })),
      time: { form: 'seconds' },
      guarded: false,
      quotedNewlines: false,
      currency: 'USD',
      amounts: { form: 'currency', unitsPerCurrency: 500_000, decimalsWritten: true },
      opensRange: true,
    });
    await warehouse.tokens.configure('main', { '*': 'includes_cache' }, { '*': 'includes_reasoning' });
    await warehouse.tokens.judge('main');
  });
  afterAll(async () => {
    await warehouse[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const fromWarehouse = async (changed: Partial<ReportDefinition> = {}): Promise<ReportModel> => {
    const watermark = await warehouse.logs.watermark('main');
    return buildReport({
      definition: { ...definition, ...changed },
      warehouse,
      account: 'main',
      currency: 'USD',
      zone,
      period,
      deps: {
        run: {
          now,
          ...(watermark === undefined ? {} : { covered: interval(unixSeconds(0), watermark.end) }),
        },
      },
      facts: {
        runId: 'run-20261120-080000',
        warnings: [],
        ...(watermark === undefined ? {} : { dataThrough: watermark.end, dataSince: watermark.start }),
        reconciliation: {
          verdict: 'equal',
          text: 'equal to the gateway’s statistics to the last decimal.',
          good: true,
        },
      },
    });
  };

  test('equals the sum of the warehouse to the last decimal', async () => {
    const model = await fromWarehouse();
    const spend = await warehouse.spend('main', period.interval);
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
