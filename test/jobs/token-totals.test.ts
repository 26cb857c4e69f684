import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addMoney,
  divideMoney,
  money,
  multiplyMoney,
  subtractMoney,
  sumMoney,
  zero,
  type Money,
} from '../../src/core/index.ts';
import { composeReport } from '../../src/jobs/index.ts';
import type { ReportModel } from '../../src/reports/index.ts';
import type { TruthRow } from '../../src/sandbox/index.ts';
import { openJobFixture, type JobFixture } from '../support/job-fixture.ts';
import { figuresOf, paragraphsOf, tableOf } from '../reports/parts.ts';

const period = { from: '2026-10-01', to: '2026-11-01' };
const [start, end] = [period.from, period.to].map((day) => Date.parse(day) / 1000) as [number, number];

const inputOf = (row: TruthRow): number =>
  row.text + row.cached + row.cacheWrite + row.audioInput + row.imageInput;

/** Spend, input and output of a model, from the sandbox's own rows. */
type ModelTruth = { spend: Money; input: number; output: number };

const truthOf = (fixture: JobFixture): ReadonlyMap<string, ModelTruth> => {
  const models = new Map<string, ModelTruth>();
  for (const row of fixture.sandbox.truth.rows(start, end)) {
    if (row.kind !== 'consumption' && row.kind !== 'refund') continue;
    const known = models.get(row.model) ?? { spend: zero, input: 0, output: 0 };
    known.spend = addMoney(known.spend, money(row.quota));
    if (row.kind === 'consumption') {
      known.input += inputOf(row);
      known.output += row.completion;
    }
    models.set(row.model, known);
  }
  return models;
};

const perMillion = (models: readonly ModelTruth[]): Money | undefined =>
  divideMoney(
    multiplyMoney(sumMoney(models.map(({ spend }) => spend)), money('1000000')),
    money(String(models.reduce((sum, { input, output }) => sum + input + output, 0))),
    18,
  );

const figureOf = (model: ReportModel, label: string) => figuresOf(model).get(label);

const totalOf = (model: ReportModel, title: string, column: string): unknown => {
  const table = model.data.tables.find((one) => one.title === title);
  return table?.total?.[table.columns.findIndex(({ name }) => name === column)];
};

const reports = ['spend-summary', 'showback', 'token-economics', 'statement'] as const;

type Built = ReadonlyMap<string, ReportModel>;

const reportIn = (built: Built, name: string): ReportModel => {
  const model = built.get(name);
  if (model === undefined) throw new RangeError(name);
  return model;
};

const buildAll = async (fixture: JobFixture): Promise<Built> => {
  const built = new Map<string, ReportModel>();
  for (const report of reports)
    built.set(report, (await composeReport({ report, period }, fixture.context)).model);
  return built;
};

describe('all shipped reports over one month of vendors that count cached and reasoning tokens differently', () => {
  let fixture: JobFixture;
  let built: Built;
  beforeAll(async () => {
    fixture = await openJobFixture({
      months: 2,
      callsPerDay: 40,
      variants: { completion_tokens: 'per-vendor' },
    });
    await fixture.run('pull-logs', { since: '2026-09-29' });
    built = await buildAll(fixture);
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  it('name the spend on images and music beside that price', () => {
    const truth = [...truthOf(fixture).values()];
    const without = truth.filter(({ input, output }) => input + output === 0);
    const spend = Number(sumMoney(without.map((one) => one.spend))).toFixed(2);
    for (const report of ['spend-summary', 'showback', 'token-economics'])
      expect(figureOf(reportIn(built, report), 'Per 1M tokens')?.note?.text).toContain(`excludes $${spend} `);
  });

  it('keep prompt and completion as served in data files, and show them nowhere', () => {
    const rows = fixture.sandbox.truth.rows(start, end).filter(({ kind }) => kind === 'consumption');
    const excludes = (model: string): boolean => model.startsWith('claude');
    const prompt = rows.reduce(
      (sum, row) => sum + inputOf(row) - (excludes(row.model) ? row.cached + row.cacheWrite : 0),
      0,
    );
    const completion = rows.reduce(
      (sum, row) => sum + row.completion - (row.model.startsWith('gemini') ? row.reasoning : 0),
      0,
    );
    const summary = reportIn(built, 'spend-summary');
    for (const title of ['Tokens by model', 'Tokens by key', 'Days']) {
      expect(totalOf(summary, title, 'prompt_tokens')).toBe(String(prompt));
      expect(totalOf(summary, title, 'completion_tokens')).toBe(String(completion));
      const labels = tableOf(summary, title).columns.map(({ label }) => label);
      expect(labels).toContain('Input');
      expect(labels.join(' ')).not.toMatch(/prompt|completion/i);
    }
  });
});

describe('reports over models whose prompts may or may not include the cached tokens', () => {
  let fixture: JobFixture;
  let built: Built;
  let open: ReadonlySet<string>;
  let openOutput: readonly string[];
  beforeAll(async () => {
    fixture = await openJobFixture({
      months: 2,
      callsPerDay: 1,
      variants: { prompt_tokens: 'includes-cached' },
    });
    await fixture.run('pull-logs', { since: '2026-09-29' });
    built = await buildAll(fixture);
    const conventions = await fixture.context.warehouse.tokens.conventions('main');
    openOutput = conventions
      .filter(({ output }) => output.convention === undefined && output.evidence.reasoningCalls > 0)
      .map(({ model }) => model);
    open = new Set(
      conventions
        .filter(({ convention, evidence }) => convention === undefined && evidence.cacheCalls > 0)
        .map(({ model }) => model),
    );
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  const rowsOf = (pick: (model: string) => boolean): TruthRow[] =>
    fixture.sandbox.truth.rows(start, end).filter(({ kind, model }) => kind === 'consumption' && pick(model));
  const cachedOf = (pick: (model: string) => boolean): number =>
    rowsOf(pick).reduce((sum, { cached }) => sum + cached, 0);

  it('show the cached tokens that the export states, and the split as unknown', () => {
    const economics = reportIn(built, 'token-economics');
    const shown = tableOf(economics, 'Input tokens by model');
    const at = (label: string): number => shown.columns.findIndex((column) => column.label === label);
    const openRows = shown.rows.filter(({ cells }) => open.has(cells[0]?.text ?? ''));
    expect(openRows.length).toBeGreaterThan(0);
    for (const { cells } of openRows) {
      const name = cells[0]?.text;
      if (cachedOf((model) => model === name) === 0) continue;
      expect(cells[at('Cache read')]?.exact).toBe(String(cachedOf((model) => model === name)));
      expect(cells[at('Split')]?.text).toBe('unknown');
      expect(cells[at('Uncached')]?.text).toBe('–');
      expect(cells[at('Hit rate')]?.text).toBe('–');
    }
  });

  it('also mark those models, and no others, in the spend summary', () => {
    const table = reportIn(built, 'spend-summary').data.tables.find(
      ({ title }) => title === 'Tokens by model',
    );
    const at = table?.columns.findIndex(({ name }) => name === 'split') ?? -1;
    const marked = table?.rows.filter((row) => row[at] === 'unknown').map(([model]) => model) ?? [];
    expect(marked.length).toBeGreaterThan(0);
    const stated = [...open].filter((name) => cachedOf((model) => model === name) > 0);
    expect(marked).toEqual(expect.arrayContaining(stated));
    for (const model of marked) expect([...open, ...openOutput]).toContain(model);
  });

  it('exclude them from the hit rate and the price per million, and state it', () => {
    const unsettled = new Set([...open].filter((name) => cachedOf((model) => model === name) > 0));
    const known = rowsOf((model) => !unsettled.has(model));
    const input = known.reduce((sum, row) => sum + inputOf(row), 0);
    const cached = known.reduce((sum, row) => sum + row.cached, 0);
    const economics = reportIn(built, 'token-economics');
    const hitRate = figureOf(economics, 'Cache hit rate')?.value.exact;
    expect(hitRate ?? null).toBe(
      cached === 0 && hitRate === undefined
        ? null
        : divideMoney(money(String(cached)), money(String(input)), 18),
    );
    const truth = truthOf(fixture);
    const priced = [...truth].filter(([name, one]) => one.input + one.output > 0 && !unsettled.has(name));
    const left = subtractMoney(
      sumMoney([...truth].filter(([, one]) => one.input + one.output > 0).map(([, one]) => one.spend)),
      sumMoney(priced.map(([, one]) => one.spend)),
    );
    expect(left).not.toBe('0');
    for (const report of ['spend-summary', 'showback', 'token-economics']) {
      const figure = figureOf(reportIn(built, report), 'Per 1M tokens');
      expect([report, figure?.value.exact]).toEqual([report, perMillion(priced.map(([, one]) => one))]);
      expect(figure?.note?.text).toContain('with unknown token counts');
    }
    for (const report of ['spend-summary', 'token-economics', 'statement']) {
      expect([report, paragraphsOf(reportIn(built, report)).join(' ')]).toEqual([
        report,
        expect.stringContaining('gateway.token_convention') as string,
      ]);
    }
  });
});
