import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { entryOf, metricNames } from '../../src/metrics/catalogue.ts';
import { brokenLinks } from '../docs/links.ts';
import { pathsOf, readTexts } from '../docs/texts.ts';

const rulesFile = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({ alert: z.string(), expr: z.string(), annotations: z.record(z.string(), z.string()) }),
      ),
    }),
  ),
});

const dashboardFile = z.object({
  panels: z.array(
    z.object({
      title: z.string(),
      gridPos: z.object({ h: z.int(), w: z.int(), x: z.int(), y: z.int() }),
      targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })).optional(),
    }),
  ),
  templating: z.object({ list: z.array(z.object({ name: z.string(), definition: z.string().optional() })) }),
});

const read = (name: string): Promise<string> =>
  readFile(new URL(`../../config/monitoring/${name}`, import.meta.url), 'utf8');

const readRules = async () =>
  rulesFile.parse(parse(await read('rules.yaml'))).groups.flatMap(({ rules }) => rules);

const readDashboard = async () => dashboardFile.parse(JSON.parse(await read('dashboard.json')));

/** Names of metrics that occur in a text. */
const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\b(?:tollkeeper|process|nodejs)_[a-z_]+/g)].map(([name]) => name);

/** What a scrape shows: three series for each histogram. */
const shown = new Set(
  metricNames.flatMap((name) =>
    entryOf(name).type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
);

/** Labels of the catalogue, and those that Prometheus sets or a histogram has. */
const knownLabels = new Set([
  ...metricNames.flatMap((name) => entryOf(name).labels),
  'job',
  'instance',
  'le',
]);

const labelsIn = (text: string): readonly string[] => [
  ...[...text.matchAll(/\{([^{}]*)\}/g)].flatMap(([, inner = '']) =>
    [...inner.matchAll(/(\w+)(?==~?"|!~?")/g)].map(([, name = '']) => name),
  ),
  ...[...text.matchAll(/\b(?:by|on) \(([^()]*)\)/g)].flatMap(([, inner = '']) => inner.split(', ')),
];

const templatesIn = (text: string): readonly string[] =>
  [...text.matchAll(/\{\{ ?(?:\$labels\.)?([a-z_]+) ?\}\}/g)].map(([, name = '']) => name);

describe('the alert rules', () => {
  it('use only metrics and labels that exist', async () => {
    for (const { alert, expr, annotations } of await readRules()) {
      expect([alert, namesIn(expr).filter((name) => !shown.has(name))]).toEqual([alert, []]);
      const labels = [...labelsIn(expr), ...templatesIn(JSON.stringify(annotations))];
      expect([alert, labels.filter((name) => !knownLabels.has(name))]).toEqual([alert, []]);
    }
  });

  it('name a page and heading of the documentation each', async () => {
    const rules = await readRules();
    expect(rules.length).toBeGreaterThan(10);
    const root = fileURLToPath(new URL('../../', import.meta.url));
    const paths = pathsOf(root);
    const texts = readTexts(root, paths, (path) => /^docs\/[a-z]+\.md$/.test(path));
    const links = rules.map(({ alert, annotations }) => `[${alert}](${annotations['runbook'] ?? 'missing'})`);
    const pages = new Map([...texts, ['README.md', links.join('\n')]]);
    const broken = brokenLinks(pages, paths);
    expect(broken.filter((one) => one.startsWith('README.md'))).toEqual([]);
    for (const { annotations } of rules) expect(annotations['runbook']).toMatch(/^docs\/[a-z]+\.md#[a-z-]+$/);
  });
});

describe('the dashboard', () => {
  it('uses only metrics and labels that exist', async () => {
    const { panels, templating } = await readDashboard();
    for (const { title, targets = [] } of panels)
      for (const { expr, legendFormat } of targets) {
        expect([title, namesIn(expr).filter((name) => !shown.has(name))]).toEqual([title, []]);
        const labels = [...labelsIn(expr), ...templatesIn(legendFormat)];
        expect([title, labels.filter((name) => !knownLabels.has(name))]).toEqual([title, []]);
      }
    const definitions = templating.list.flatMap(({ definition = '' }) => namesIn(definition));
    expect(definitions.filter((name) => !shown.has(name))).toEqual([]);
  });

  it('shows every metric that changes, or a rule watches it', async () => {
    const used = new Set(namesIn(`${await read('rules.yaml')} ${await read('dashboard.json')}`));
    const unused = metricNames.filter((name) => ![name, `${name}_bucket`].some((one) => used.has(one)));
    expect(unused).toEqual([
      'tollkeeper_job_last_success_timestamp_seconds',
      'tollkeeper_budget_amount',
      'tollkeeper_budget_spend',
    ]);
  });

  it('has panels that do not overlap', async () => {
    const { panels } = await readDashboard();
    const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: h * w }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });
});

it('the names of metrics follow the conventions of Prometheus', () => {
  for (const name of metricNames) {
    const { type, help, labels } = entryOf(name);
    expect(name).toMatch(/^[a-z][a-z_]*[a-z]$/);
    expect(name.endsWith('_total')).toBe(type === 'counter');
    expect(help).toMatch(/\.$/);
    expect(name).not.toMatch(/_(milliseconds|minutes|hours|days|kilobytes|percent)(_|$)/);
    if (type === 'histogram') expect(name).toMatch(/_seconds$/);
    // Prometheus sets these labels itself.
    for (const label of ['job', 'instance', 'le', 'quantile']) expect(labels).not.toContain(label);
  }
});
