import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unixMillis, unixSeconds, zero, type Money } from '../../../src/core/index.ts';
import { parseYaml } from '../../../src/core/yaml.ts';
import { composeReport } from '../../../src/jobs/index.ts';
import type { ReportModel } from '../../../src/reports/index.ts';
import { openJobFixture, type JobFixture } from '../../support/job-fixture.ts';
import { reportPlaces } from './report-fixture.ts';
import { notesOf, tableOf } from '../../reports/parts.ts';

const period = { from: '2026-10-26', to: '2026-11-20' };
const [start, end] = [unixSeconds(Date.parse(period.from) / 1000), unixSeconds(Date.parse(period.to) / 1000)];

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

describe('a shipped report over the sandbox’s data', () => {
  let fixture: JobFixture;
  beforeAll(async () => {
    fixture = await openJobFixture({ callsPerDay: 120 });
    await fixture.run('pull-logs', { since: '2026-10-24', columns: 'detailed' });
    await fixture.run('pull-usage', {
      since: '2026-10-24',
      group_by: ['model', 'token'],
      granularity: 'day',
    });
    await fixture.run('snapshot', {});
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  it('compares each model and key with the figures of the gateway (reconciliation)', async () => {
    const { byModel, byKey } = fixture.sandbox.truth.sums(start, end);
    const { model } = await composeReport({ report: 'reconciliation', period }, fixture.context);
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
    expect(notesOf(model).filter((text) => /^(used_quota|balance) was not compared/.test(text))).toHaveLength(
      2,
    );
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
    const { change } = await reportPlaces();
    const reports = Object.entries(jobs).filter(([, { kind }]) => kind === 'report');
    for (const [name, { kind, report: named, period: days, mail }] of reports) {
      const outcome = await fixture.run(
        String(kind),
        { report: named, period: days, mail },
        {
          name,
          runId: `${name} 2026-12-01`,
          slot: unixMillis(Date.parse('2026-11-16T09:00:00Z')),
          mail: change.mail,
        },
      );
      expect([name, outcome.figures['mails']]).toEqual([name, 1]);
    }
    expect(reports).toHaveLength(3);
  });
});
