import { mailFolder } from '../../../src/notify/index.ts';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { money, sumMoney, unixMillis, unixSeconds, zero, type Money } from '../../../src/core/index.ts';
import { parseYaml } from '../../../src/core/yaml.ts';
import { composeReport } from '../../../src/jobs/index.ts';
import type { ReportModel } from '../../../src/reports/index.ts';
import type { TableModel } from '../../../src/reports/compose/model.ts';
import { models, type Model } from '../../../src/sandbox/traffic/models.ts';
import type { TruthRow } from '../../../src/sandbox/index.ts';
import { openJobFixture, type JobFixture } from '../../support/job-fixture.ts';

const period = { from: '2026-10-26', to: '2026-11-20' };
const [start, end] = [unixSeconds(Date.parse(period.from) / 1000), unixSeconds(Date.parse(period.to) / 1000)];

const tableOf = (model: ReportModel, title: string): TableModel => {
  const found = model.sections.find((section) => section.kind === 'table' && section.title === title);
  if (found?.kind !== 'table') throw new Error(`no table ${title}`);
  return found;
};

/** The exact figures of a table, by the text in its first column. */
const exactOf = (
  model: ReportModel,
  title: string,
): ReadonlyMap<string, ReadonlyMap<string, Money | null>> => {
  const { columns, rows } = tableOf(model, title);
  return new Map(
    rows.map(({ cells }) => [
      cells[0]?.text ?? '',
      new Map(columns.map(({ label }, at) => [label, cells[at]?.exact ?? null])),
    ]),
  );
};

/** Money for a million tokens at so many grains (0.00000001 USD) a token. */
const perMillion = (grains: number): Money => money(`${grains}e-2`);

describe('a shipped report over the sandbox’s data', () => {
  let fixture: JobFixture;
  let calls: readonly TruthRow[];
  const built = new Map<string, ReportModel>();
  beforeAll(async () => {
    fixture = await openJobFixture({ callsPerDay: 120 });
    await fixture.run('pull-logs', { since: '2026-10-24', columns: 'detailed' });
    await fixture.run('pull-usage', {
      since: '2026-10-24',
      group_by: ['model', 'token'],
      granularity: 'day',
    });
    await fixture.run('snapshot', {});
    for (const report of ['spend-summary', 'token-economics', 'key-inventory', 'reconciliation'])
      built.set(report, (await composeReport({ report, period }, fixture.context)).model);
    calls = fixture.sandbox.truth.rows(start, end).filter(({ kind }) => kind === 'consumption');
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  const report = (name: string): ReportModel => {
    const model = built.get(name);
    if (model === undefined) throw new RangeError(name);
    return model;
  };
  const sum = (model: Model | undefined, pick: (row: TruthRow) => number): string =>
    String(
      calls.reduce(
        (total, row) => total + (model === undefined || row.model === model.name ? pick(row) : 0),
        0,
      ),
    );

  it('has the total of the gateway', () => {
    const total = fixture.sandbox.truth.sums(start, end).net;
    expect(report('spend-summary').headline.value.exact).toBe(total);
    expect(report('token-economics').headline.value.exact).toBe(total);
    expect(report('reconciliation').headline.value.exact).toBe(total);
    expect(exactOf(report('token-economics'), 'Output tokens by model').get('Total')?.get('Spend')).toBe(
      total,
    );
    const listed = exactOf(report('key-inventory'), 'Keys').get('Total')?.get('Spend') ?? zero;
    const others = exactOf(report('key-inventory'), 'Spend by names that are not listed')
      .get('Total')
      ?.get('Spend');
    expect(sumMoney([listed, others ?? zero])).toBe(total);
  });

  it('counts each token once, in the class that the gateway charged (token-economics)', () => {
    const inputs = exactOf(report('token-economics'), 'Input tokens by model');
    const total = inputs.get('Total');
    expect(total?.get('Cache read')).toBe(sum(undefined, ({ cached }) => cached));
    expect(total?.get('Cache write')).toBe(sum(undefined, ({ cacheWrite }) => cacheWrite));
    expect(total?.get('Uncached')).toBe(sum(undefined, ({ text }) => text));
    expect(total?.get('Input')).toBe(
      sum(
        undefined,
        ({ text, cached, cacheWrite, audioInput, imageInput }) =>
          text + cached + cacheWrite + audioInput + imageInput,
      ),
    );
    for (const model of [models.gpt, models.sonnet, models.reasoning]) {
      expect(inputs.get(model.name)?.get('Cache read')).toBe(sum(model, ({ cached }) => cached));
      const outputs = exactOf(report('token-economics'), 'Output tokens by model').get(model.name);
      expect(outputs?.get('Output')).toBe(sum(model, ({ completion }) => completion));
      expect(outputs?.get('Reasoning') ?? '0').toBe(sum(model, ({ reasoning }) => reasoning));
    }
  });

  it('finds the prices that the gateway charges, and the savings of its cache (token-economics)', () => {
    const prices = exactOf(report('token-economics'), 'Price per 1M tokens');
    for (const model of [models.gpt, models.sonnet, models.reasoning, models.haiku, models.gptMini]) {
      const found = prices.get(model.name);
      expect([model.name, found?.get('Uncached')]).toEqual([model.name, perMillion(model.prices.text)]);
      expect(found?.get('Cache read')).toBe(perMillion(model.prices.cached));
      expect(found?.get('Output')).toBe(perMillion(model.prices.completion));
      if (model.prices.cacheWrite > 0)
        expect(found?.get('Cache write')).toBe(perMillion(model.prices.cacheWrite));
    }
    const saved = exactOf(report('token-economics'), 'Cache savings by model');
    for (const { name, prices: charged } of [models.gpt, models.sonnet]) {
      const rows = calls.filter(({ model }) => model === name);
      const expected = rows.reduce(
        (total, { cached, cacheWrite }) =>
          total +
          cached * (charged.text - charged.cached) -
          cacheWrite * (charged.cacheWrite === 0 ? 0 : charged.cacheWrite - charged.text),
        0,
      );
      expect(saved.get(name)?.get('Saved')).toBe(money(`${expected}e-8`));
    }
  });

  it('lists the existing keys with the spend that the gateway booked (key-inventory)', () => {
    const keys = exactOf(report('key-inventory'), 'Keys');
    const there = fixture.sandbox.state.keys.all();
    expect(report('key-inventory').headline.value.exact).toBe(String(there.length));
    const { byKey } = fixture.sandbox.truth.sums(start, end);
    for (const { name } of there) {
      expect([name, keys.get(name)?.get('Spend')]).toEqual([name, byKey[name] ?? '0']);
      const last = Math.max(
        ...fixture.sandbox.truth
          .rows(0, Math.ceil(fixture.clock.now() / 1000))
          .filter(({ kind, token }) => kind === 'consumption' && token === name)
          .map(({ createdAt }) => createdAt),
      );
      // As far as the log has been pulled.
      const shown = keys.get(name)?.get('Last call');
      if (shown !== null && shown !== undefined) expect(Number(shown)).toBeLessThanOrEqual(last);
      else expect(last < Date.parse('2026-10-24') / 1000).toBe(true);
    }
  });

  it('compares each model and key with the figures of the gateway (reconciliation)', () => {
    const { byModel, byKey } = fixture.sandbox.truth.sums(start, end);
    const model = report('reconciliation');
    for (const [title, truth] of [
      ['Usage by model', byModel],
      ['Usage by key', byKey],
    ] as const) {
      const entries = exactOf(model, title);
      for (const [name, amount] of Object.entries(truth).filter(([entry]) => entry !== '')) {
        expect([name, entries.get(name)?.get('Call log')]).toEqual([name, amount]);
        expect(entries.get(name)?.get('Source figure')).toBe(amount);
        expect(entries.get(name)?.get('Gap')).toBe(zero);
      }
    }
    expect(tableOf(model, 'Sources').rows.map(({ cells }) => cells[0]?.text)).toEqual([
      'Statistics',
      'Usage by model',
      'Usage by key',
    ]);
    const output = model.sections.flatMap((section) =>
      section.kind === 'notes' ? section.notes.map(({ text }) => text) : [],
    );
    expect(output.filter((text) => /^(used_quota|balance) was not compared/.test(text))).toHaveLength(2);
  });

  it('describes the current run, even if the run is for an earlier moment (reconciliation)', async () => {
    const slot = fixture.clock.now();
    fixture.clock.advance(60_000);
    const half = { from: '2026-10-26', to: '2026-11-05' };
    const { model } = await composeReport(
      { report: 'reconciliation', period: half },
      { ...fixture.context, slot },
    );
    const sources = exactOf(model, 'Sources');
    expect(sources.get('Statistics')?.get('Source figure')).toBe(
      fixture.sandbox.truth.sums(start, Date.parse(half.to) / 1000).net,
    );
    expect(sources.get('Usage by key')?.get('Gap')).toBe(zero);
    expect(sources.get('Statistics')?.get('Gap')).toBe(zero);
  });

  it('is mailed by the jobs of the example config', async () => {
    const file = new URL('../../../config/jobs/insight.yaml', import.meta.url);
    const { value } = parseYaml(await readFile(file, 'utf8'));
    const { jobs } = value as { readonly jobs: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
    const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-insight-'));
    try {
      const reports = Object.entries(jobs).filter(([, { kind }]) => kind === 'report');
      for (const [name, { kind, report: named, period: days, mail }] of reports) {
        const outcome = await fixture.run(
          String(kind),
          { report: named, period: days, mail },
          {
            name,
            runId: `${name} 2026-12-01`,
            slot: unixMillis(Date.parse('2026-11-16T09:00:00Z')),
            mail: { from: 'reports@example.com', mails: mailFolder(join(folder, 'outbox')) },
          },
        );
        expect([name, outcome.figures['mails']]).toEqual([name, 1]);
      }
      expect(reports).toHaveLength(3);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
