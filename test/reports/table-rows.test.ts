import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareMoney, money, sumMoney, zero } from '../../src/core/index.ts';
import type { ReportModel } from '../../src/reports/index.ts';
import type { TableModel } from '../../src/reports/compose/model.ts';
import { few } from '../support/storm.ts';
import type { CubeRow } from './cube.ts';
import { build, ordinaryRows, shipped } from './sample.ts';

const noon = Date.UTC(2026, 10, 10, 12) / 1000;

const tableOf = (model: ReportModel, title: string): TableModel => {
  const found = model.sections.find((section) => section.kind === 'table' && section.title === title);
  if (found?.kind !== 'table') throw new Error(`no table ${title}`);
  return found;
};

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
    'in %s, refunds without a key have their own row, separate from calls without a key',
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

  test('a spike of the chart below the section is listed in it', async () => {
    const { sections } = await build({ rows: ordinaryRows() });
    const looks = sections.find((section) => section.kind === 'notes' && section.title === 'Worth a look');
    expect(JSON.stringify(looks)).toContain('times the median day');
  });
});
