import { describe, expect, test } from 'vitest';
import { unixSeconds } from '../../src/core/index.ts';
import { chartSvg } from '../../src/reports/charts/chart-svg.ts';
import { loadReport, renderReport, type ReportModel } from '../../src/reports/index.ts';
import { build, ordinaryRows } from './sample.ts';
import { chartOf } from './parts.ts';

const head = `title: Mine
subject: "{title} · {total}"
preheader: "{verdict}"
periods: [month, history]
headline: { label: Spend, sql: totals.sql, name: spend }
sections:
`;

const current = `FROM cube WHERE period = 'current'`;

const sql: Readonly<Record<string, string>> = {
  'totals.sql': `SELECT sum(spend) AS spend, 0.075 AS price, 183600 AS age, 1795000000 AS at, 0.25 AS part, NULL::INTEGER AS nothing ${current}`,
  'rates.sql': `SELECT day, model_name, (day_number % 10) * 0.1 + CASE WHEN model_name = 'gpt-5.1' THEN 0.1 ELSE 0 END AS rate ${current} AND NOT (model_name = 'gpt-5.1' AND day_number IN (4, 6)) GROUP BY ALL`,
  'history.sql': `SELECT day, coalesce(token_name, '') AS token_name, sum(spend) AS spend FROM cube WHERE period = 'history' GROUP BY ALL`,
  'names.sql': `SELECT model_name || range AS name, 1 AS spend FROM (SELECT DISTINCT model_name ${current}), range(2) ORDER BY 1`,
  'looks.sql': `SELECT CASE WHEN token_name = 'ci' THEN 'dear' ELSE 'key' END AS what, coalesce(token_name, '') AS token_name, sum(spend) AS spend, day, NULL::INTEGER AS nothing ${current} AND day = DATE '2026-11-12' GROUP BY ALL ORDER BY spend DESC`,
  'none.sql': 'SELECT 1 AS a WHERE false',
};

const modelOf = async (sections: string, since?: number): Promise<ReportModel> => {
  const { report, faults } = await loadReport('r', async (path) => {
    const text = path === 'r/report.yaml' ? head + sections : sql[path.slice(2)];
    if (text === undefined) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
    return Promise.resolve(text);
  });
  if (report === undefined) throw new Error(JSON.stringify(faults));
  const facts = since === undefined ? {} : { dataSince: unixSeconds(since) };
  return build({ rows: ordinaryRows(), definition: report, facts });
};

const chartIn = (model: ReportModel) => {
  const chart = chartOf(model);
  return { chart, svg: chartSvg(chart, model) };
};

describe('charts', () => {
  test('a line has a gap where its value is unknown, and rates of other series are not added up', async () => {
    const { chart, svg } = chartIn(
      await modelOf(
        '  - { kind: chart, title: Rates, chart: line, sql: rates.sql, x: day, series: model_name, value: rate, format: percent, limit: 8 }',
      ),
    );
    // Nine models, eight of them shown: one with two gaps around a lone point.
    expect(svg.match(/<polyline /g)).toHaveLength(9);
    expect(svg.match(/<circle /g)).toHaveLength(1);
    expect(chart.legend).toHaveLength(8);
    expect(svg).toContain('>100%</text>');
    expect(chart.alt).toMatch(/^Rates, Oct 21 – Nov 19, 2026\. .*claude-haiku-4-5 Nov 19 90\.0%/);
    expect(chart.alt).not.toContain('total');
  });

  test('a chart of eight weeks shows days before the data as missing, and has a legend where no table shows each of its colors', async () => {
    const line =
      '  - { kind: chart, title: Weeks, chart: line, period: history, sql: history.sql, x: day, series: token_name, value: spend }';
    const model = await modelOf(line, Date.UTC(2026, 9, 1) / 1000);
    const { chart } = chartIn(model);
    expect(chart.bars).toHaveLength(56);
    expect(chart.alt).toContain('Weeks, Sep 25 – Nov 19, 2026: total $');
    const { html } = await renderReport(model);
    for (const { name } of chart.legend) expect(html).toContain(`■</span>&nbsp;${name}`);
    const withTable = async (limit: number) =>
      modelOf(`${line}
  - { kind: table, title: Keys, sql: history.sql, limit: ${limit}, columns: [{ label: Key, name: token_name, format: text, swatch: true }] }`);
    expect(chartIn(await withTable(100)).chart.legend).toEqual([]);
    expect(chartIn(await withTable(1)).chart.legend).toEqual(chart.legend);
  });

  test('a bar chart of names has at most eight bars with the rest as the last, so that the sum is exact', async () => {
    const { chart, svg } = chartIn(
      await modelOf(
        '  - { kind: chart, title: Names, chart: bar, over: name, sql: names.sql, x: name, value: spend, format: integer }',
      ),
    );
    expect(chart.bars).toHaveLength(8);
    expect(chart.bars.at(-1)).toMatchObject({ label: 'other', total: '11' });
    expect(svg.match(/<text /g)?.length).toBeGreaterThanOrEqual(8);
    expect(chart.alt).toContain('total 18');
    expect(chart.alt).toContain('other 11');
  });
});

describe('sentences', () => {
  test('show the values of a row in every format, and omit a paragraph with an unknown value', async () => {
    const { sections } = await modelOf(`  - kind: text
    sql: totals.sql
    text: "{price:money} {price:rate} {part:percent} {age:duration} {at:moment} {price:number} {age:integer}\\n\\nNothing: {nothing:money}."
  - { kind: text, sql: none.sql, text: "Never told {a:integer}" }
  - { kind: text, title: Plain, text: "Said as it is." }`);
    expect(sections).toEqual([
      {
        kind: 'text',
        title: undefined,
        paragraphs: ['$0.075 $0.075 25.0% 2 d 3 h Nov 18 12:06 0.08 183,600'],
      },
      { kind: 'text', title: 'Plain', paragraphs: ['Said as it is.'] },
    ]);
  });

  test('follow the order of rows up to a limit, and give the number of further rows', async () => {
    const { sections } = await modelOf(`  - kind: worth-a-look
    title: Worth a look
    sql: looks.sql
    limit: 4
    other: "{count} more keys"
    items:
      - { what: key, text: "{token_name} spent {spend:money} on {day:date}." }
      - { what: dear, warning: true, text: "Look at {token_name}." }`);
    const [looks] = sections;
    expect(looks?.kind === 'notes' && looks.notes).toMatchObject([
      { tone: 'warning', text: 'Look at ci.' },
      { tone: 'look', text: expect.stringMatching(/^prod-search spent \$[\d.,]+ on Nov 12\.$/) as string },
      { tone: 'look' },
      { tone: 'look' },
      { tone: 'look', text: '2 more keys' },
    ]);
  });
});

test('optional tables and charts are omitted without rows, and figures and columns without values', async () => {
  const { sections } =
    await modelOf(`  - { kind: table, title: None, sql: none.sql, optional: true, columns: [{ label: A, name: a, format: integer }] }
  - { kind: chart, title: None, chart: bar, sql: none.sql, x: a, value: a, optional: true }
  - kind: figures
    sql: totals.sql
    figures:
      - { label: Nothing, name: nothing, format: money, optional: true }
      - { label: Nothing yet, name: nothing, format: money }
  - kind: table
    title: One
    sql: totals.sql
    columns:
      - { label: Spend, name: spend, format: money }
      - { label: Nothing, name: nothing, format: money, optional: true }`);
  expect(sections.map(({ kind }) => kind)).toEqual(['figures', 'table']);
  const [figures, table] = sections;
  expect(figures?.kind === 'figures' && figures.figures.map(({ label }) => label)).toEqual(['Nothing yet']);
  expect(table?.kind === 'table' && table.columns.map(({ label }) => label)).toEqual(['Spend']);
});
