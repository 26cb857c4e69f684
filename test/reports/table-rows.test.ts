import fc from 'fast-check';
import { describe, expect, test, beforeAll } from 'vitest';
import { compareMoney, money, sumMoney, zero } from '../../src/core/index.ts';
import type { TableModel } from '../../src/reports/compose/model.ts';
import { few } from '../support/storm.ts';
import type { CubeRow } from './cube.ts';
import { build, shipped, spendSummary } from './sample.ts';
import { tableOf } from './parts.ts';
import { renderReport, type RenderedReport, type ReportModel } from '../../src/reports/index.ts';
import { hostileNames, hostileRows } from './hostile.ts';
import { all, parseHtml, textOf } from './markup.ts';

const noon = Date.UTC(2026, 10, 10, 12) / 1000;

const spendByName = (table: TableModel): readonly (readonly [string, string | null])[] => {
  const at = table.columns.findIndex(({ label }) => label === 'Spend');
  return table.rows.map(({ cells }) => [cells[0]?.text ?? '', cells[at]?.exact ?? null] as const);
};

const call = (key: string | null, spend: string, change: Partial<CubeRow> = {}): CubeRow => ({
  quarter: noon,
  model: 'gpt-5.1',
  key,
  spend,
  ...change,
});

const twelveKeys = Array.from({ length: 12 }, (_, at) => call(`key-${at + 10}`, String(30 - at)));

describe('refunds in tables', () => {
  test.each(['spend-summary', 'showback'])(
    'in %s, refunds without a key have their own row, separate from calls without a key (G6.9, G16.3)',
    async (name) => {
      const rows = [...twelveKeys, call(null, '2'), call(null, '-50', { kind: 'refund', calls: 0 })];
      const model = await build({ rows, definition: await shipped(name) });
      const spend = spendByName(tableOf(model, 'Keys'));
      expect(spend.slice(-2)).toEqual([
        ['Refunds without a key', '-50'],
        ['Total', '246'],
      ]);
      expect(spend.filter(([row]) => row === '(no key)')).toEqual(
        name === 'showback' ? [['(no key)', '2']] : [],
      );
      const other = spend.find(([row]) => row.includes('other keys'));
      expect(other?.[1] ?? null).toBe(name === 'showback' ? null : '84');
      expect(model.data.tables.find(({ title }) => title === 'Keys')?.rows.at(-1)?.[0]).toBe(
        'Refunds without a key',
      );
    },
  );

  test('a table of tokens has no row for refunds without a key', async () => {
    const rows = [...twelveKeys, call(null, '-50', { kind: 'refund', calls: 0 })];
    const names = tableOf(await build({ rows }), 'Tokens by key').rows.map(({ cells }) => cells[0]?.text);
    expect(names).not.toContain('Refunds without a key');
  });

  test('the sum of other models or keys is never negative, and a table always adds up to its total', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 14 }), fc.integer({ min: -90, max: 90 })), {
          minLength: 9,
          maxLength: 30,
        }),
        async (drawn) => {
          const rows = drawn.map(([key, cents]) =>
            call(`key-${key}`, money(`${cents}e-2`), {
              model: `model-${key}`,
              ...(cents < 0 ? { kind: 'refund', calls: 0 } : {}),
            }),
          );
          const model = await build({ rows });
          for (const title of ['Models', 'Keys']) {
            const spend = spendByName(tableOf(model, title));
            const other = spend.find(([name]) => /other (models|keys)/.test(name))?.[1] ?? zero;
            expect(compareMoney(money(other), zero)).toBeGreaterThanOrEqual(0);
            const parts = spend.slice(0, -1).map(([, value]) => money(value ?? zero));
            expect(sumMoney(parts)).toBe(spend.at(-1)?.[1]);
          }
        },
      ),
      { numRuns: few(5, 60) },
    );
  });
});

describe('the section of anomalies', () => {
  test.each(['spend-summary', 'showback', 'key-inventory', 'reconciliation'])(
    'appears above every table of %s',
    async (name) => {
      const kinds = (await shipped(name)).sections.map(({ kind }) => kind);
      expect(kinds.indexOf('worth-a-look')).toBeGreaterThanOrEqual(0);
      expect(kinds.indexOf('worth-a-look')).toBeLessThan(kinds.indexOf('table'));
    },
  );
});

/** A table that shows every name there is. */
const everyName = async (rows: readonly CubeRow[], period?: string): Promise<ReportModel> => {
  const definition = await spendSummary();
  const sections = definition.sections.map((section) =>
    section.kind === 'table' && section.title !== 'Days' ? { ...section, limit: 100 } : section,
  );
  return build({
    rows,
    definition: { ...definition, sections },
    account: hostileNames.join(' '),
    ...(period === undefined ? {} : { period }),
  });
};

describe('hostile names', () => {
  const rows = hostileRows();
  let model: ReportModel;
  let rendered: RenderedReport;
  beforeAll(async () => {
    model = await everyName(rows);
    rendered = await renderReport(model);
  });

  test('subject and preheader are one line each', () => {
    for (const line of [rendered.subject, rendered.preheader]) {
      expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      expect(line.length).toBeLessThan(400);
    }
  });

  test('a right-to-left name changes only its own direction', async () => {
    const [key = ''] = hostileNames.filter((name) => name.startsWith('مفتاح'));
    const { html } = await renderReport(await build({ rows: rows.map((row) => ({ ...row, key })) }));
    const ranges = all(parseHtml(html), 'span').filter((range) => textOf(range) === key);
    expect(ranges.length).toBeGreaterThan(0);
    for (const range of ranges) expect(range.attributes.get('dir')).toBe('auto');
  });
});

test('a report of the largest size a definition allows stays under 90 kB', async () => {
  const definition = await spendSummary();
  const table = definition.sections.find(({ kind }) => kind === 'table');
  if (table?.kind !== 'table') throw new Error('no table');
  const model = await everyNameOf({ ...table, limit: 100, title: '<'.repeat(60) }, definition);
  const { html } = await renderReport(model);
  expect(Buffer.byteLength(html)).toBeLessThan(90_000);
  expect(textOf(parseHtml(html))).toContain('Tables are shortened');
});

const everyNameOf = (
  table: Awaited<ReturnType<typeof spendSummary>>['sections'][number],
  definition: Awaited<ReturnType<typeof spendSummary>>,
): Promise<ReportModel> =>
  build({
    rows: hostileRows().map((row, at) => ({ ...row, model: `${'&'.repeat(200)}${at % 150}` })),
    definition: { ...definition, sections: [{ kind: 'notes' }, ...Array.from({ length: 11 }, () => table)] },
    facts: { warnings: Array.from({ length: 30 }, () => '<'.repeat(1000)) },
  });
