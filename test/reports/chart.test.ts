import { beforeAll, describe, expect, test } from 'vitest';
import { money } from '../../src/core/index.ts';
import { chartFonts } from '../../src/reports/charts/chart-fonts.ts';
import { drawPng } from '../../src/reports/render/render.ts';
import { chartSvg } from '../../src/reports/charts/chart-svg.ts';
import type { ChartModel } from '../../src/reports/compose/model.ts';
import type { CubeRow } from './cube.ts';
import { build, ordinaryRows, shipped } from './sample.ts';

const style = { currency: 'USD', locale: 'en' } as const;

/** Whether the labels of the picture leave any trace in it. */
const labelsAreDrawn = async (svg: string, fonts: readonly string[]): Promise<boolean> => {
  const without = svg.replaceAll(/<text [^>]*>[^<]*<\/text>/g, '');
  const [drawn, bare] = [await drawPng(svg, fonts), await drawPng(without, fonts)];
  return !Buffer.from(drawn).equals(Buffer.from(bare));
};

const bar = (label: string, total: string): ChartModel['bars'][number] => ({
  label,
  state: 'complete',
  total: money(total),
  parts: [{ colour: '#4269d0', value: money(total) }],
});

const chartOf = (bars: ChartModel['bars']): ChartModel => ({
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
    const model = await build({ rows: ordinaryRows() });
    const found = model.sections.find(({ kind }) => kind === 'chart');
    if (found?.kind !== 'chart') throw new Error('no chart');
    chart = found;
  });

  test('its labels are drawn, and are missing without a font', async () => {
    const svg = chartSvg(chart, style);
    expect(svg.match(/<text /g)?.length).toBeGreaterThan(8);
    expect(await labelsAreDrawn(svg, chartFonts())).toBe(true);
    expect(await labelsAreDrawn(svg, [])).toBe(false);
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
    const svg = chartSvg(chartOf([bar('a', '10'), bar('b', '20'), bar('c', '5')]), style);
    const [a, b, c] = rects(svg);
    expect((b?.height ?? 0) / (a?.height ?? 1)).toBeCloseTo(2, 1);
    expect((b?.height ?? 0) / (c?.height ?? 1)).toBeCloseTo(4, 1);
    expect((a?.y ?? 0) + (a?.height ?? 0)).toBeCloseTo((b?.y ?? 0) + (b?.height ?? 0), 1);
  });

  test('a refund extends below the line', () => {
    const [up, down] = rects(chartSvg(chartOf([bar('a', '10'), bar('b', '-10')]), style));
    expect(down?.y).toBeCloseTo((up?.y ?? 0) + (up?.height ?? 0), 1);
    expect(down?.height).toBeCloseTo(up?.height ?? 0, 1);
  });

  test('a day without data is hatched, a day without spend is empty', () => {
    const bars = [
      bar('a', '1'),
      { ...bar('b', '0'), parts: [] },
      { ...bar('c', '0'), parts: [], state: 'missing' as const },
    ];
    expect(rects(chartSvg(chartOf(bars), style)).map(({ fill }) => fill)).toEqual([
      '#4269d0',
      'url(#missing)',
    ]);
  });

  test('labels with markup stay text', () => {
    const svg = chartSvg(chartOf([bar('<script>&"', '1')]), style);
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
    const model = await build({ rows, period, definition: { ...definition, queries } });
    const found = model.sections.find(({ kind }) => kind === 'chart');
    if (found?.kind !== 'chart') throw new Error('no chart');
    return found;
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
  const found = model.sections.find(({ kind }) => kind === 'chart');
  if (found?.kind !== 'chart') throw new Error('no chart');
  expect(found.bars.map(({ state }) => state)).toEqual([
    'complete',
    'missing',
    'complete',
    'complete',
    'complete',
  ]);
});
