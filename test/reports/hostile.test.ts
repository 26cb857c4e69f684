import { beforeAll, describe, expect, test } from 'vitest';
import { money, sumMoney } from '../../src/core/index.ts';
import { renderReport, type RenderedReport, type ReportModel } from '../../src/reports/index.ts';
import { showName } from '../../src/reports/compose/names.ts';
import type { CubeRow } from './cube.ts';
import { hostileNames, hostileRows } from './hostile.ts';
import { all, parseHtml, tablesOf, textOf } from './markup.ts';
import { build, spendSummary } from './sample.ts';

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

  test('the HTML contains no foreign element or attribute', () => {
    const root = parseHtml(rendered.html);
    const names = new Set([
      'html',
      'head',
      'meta',
      'title',
      'body',
      'div',
      'table',
      'tr',
      'td',
      'th',
      'h2',
      'p',
      'span',
      'img',
    ]);
    const walk = (node: ReturnType<typeof parseHtml>): void => {
      for (const child of node.children) {
        if (typeof child === 'string') continue;
        expect(names).toContain(child.name);
        for (const key of child.attributes.keys()) expect(key).not.toMatch(/^on|^href$/);
        walk(child);
      }
    };
    walk(root);
    expect(rendered.html.match(/<style>/g)).toHaveLength(5);
    expect(Buffer.byteLength(rendered.mail.html)).toBeLessThan(90_000);
  });

  test('names survive a round trip through the HTML', () => {
    const shown = (tablesOf(parseHtml(rendered.html)).get('Models') ?? []).map(([name]) => name);
    const expected = new Set(hostileNames.map((name) => showName(name)));
    for (const name of shown.slice(1, -2))
      expect(expected.has(name ?? '') || name === '(no name)').toBe(true);
    expect(shown.length).toBeGreaterThan(14);
  });

  test('names survive a round trip through the text, on lines that fit', () => {
    for (const name of ['<script>alert(1)</script>', 'ключ-для-отчётов'])
      expect(rendered.text).toContain(name);
    expect(rendered.text).not.toMatch(/[\u202A-\u202E\u2066-\u2069]|(?!\n)\p{Cc}/u);
  });

  test('subject and preheader are one line each', () => {
    for (const line of [rendered.subject, rendered.preheader]) {
      expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      expect(line.length).toBeLessThan(400);
    }
  });

  test('the sums are still exact', () => {
    const spend = model.sections.flatMap((section) =>
      section.kind === 'table' && section.title === 'Keys'
        ? section.rows.map(({ cells }) => cells[2]?.exact ?? '0')
        : [],
    );
    expect(sumMoney(spend.slice(0, -1).map(money))).toBe(spend.at(-1));
    expect(spend.at(-1)).toBe(model.headline.value.exact);
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
