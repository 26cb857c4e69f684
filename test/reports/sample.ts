import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  interval,
  money,
  unixMillis,
  unixSeconds,
  type ComparisonName,
  type LocaleTag,
} from '../../src/core/index.ts';
import {
  buildReport,
  inLocale,
  loadReport,
  resolvePeriod,
  type ReportDefinition,
  type ReportFacts,
  type ReportModel,
} from '../../src/reports/index.ts';
import type { BuildRequest } from '../../src/reports/compose/build-request.ts';
import { cubeOf, type CubeRow, type OtherRows } from './cube.ts';

export const zone = 'Europe/Berlin';

/** 2026-11-20 08:00 in Berlin. */
export const now = unixMillis(Date.UTC(2026, 10, 20, 7));

/** A report as it is shipped. */
export const shipped = async (name: string): Promise<ReportDefinition> => {
  const folder = fileURLToPath(new URL(`../../reports/${name}`, import.meta.url));
  const { report, faults } = await loadReport(folder, (path) => readFile(path, 'utf8'));
  if (report === undefined) throw new Error(JSON.stringify(faults));
  return report;
};

export const spendSummary = (): Promise<ReportDefinition> => shipped('spend-summary');

export type BuildOptions = {
  readonly rows: readonly CubeRow[];
  readonly period?: string;
  readonly facts?: Partial<ReportFacts> | 'nothing pulled';
  readonly account?: string;
  readonly currency?: string;
  readonly amounts?: 'currency' | 'units' | 'unknown';
  readonly definition?: ReportDefinition;
  readonly locale?: LocaleTag;
  /** Rows of tables beside the cube. */
  readonly others?: OtherRows;
  readonly deps?: BuildRequest['deps'];
  readonly comparison?: ComparisonName;
  readonly assignColours?: BuildRequest['assignColours'];
};

/** The shipped report over these rows; complete data unless the facts say otherwise. */
export const build = async (options: BuildOptions): Promise<ReportModel> => {
  const { locale = 'en' } = options;
  const period = resolvePeriod(
    options.period ?? '2026-10-21..2026-11-20',
    now,
    zone,
    locale,
    options.comparison,
  );
  const common = { runId: 'run-20261120-080000', warnings: [] };
  const complete: ReportFacts = {
    ...common,
    dataThrough: period.interval.end,
    reconciliation: {
      verdict: 'equal',
      text: 'equal to the gateway’s statistics to the last decimal.',
      good: true,
    },
  };
  const facts: ReportFacts = options.facts === 'nothing pulled' ? common : { ...complete, ...options.facts };
  const { dataSince = unixSeconds(0), dataThrough } = facts;
  return buildReport({
    definition: inLocale(options.definition ?? (await spendSummary()), locale),
    locale,
    warehouse: cubeOf(options.rows, options.amounts, options.others),
    account: options.account ?? 'main',
    currency: options.currency ?? 'USD',
    zone,
    period,
    ...(options.assignColours === undefined ? {} : { assignColours: options.assignColours }),
    deps: {
      run: {
        now,
        ...(dataThrough === undefined ? {} : { covered: interval(dataSince, dataThrough) }),
      },
      ...options.deps,
    },
    facts,
  });
};

const models = [
  ['claude-opus-4-5', 372],
  ['claude-sonnet-4-5', 265],
  ['gpt-5.1', 170],
  ['gemini-3-pro', 110],
  ['claude-haiku-4-5', 58],
  ['gpt-5-mini', 34],
  ['text-embedding-3-large', 11],
  ['deepseek-v3.2', 6],
  ['flux-1.1-pro-ultra', 3],
] as const;

const keys = ['prod-search', 'prod-support-copilot', 'growth-batch', 'data-platform', 'ci'] as const;

/** Two months of spend with weekends, one spike on 2026-11-12 and some refunds without a key name; always the same. */
export const ordinaryRows = (from = '2026-09-19', days = 62): readonly CubeRow[] => {
  const known = made.get(`${from} ${days}`) ?? makeRows(from, days);
  made.set(`${from} ${days}`, known);
  return known;
};

const made = new Map<string, readonly CubeRow[]>();

const makeRows = (from: string, days: number): readonly CubeRow[] => {
  const rows: CubeRow[] = [];
  let seed = 7;
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  const first = Date.parse(`${from}T00:00:00Z`) / 1000;
  for (let day = 0; day < days; day += 1) {
    const start = first + day * 86_400;
    const weekday = new Date(start * 1000).getUTCDay();
    const date = new Date(start * 1000).toISOString().slice(0, 10);
    const rhythm = weekday === 0 || weekday === 6 ? 0.35 : 1;
    for (const [model, weight] of models)
      for (const [at, key] of keys.entries())
        for (const hour of [2, 8, 10, 14, 19]) {
          const odd = date === '2026-11-12' && model === 'gpt-5.1' ? 11 : 1;
          const busy = hour === 10 || hour === 14 ? 1.6 : 0.6;
          const micros = Math.round(
            ((weight * 1e8) / (25 * (at + 1))) *
              rhythm *
              odd *
              busy *
              (0.8 + random() * 0.4) *
              (1 + day / 400),
          );
          const calls = 1 + Math.floor(micros / 9e6);
          rows.push({
            quarter: start + hour * 3600,
            model,
            key,
            calls,
            prompt: calls * 2311,
            cached: calls * 1402,
            completion: calls * 377,
            reasoning: model.startsWith('claude') || model.startsWith('gpt') ? calls * 120 : 0,
            spend: money(`${micros}e-8`),
          });
        }
    if (day % 6 === 0)
      rows.push({
        quarter: start + 43_200,
        model: 'flux-1.1-pro-ultra',
        key: null,
        kind: 'refund',
        spend: '-0.84015',
      });
  }
  return rows;
};
