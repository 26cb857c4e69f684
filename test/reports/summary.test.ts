import { beforeAll, describe, expect, test } from 'vitest';
import { localeTags, money, sumMoney, unixSeconds, type LocaleTag } from '../../src/core/index.ts';
import {
  renderReport,
  standaloneHtml,
  type RenderedReport,
  type ReportModel,
} from '../../src/reports/index.ts';
import type { TableModel } from '../../src/reports/compose/model.ts';
import { approved, titled } from '../support/approved.ts';
import type { CubeRow } from './cube.ts';
import { all, parseHtml, tablesOf, textOf } from './markup.ts';
import { build, ordinaryRows, type BuildOptions } from './sample.ts';
import { chartOf, tableOf } from './parts.ts';

const first = Date.UTC(2026, 9, 20, 22) / 1000;
const end = Date.UTC(2026, 10, 19, 23) / 1000;

const current = (rows: readonly CubeRow[]): readonly CubeRow[] =>
  rows.filter(({ quarter }) => quarter >= first && quarter < end);

const spendOf = (rows: readonly CubeRow[]): string => sumMoney(rows.map(({ spend }) => money(spend)));

const exactOf = (table: TableModel, column: string): (string | null)[] => {
  const at = table.columns.findIndex(({ label }) => label === column);
  return table.rows.map((row) => row.cells[at]?.exact ?? null);
};

const parts = (values: readonly (string | null)[]): string =>
  sumMoney(values.slice(0, -1).map((value) => money(value ?? '0')));

/** The arrow says the sign of a change in HTML. */
const unsignedIf = (isChange: boolean, text: string): string => (isChange ? text.replace(/^[+-]/, '') : text);

describe('an ordinary month', () => {
  const rows = ordinaryRows();
  let model: ReportModel;
  let rendered: RenderedReport;
  beforeAll(async () => {
    model = await build({ rows });
    rendered = await renderReport(model);
  });

  test('the headline is the exact sum of consumption and refunds (G6.9)', () => {
    expect(model.headline.value.exact).toBe(spendOf(current(rows)));
    expect(model.headline.value.text).toBe('$13,810.86');
    expect(model.headline.change.text).toBe('+14.2%');
    expect(model.headline.cause).toMatch(
      /: more calls, \$1,669\.50 .*\$1,712\.87 .*: gpt-5\.1 .* prod-search, \+\$425\.75\.$/,
    );
  });

  test('HTML and text show the values of the model', () => {
    const tables = tablesOf(parseHtml(rendered.html));
    for (const section of model.sections) {
      if (section.kind !== 'table') continue;
      const shown = tables.get(section.title) ?? [];
      const columns = section.columns
        .map((column, at) => ({ ...column, at }))
        .filter(({ role }) => role !== 'bar' && role !== 'trend');
      expect(shown[0]).toEqual(columns.map(({ label }) => label));
      const output = section.rows.map(({ cells }) =>
        columns.map(({ at, role }) => unsignedIf(role === 'change', cells[at]?.text ?? '')),
      );
      expect(shown.slice(1).map((row) => row.map((text) => text.replace(/^[▲▼] /, '')))).toEqual(output);
      for (const row of section.rows) {
        const texts = columns.map(({ at }) => row.cells[at]?.text ?? '').filter((text) => text !== '');
        const pattern = texts
          .map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
          .join(String.raw`\s+`);
        expect(rendered.text).toMatch(new RegExp(pattern));
      }
    }
    expect(textOf(parseHtml(rendered.html))).toContain('Spend, exact: 13810.85707298 USD.');
  });

  test('the footer shows until when there is data, the currency, the period in UTC and the run', () => {
    const footer = model.footer.join('\n');
    for (const fact of [
      'Nov 20, 2026, 00:00 Europe/Berlin',
      'USD',
      'Oct 20, 2026, 22:00',
      'run-20261120-080000',
    ])
      expect(footer).toContain(fact);
  });

  test('a decrease after a spike is described as its end, in every language', async () => {
    const headlineOf = async (locale: LocaleTag) =>
      (await build({ rows, period: 'last-7-days', locale })).headline;
    const causes: [locale: string, cause: string][] = [];
    for (const locale of localeTags) causes.push([locale, (await headlineOf(locale)).cause ?? '']);
    await expect(titled(causes)).toMatchFileSnapshot(approved('reports/end-of-a-spike'));
    const average = await build({ rows, period: 'yesterday', comparison: '7-day-average' });
    expect(average.headline.cause).not.toContain('spike');
  });

  test('a spike is annotated, and nothing is annotated without one', async () => {
    expect(chartOf(model).annotation?.text).toBe('Nov 12: $1,341.87');
    expect(rendered.text).toContain('Nov 12 cost $1,341.87, 2.6 times');
    const calm = await build({ rows, period: '2026-10-21..2026-11-10' });
    expect(chartOf(calm).annotation).toBe(undefined);
  });

  test('the table uses the colors of the chart', () => {
    const models = tableOf(model, 'Models');
    const chart = chartOf(model);
    const day = chart.bars[0];
    const byColour = new Map(day?.parts.map(({ colour, value }) => [colour, value]));
    const onDay = current(rows).filter(({ quarter }) => quarter < first + 86_400);
    for (const row of models.rows.filter(({ role }) => role === 'row').slice(0, 8))
      expect(byColour.get(row.colour ?? '')).toBe(
        spendOf(onDay.filter(({ model: name }) => name === row.cells[0]?.text)),
      );
  });

  test('the text fits a terminal', () => {
    for (const line of rendered.text.split('\n')) expect(line.length).toBeLessThanOrEqual(76);
  });

  test('the HTML refers to one image, whose alternative text contains the numbers', () => {
    const images = all(parseHtml(rendered.html), 'img');
    expect(images.map(({ attributes }) => attributes.get('src'))).toEqual(
      rendered.images.map(({ cid }) => `cid:${cid}`),
    );
    expect(images[0]?.attributes.get('alt')).toContain('total $13,810.86. Highest Nov 12 $1,341.87');
    expect(images[0]?.attributes.get('alt')).toContain('claude-opus-4-5 $4,715.80');
    expect(rendered.images[0]?.png.length).toBeLessThan(100_000);
  });

  test('the report as one file refers to nothing outside itself', () => {
    const file = standaloneHtml(rendered);
    expect(file).toContain('src="data:image/png;base64,iVBOR');
    expect(file).not.toMatch(/cid:|https?:\/\//);
    parseHtml(file);
  });
});

describe('other periods', () => {
  test('one day is shown by hours, which add up', async () => {
    const rows = ordinaryRows();
    const model = await build({ rows, period: 'yesterday' });
    const charts = model.sections.filter(({ kind }) => kind === 'chart');
    const chart = chartOf(model);
    expect(charts).toHaveLength(1);
    expect(chart.bars).toHaveLength(24);
    expect(chart.bars[0]?.label).toBe('00:00');
    expect(sumMoney(chart.bars.map(({ total }) => total))).toBe(model.headline.value.exact);
    expect(model.sections.some((section) => section.title === 'Days')).toBe(false);
  });

  test.each([
    ['2026-10-25..2026-10-26', 25],
    ['2026-03-29..2026-03-30', 23],
  ])('%s has %i hours', async (period, hours) => {
    const start = Date.parse(`${period.slice(0, 10)}T12:00:00Z`) / 1000;
    const model = await build({ rows: [{ quarter: start, model: 'm', key: 'k', spend: '1' }], period });
    expect(chartOf(model).bars.length).toBe(hours);
  });

  test('a long year stays small and exact', async () => {
    const rows = ordinaryRows('2025-01-01', 690);
    const model = await build({ rows, period: '2025-11-20..2026-11-20' });
    const days = tableOf(model, 'Days');
    expect(days.rows.map(({ role }) => role).slice(-2)).toEqual(['other', 'total']);
    expect(parts(exactOf(days, 'Spend'))).toBe(model.headline.value.exact);
    const chart = chartOf(model);
    expect(sumMoney(chart.bars.map(({ total }) => total))).toBe(model.headline.value.exact);
    expect(chart.note).toBe('one bar for 3 days');
  });
});

describe('an unknown value', () => {
  const rows = ordinaryRows().filter(({ quarter }) => quarter < Date.UTC(2026, 10, 17) / 1000);

  test('days after the data are missing, and an unfinished period is not compared', async () => {
    const through = unixSeconds(Date.UTC(2026, 10, 17, 11) / 1000);
    const model = await build({ rows, facts: { dataThrough: through } });
    const { html, text, subject } = await renderReport(model);
    const days = tablesOf(parseHtml(html)).get('Days') ?? [];
    expect(days.slice(1, 5).map(([day, spend]) => [day, spend])).toEqual([
      ['Nov 19', 'no data'],
      ['Nov 18', 'no data'],
      ['Nov 17 (incomplete)', '$0.00'],
      ['Nov 16', '$531.93'],
    ]);
    expect(text).toContain('No data for Nov 18 – 19, 2026');
    expect(text).toContain('Nov 17, 2026, 12:00 Europe/Berlin.');
    expect(model.headline.compared).toContain('Not compared');
    expect(html).not.toMatch(/[▲▼]/);
    expect(subject).toContain(' · incomplete · ');
    expect(
      chartOf(model)
        .bars.slice(-3)
        .map(({ state }) => state),
    ).toEqual(['partial', 'missing', 'missing']);
  });

  test('an account without a pull shows no zero', async () => {
    const model = await build({ rows: [], facts: 'nothing pulled' });
    const { html, text, subject } = await renderReport(model);
    expect(model.headline.value).toEqual({ exact: null, text: 'No data yet' });
    expect(subject).toBe('AI spend · Oct 21 – Nov 19, 2026 · No data yet');
    expect(textOf(parseHtml(html))).toContain('No data has been pulled');
    expect(`${textOf(parseHtml(html))}${text}`).not.toContain('$');
  });

  test('a period before the first data is not compared', async () => {
    const model = await build({
      rows: ordinaryRows(),
      facts: { dataSince: unixSeconds(Date.UTC(2026, 9, 15) / 1000) },
    });
    expect(model.headline.change.direction).toBe('unknown');
    expect(model.footer.join(' ')).toContain('Data begins at Oct 15, 2026, 02:00 Europe/Berlin.');
  });

  test('a verdict other than reconciled is shown at the top and in the preheader', async () => {
    const model = await build({
      rows,
      facts: {
        reconciliation: { verdict: 'unexplained', text: '12.30 USD are unexplained.', good: false },
        warnings: ['A window was cut off.'],
      },
    });
    const { preheader, text } = await renderReport(model);
    expect(preheader).toContain('NOT reconciled');
    expect(text).toContain('! Reconciliation: 12.30 USD are unexplained.');
    expect(text).toContain('! A window was cut off.');
  });
});

describe('an unusual period', () => {
  const at = (day: number): number => Date.UTC(2026, 10, day, 12) / 1000;

  test('a period without spend is reported as such', async () => {
    const model = await build({ rows: [] });
    const { html, images, text } = await renderReport(model);
    expect(model.headline.value).toEqual({ exact: '0', text: '$0.00' });
    expect(images).toEqual([]);
    expect(text).toContain('No charges in this period.');
    expect(textOf(parseHtml(html))).not.toMatch(/NaN|Infinity|undefined/);
  });

  test('a day with only refunds has a negative total', async () => {
    const rows: CubeRow[] = [
      { quarter: at(3), model: 'flux', key: null, kind: 'refund', spend: '-1.25' },
      { quarter: at(4), model: 'flux', key: null, kind: 'refund', spend: '-0.75' },
      { quarter: Date.UTC(2026, 9, 1, 12) / 1000, model: 'flux', key: 'k', spend: '4' },
    ];
    const model = await build({ rows });
    const { html, images } = await renderReport(model);
    expect(model.headline.value.text).toBe('-$2.00');
    expect(images).toHaveLength(1);
    const tables = tablesOf(parseHtml(html));
    expect(tables.get('Keys')?.find(([key]) => key === 'Refunds without a key')?.[1]).toBe('-$2.00');
    expect(tables.get('Days')?.find(([day]) => day === 'Nov 3')?.[1]).toBe('-$1.25');
  });

  test('kinds that do not count as spend are excluded', async () => {
    const rows: CubeRow[] = [
      { quarter: at(3), model: 'm', key: 'k', spend: '2' },
      { quarter: at(3), model: 'm', key: 'k', kind: 'error', calls: 7, prompt: 99, spend: '0' },
      { quarter: at(3), model: null, key: null, kind: 'top-up', spend: '0' },
    ];
    const model = await build({ rows });
    expect(exactOf(tableOf(model, 'Tokens by model'), 'Calls')).toEqual(['1', '1']);
    expect(tableOf(model, 'Keys').rows).toHaveLength(2);
  });

  test('charges of an unknown kind are reported', async () => {
    const rows: CubeRow[] = [
      { quarter: at(3), model: 'm', key: 'k', spend: '2' },
      { quarter: at(3), model: 'm', key: 'k', kind: 'batch', calls: 7, spend: '3.5' },
      { quarter: at(3), model: 'm', key: 'k', kind: 'error', calls: 7, spend: '0' },
      { quarter: at(3), model: null, key: null, kind: 'top-up', spend: '100' },
    ];
    const { text } = await renderReport(await build({ rows }));
    expect(text).toMatch(/! \$3\.50 in 7 rows .*“batch”/);
    expect(text.match(/not counted as spend/g)).toHaveLength(1);
  });

  test('a report gives the reason when it has no amounts or another currency', async () => {
    const rows: CubeRow[] = [{ quarter: at(3), model: 'm', key: 'k', spend: '500' }];
    const reported = async (options: BuildOptions, message = 'set gateway.amounts'): Promise<boolean> =>
      (await build(options)).sections.some(
        (section) => section.kind === 'notes' && section.notes.some(({ text }) => text.includes(message)),
      );
    expect(await reported({ rows, amounts: 'unknown' })).toBe(true);
    expect(await reported({ rows })).toBe(false);
    expect(await reported({ rows: [], amounts: 'unknown' })).toBe(false);
    expect(
      await reported({ rows, amounts: 'units', currency: 'CNY' }, 'No conversion rate to CNY is verified'),
    ).toBe(true);
    expect(await reported({ rows, amounts: 'units' }, 'fractions of')).toBe(false);
  });

  test('token counts that the gateway does not export are unknown, not zero', async () => {
    const rows: CubeRow[] = [
      { quarter: at(3), model: 'm', key: 'k', prompt: 7, cached: null, spend: '2' },
      { quarter: at(4), model: 'n', key: 'k', kind: 'refund', cached: null, spend: '-1' },
    ];
    const model = await build({ rows });
    const tables = tablesOf(parseHtml((await renderReport(model)).html));
    expect(tables.get('Tokens by model')?.slice(1)).toEqual([
      ['m', '1', '7', '–', '0', '0'],
      ['n', '0', '0', '0', '0', '0'],
      ['Total', '1', '7', '–', '0', '0'],
    ]);
    expect(tables.get('Tokens by key')?.at(-1)?.slice(2)).toEqual(['7', '–', '0', '0']);
  });
});
