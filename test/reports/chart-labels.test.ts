import { describe, expect, test } from 'vitest';
import { localeTags } from '../../src/core/index.ts';
import { isDrawable } from '../../src/reports/charts/chart-glyphs.ts';
import { chartSvg } from '../../src/reports/charts/chart-svg.ts';
import type { ReportDefinition } from '../../src/reports/index.ts';
import type { ChartModel } from '../../src/reports/compose/model.ts';
import { hostileRows } from './hostile.ts';
import { unescapeHtml } from './markup.ts';
import { build, ordinaryRows, spendSummary, type BuildOptions } from './sample.ts';

const common = { kind: 'chart', period: 'current', optional: false, limit: 8 } as const;

/** The shipped report with charts alone: days of money and of tokens, and names. */
const charts = async (): Promise<ReportDefinition> => ({
  ...(await spendSummary()),
  translations: new Map(),
  sections: [
    {
      ...common,
      title: 'a',
      sql: 'models-by-day.sql',
      chart: 'stacked-bar',
      over: 'day',
      x: 'day',
      series: 'model_name',
      value: 'spend',
      format: 'money',
    },
    {
      ...common,
      title: 'b',
      sql: 'days.sql',
      chart: 'bar',
      over: 'day',
      x: 'day',
      value: 'prompt_tokens',
      format: 'tokens',
    },
    {
      ...common,
      title: 'c',
      sql: 'days.sql',
      chart: 'line',
      over: 'day',
      x: 'day',
      value: 'calls',
      format: 'integer',
    },
    {
      ...common,
      title: 'd',
      sql: 'models.sql',
      chart: 'bar',
      over: 'name',
      x: 'model_name',
      value: 'prompt_tokens',
      format: 'tokens',
    },
  ],
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
