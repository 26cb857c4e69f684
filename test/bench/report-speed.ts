import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { performance } from 'node:perf_hooks';
import { interval, silentLog, systemClock, unixMillis, unixSeconds } from '../../src/core/index.ts';
import {
  buildReport,
  loadReport,
  renderReport,
  resolvePeriod,
  type RenderedReport,
  type ReportDefinition,
} from '../../src/reports/index.ts';
import { openWarehouse, type Warehouse, type WarehouseOptions } from '../../src/warehouse/index.ts';
import { fillCalls } from './report-rows.ts';
import type { BenchReport } from './report.ts';

const million = 1_000_000;

export const at = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 1000;

/** A database file in a folder, with the memory of a small container. */
export const benchOptions = (folder: string): WarehouseOptions => ({
  path: join(folder, 'data', 'bench.duckdb'),
  memoryLimit: '1GB',
  threads: 2,
  spoolDirectory: join(folder, 'spool'),
  clock: systemClock,
  log: silentLog,
});

/** From where the bench is compiled to. */
export const spendSummary = async (): Promise<ReportDefinition> => {
  const folder = fileURLToPath(new URL('../../../../reports/spend-summary', import.meta.url));
  const { report, faults } = await loadReport(folder, (path) => readFile(path, 'utf8'));
  if (report === undefined) throw new Error(JSON.stringify(faults));
  return report;
};

type Asked = { readonly account: string; readonly period: string; readonly rows: number };

export const buildSummary = async (
  warehouse: Warehouse,
  definition: ReportDefinition,
  { account, period: name }: Asked,
): Promise<RenderedReport> => {
  const zone = 'Europe/Berlin';
  const period = resolvePeriod(name, unixMillis(at('2026-11-21') * 1000), zone);
  return renderReport(
    await buildReport({
      definition,
      warehouse,
      account,
      currency: 'USD',
      zone,
      period,
      deps: {
        run: {
          now: unixMillis(at('2026-11-21') * 1000),
          covered: interval(unixSeconds(0), period.interval.end),
        },
      },
      facts: { runId: 'bench', warnings: [], dataSince: unixSeconds(0), dataThrough: period.interval.end },
    }),
  );
};

/** Seconds that the slowest of three takes. */
export const measure = async (
  work: () => Promise<RenderedReport>,
): Promise<{ seconds: number; html: number }> => {
  let [seconds, html] = [0, 0];
  for (let round = 0; round < 3; round += 1) {
    const started = performance.now();
    const rendered = await work();
    seconds = Math.max(seconds, (performance.now() - started) / 1000);
    html = Buffer.byteLength(rendered.html) / 1000;
  }
  return { seconds, html };
};

/** Reports over a month of 10 million calls beside the month before it, and over a year of 20 million in Parquet files. */
export const benchReports = async (
  report: BenchReport,
  scale: number,
  furtherOf: (report: BenchReport, options: WarehouseOptions, scale: number) => Promise<void>,
): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-bench-'));
  const options = benchOptions(folder);
  const [month, before, year] = [10 * million, 5 * million, 20 * million].map((rows) =>
    Math.round(rows * scale),
  );
  try {
    await (await openWarehouse(options))[Symbol.asyncDispose]();
    await fillCalls(options.path, [
      { account: 'month', rows: before ?? 0, start: at('2026-09-01'), end: at('2026-10-01') },
      { account: 'month', rows: month ?? 0, start: at('2026-10-01'), end: at('2026-11-01') },
      { account: 'year', rows: year ?? 0, start: at('2025-01-01'), end: at('2026-01-01') },
    ]);
    const warehouse = await openWarehouse(options);
    const archived = await warehouse.archive.run({ account: 'year', settle: 0, retain: 0 });
    report.title(
      `Reports: spend-summary of 60 models and 2,000 keys; ${archived.leftRows / million} million calls in Parquet files`,
    );
    const definition = await spendSummary();
    for (const [name, asked, target] of [
      ['a month', { account: 'month', period: 'last-month', rows: month ?? 0 }, 0.5],
      ['an archived year', { account: 'year', period: '2025-01-01..2026-01-01', rows: year ?? 0 }, 2],
    ] as const) {
      const started = performance.now();
      await buildSummary(warehouse, definition, asked);
      report.figure(
        `the first of ${name}, which builds the rollup`,
        (performance.now() - started) / 1000,
        's',
      );
      const { seconds, html } = await measure(async () => buildSummary(warehouse, definition, asked));
      report.figure(`${name} of ${asked.rows / million} million calls`, seconds, 's', target);
      report.figure('  its HTML', html, 'kB', 90);
    }
    await warehouse[Symbol.asyncDispose]();
    await furtherOf(report, options, scale);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
