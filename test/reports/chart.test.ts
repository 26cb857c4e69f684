import { beforeAll, describe, expect, test } from 'vitest';
import { money, localeTags } from '../../src/core/index.ts';
import { drawPng } from '../../src/reports/render/render.ts';
import { chartSvg } from '../../src/reports/charts/chart-svg.ts';
import type { ChartModel } from '../../src/reports/compose/model.ts';
import type { CubeRow } from './cube.ts';
import { build, ordinaryRows, shipped, spendSummary, type BuildOptions } from './sample.ts';
import { chartOf } from './parts.ts';
import { isDrawable } from '../../src/reports/charts/chart-glyphs.ts';
import type { ReportDefinition } from '../../src/reports/index.ts';
import { hostileRows } from './hostile.ts';
import { unescapeHtml } from './markup.ts';

const style = { currency: 'USD', locale: 'en' } as const;

const bar = (label: string, total: string): ChartModel['bars'][number] => ({
  label,
  state: 'complete',
  total: money(total),
  parts: [{ colour: '#4269d0', value: money(total) }],
});

const chartWith = (bars: ChartModel['bars']): ChartModel => ({
  kind: 'chart',
  chart: 'bars',
  format: 'money',
  labels: 'some',
  legend: [],
  title: 't',
  note: undefined,
  bars,
  annotation: undefined,
  alt: '',
});

const rects = (svg: string): { y: number; height: number; fill: string }[] =>
  [
    ...svg
      .replace(/<defs>.*<\/defs>/, '')
      .matchAll(/<rect x="[^"]+" y="([^"]+)" width="[^"]+" height="([^"]+)" fill="([^"]+)"/g),
  ].map(([, y, height, fill]) => ({ y: Number(y), height: Number(height), fill: fill ?? '' }));

describe('a chart as PNG', () => {
  let chart: ChartModel;
  beforeAll(async () => {
    chart = chartOf(await build({ rows: ordinaryRows() }));
  });

  test('every label is drawn, including the bold annotation', async () => {
    const svg = chartSvg(chart, style);
    const labels = svg.match(/<text [^>]*>[^<]*<\/text>/g) ?? [];
    const whole = Buffer.from(await drawPng(svg));
    for (const label of labels)
      expect(whole.equals(Buffer.from(await drawPng(svg.replace(label, ''))))).toBe(false);
  });

  test('the image is a PNG with alpha at twice the width of the mail', async () => {
    const png = Buffer.from(await drawPng(chartSvg(chart, style)));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(png.readUInt32BE(16)).toBe(1072);
    expect(png[25]).toBe(6);
    expect(chartSvg(chart, style)).not.toContain('#fff');
  });

  test('the same chart gives the same image', async () => {
    const [one, two] = [await drawPng(chartSvg(chart, style)), await drawPng(chartSvg(chart, style))];
    expect(Buffer.from(one).equals(Buffer.from(two))).toBe(true);
  });
});

describe('the SVG of a chart', () => {
  test('bars are as high as their values and end at the zero line', () => {
    const svg = chartSvg(chartWith([bar('a', '10'), bar('b', '20'), bar('c', '5')]), style);
    const [a, b, c] = rects(svg);
    expect((b?.height ?? 0) / (a?.height ?? 1)).toBeCloseTo(2, 1);
    expect((b?.height ?? 0) / (c?.height ?? 1)).toBeCloseTo(4, 1);
    expect((a?.y ?? 0) + (a?.height ?? 0)).toBeCloseTo((b?.y ?? 0) + (b?.height ?? 0), 1);
  });

  test('a refund extends below the line', () => {
    const [up, down] = rects(chartSvg(chartWith([bar('a', '10'), bar('b', '-10')]), style));
    expect(down?.y).toBeCloseTo((up?.y ?? 0) + (up?.height ?? 0), 1);
    expect(down?.height).toBeCloseTo(up?.height ?? 0, 1);
  });

  test('a day without data is hatched, a day without spend is empty', () => {
    const bars = [
      bar('a', '1'),
      { ...bar('b', '0'), parts: [] },
      { ...bar('c', '0'), parts: [], state: 'missing' as const },
    ];
    expect(rects(chartSvg(chartWith(bars), style)).map(({ fill }) => fill)).toEqual([
      '#4269d0',
      'url(#missing)',
    ]);
  });

  test('labels with markup stay text', () => {
    const svg = chartSvg(chartWith([bar('<script>&"', '1')]), style);
    expect(svg).toContain('&lt;script&gt;&amp;&quot;');
    expect(svg).not.toContain('<script');
  });
});

describe('a chart of a share', () => {
  const noon = Date.UTC(2026, 10, 10, 12) / 1000;
  const cachedOn = (day: number): CubeRow => ({
    quarter: noon + day * 86_400,
    model: 'gpt-6',
    key: 'ci',
    prompt: 100,
    cached: 40 + day,
    spend: '1',
  });
  const period = '2026-11-10..2026-11-15';
  const hitRates = async (sql?: string): Promise<ChartModel> => {
    const definition = await shipped('token-economics');
    const queries = new Map(definition.queries);
    if (sql !== undefined) queries.set('hit-rate-by-day.sql', sql);
    const rows = [cachedOn(0), cachedOn(1), cachedOn(3), cachedOn(4)];
    return chartOf(await build({ rows, period, definition: { ...definition, queries } }));
  };

  test('a day without a row is a gap of the line, and not the lowest day', async () => {
    const chart = await hitRates();
    expect(chart.alt).toContain('Highest Nov 14 44.0%, lowest Nov 10 40.0%');
    expect(chartSvg(chart, style).match(/<polyline/g)).toHaveLength(2);
  });

  test('a day whose value is unknown is a gap of the line, not 0 %', async () => {
    const chart = await hitRates(
      `SELECT day, CASE WHEN day_number <> 2 THEN 0.4 END AS hit_rate FROM days WHERE period = 'current'`,
    );
    expect(chart.bars[2]?.parts).toEqual([]);
    expect(chart.alt).not.toContain(' 0.0%');
    expect(chartSvg(chart, style).match(/<polyline/g)).toHaveLength(2);
  });
});

test('a day whose sum is unknown is hatched, not zero', async () => {
  const definition = await shipped('spend-summary');
  const queries = new Map(definition.queries).set(
    'models-by-day.sql',
    `SELECT day, 'gpt-6' AS model_name, CASE WHEN day_number <> 1 THEN 2.5 END AS spend FROM days WHERE period = 'current'`,
  );
  const model = await build({
    rows: ordinaryRows(),
    period: '2026-11-10..2026-11-15',
    definition: { ...definition, queries },
  });
  expect(
    chartOf(model)
      .bars.map(({ state }) => state)
      .join(' '),
  ).toBe('complete missing complete complete complete');
});

const common = { kind: 'chart', period: 'current', optional: false, limit: 8 } as const;

/** The shipped report with charts alone: days of money and of tokens, and names. */
const charts = async (): Promise<ReportDefinition> => ({
  ...(await spendSummary()),
  translations: new Map(),
  sections: (
    [
      ['models-by-day.sql', 'stacked-bar', 'day', 'spend', 'money'],
      ['days.sql', 'bar', 'day', 'prompt_tokens', 'tokens'],
      ['days.sql', 'line', 'day', 'calls', 'integer'],
      ['models.sql', 'bar', 'model_name', 'prompt_tokens', 'tokens'],
    ] as const
  ).map(([sql, chart, x, value, format]) => ({
    ...common,
    title: `${value} by ${x}`,
    sql,
    chart,
    over: x === 'day' ? x : 'name',
    x,
    value,
    format,
    ...(chart === 'stacked-bar' ? { series: 'model_name' } : {}),
  })),
});

const chartsOf = async (options: BuildOptions): Promise<{ chart: ChartModel; labels: string[] }[]> => {
  const model = await build({ ...options, definition: await charts() });
  return model.sections.flatMap((chart) => {
    if (chart.kind !== 'chart') return [];
    const svg = chartSvg(chart, model);
    return [
      {
        chart,
        labels: [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => unescapeHtml(text)),
      },
    ];
  });
};

describe('labels of charts', () => {
  test.each(localeTags)('%s: every label is drawn with its own glyphs and without boxes', async (locale) => {
    for (const rows of [ordinaryRows(), ...(locale === 'zh' ? [hostileRows()] : [])]) {
      const drawn = await chartsOf({ rows, locale, currency: 'CNY' });
      expect(drawn).toHaveLength(4);
      for (const { labels } of drawn) {
        expect(labels.length).toBeGreaterThan(3);
        for (const label of labels) {
          expect(isDrawable(label), label).toBe(true);
          expect(label).not.toContain('□');
        }
      }
    }
  });

  test('a name that cannot be drawn is shown as a number, and the note gives the name', async () => {
    const names = ['gpt-5.1', '通义千问', 'qwen3'];
    const rows = ordinaryRows().map((row, at) => ({ ...row, model: names[at % 3] ?? '' }));
    const { chart, labels } = (await chartsOf({ rows, locale: 'zh' }))[3] ?? {};
    const place = chart?.bars.findIndex(({ label }) => label === '通义千问') ?? -1;
    expect(place).toBeGreaterThanOrEqual(0);
    expect(labels).toContain(`#${place + 1}`);
    expect(labels).toContain('qwen3');
    expect(chart?.note).toBe(`#${place + 1} 通义千问`);
    expect(chart?.alt).toContain('通义千问');
  });
});
