import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareMoney, money, multiplyMoney, roundMoney, sumMoney, zero } from '../../src/core/index.ts';
import { apportion, renderReport, type ReportModel } from '../../src/reports/index.ts';
import type { CubeRow } from './cube.ts';
import { build, spendSummary } from './sample.ts';

const before = Date.UTC(2026, 9, 10, 12) / 1000;
const after = Date.UTC(2026, 10, 10, 12) / 1000;

const call = (model: string, key: string, quarter: number, change: Partial<CubeRow> = {}): CubeRow => ({
  quarter,
  model,
  key,
  calls: 10,
  prompt: 1000,
  completion: 100,
  spend: '100',
  ...change,
});

/** A new model, longer calls, fewer images at a fixed price, and a refund. */
const rows: readonly CubeRow[] = [
  call('claude-sonnet-5', 'prod-search', before),
  call('claude-sonnet-5', 'prod-search', after, { prompt: 4000, completion: 400, spend: '400' }),
  call('gpt-6', 'batch', after, { calls: 5, spend: '100' }),
  call('flux', 'studio', before, { calls: 4, prompt: 0, completion: 0, spend: '40' }),
  call('flux', 'studio', after, { calls: 3, prompt: 0, completion: 0, spend: '30' }),
  call('claude-sonnet-5', 'prod-search', after, { kind: 'refund', spend: '-1.50', prompt: 0, completion: 0 }),
];

const changesIn = (model: ReportModel, title = 'What changed') => {
  const found = model.sections.find((section) => section.title === title);
  if (found?.kind !== 'table') throw new Error(`no table ${title}`);
  return found.rows.map(({ cells }) => [cells[0]?.text, cells[2]?.text, cells[3]?.text]);
};

const options = { rows, definition: await spendSummary() };

const shift: unknown = expect.stringMatching(/^Shift to costlier models/);

describe('the section of changes', () => {
  test('divides the change into causes that add up, each with who is behind it', async () => {
    const model = await build(options);
    expect(changesIn(model)).toEqual([
      ['More calls', 'gpt-6 on key batch (new), +$100.00', '+$50.00'],
      [shift, 'gpt-6 on key batch (new), +$50.00', '+$50.00'],
      ['Longer calls', 'claude-sonnet-5 on key prod-search, +$300.00', '+$300.00'],
      ['Less spend on fixed-price calls', 'flux on key studio, -$10.00', '-$10.00'],
      ['More refunds', 'claude-sonnet-5 on key prod-search, -$1.50', '-$1.50'],
      ['Change', '', '+$388.50'],
    ]);
    expect(model.headline.cause).toMatch(
      /: longer calls, \$300\.00 .*\$388\.50 .*: claude-sonnet-5 .*\+\$300\.00\.$/,
    );
    const { text } = await renderReport(model);
    expect(text).toContain('WHAT CHANGED');
  });

  test('is in the language of the report', async () => {
    const german = await build({ ...options, locale: 'de' });
    expect(changesIn(german, 'Was sich geändert hat')[2]).toEqual([
      'Längere Aufrufe',
      'claude-sonnet-5 mit Key prod-search, +300,00\u00A0$',
      '+300,00\u00A0$',
    ]);
    const chinese = await build({ ...options, locale: 'zh' });
    expect(changesIn(chinese, '变化原因')[2]).toEqual([
      '单次调用变长',
      'claude-sonnet-5（密钥 prod-search），+US$300.00',
      '+US$300.00',
    ]);
  });

  test('gives the reason where there is nothing to compare with', async () => {
    const model = await build({ ...options, rows: rows.filter(({ quarter }) => quarter === after) });
    const section = model.sections.find(({ title }) => title === 'What changed');
    expect(section).toMatchObject({
      kind: 'text',
      paragraphs: [expect.stringContaining('No spend in the period') as string],
    });
  });

  test.each([
    ['en', 'Top models by spend', 'Top keys by spend', 'Biggest'],
    ['de', 'Modelle mit den höchsten Kosten', 'Keys mit den höchsten Kosten', 'Größte'],
    ['zh', '支出最高的模型', '支出最高的密钥', '变化最大'],
  ] as const)(
    'in %s is followed by tables that no heading calls changes where there is nothing to compare with',
    async (locale, models, keys, changed) => {
      const alone = rows.filter(({ quarter }) => quarter === after);
      const model = await build({ ...options, locale, rows: alone });
      const titles = model.sections.map(({ title }) => title ?? '');
      expect(titles).toEqual(expect.arrayContaining([models, keys]));
      const files = model.data.tables.map(({ title }) => title);
      expect([...titles, ...files].filter((title) => title.includes(changed))).toEqual([]);
      const compared = await build({ ...options, locale });
      expect(compared.sections.filter(({ title }) => title?.includes(changed))).toHaveLength(2);
    },
  );

  test('leaves out a cause that comes to zero beside the change; the data has every cause that is not zero', async () => {
    const model = await build({
      ...options,
      rows: [
        ...rows.filter(({ model }) => model !== 'flux'),
        call('claude-sonnet-5', 'prod-search', after, { kind: 'refund', spend: '1.498' }),
      ],
    });
    const table = model.data.tables.find(({ title }) => title === 'What changed');
    const causes = ['More calls', shift, 'Longer calls'];
    expect(changesIn(model).map(([cause]) => cause)).toEqual([...causes, 'Change']);
    expect(table?.columns.slice(0, 2).map(({ label }) => label)).toEqual(['Cause', 'Amount']);
    expect(table?.rows.map(([cause]) => cause)).toEqual([...causes, 'More refunds']);
    expect(table?.rows.at(-1)?.[1]).toBe('-0.002');
  });
});

test('amounts as shown add up to the total as shown, and differ from the exact ones by less than a digit', () => {
  const amounts = fc.array(
    fc
      .integer({ min: -1_000_000, max: 1_000_000 })
      .map((units) => multiplyMoney(money(String(units)), money('0.001'))),
    { minLength: 1, maxLength: 8 },
  );
  fc.assert(
    fc.property(amounts, (exact) => {
      const total = money(roundMoney(sumMoney(exact), 2));
      const shown = apportion(exact, 2);
      expect(sumMoney(shown)).toBe(total);
      for (const [at, amount] of shown.entries()) {
        const by = sumMoney([amount, multiplyMoney(exact[at] ?? zero, money('-1'))]);
        expect(compareMoney(by, money('0.01')) < 0 && compareMoney(by, money('-0.01')) > 0).toBe(true);
      }
    }),
  );
});
