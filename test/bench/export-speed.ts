import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { DuckDBInstance } from '@duckdb/node-api';
import {
  focusFormats,
  interval,
  money,
  noProgress,
  silentLog,
  systemClock,
  unixMillis,
  unixSeconds,
  unknownGateway,
} from '../../src/core/index.ts';
import { exportFocus, type JobContext } from '../../src/jobs/index.ts';
import { fileIn } from '../../src/jobs/focus/put-file.ts';
import type { Gateway } from '../../src/gateway/index.ts';
import { openWarehouse } from '../../src/warehouse/index.ts';
import { coverCalls, fillCalls } from './report-rows.ts';
import { at, benchOptions, buildSummary, spendSummary } from './report-speed.ts';
import type { BenchReport } from './report.ts';

const million = 1_000_000;
const account = 'month';
const month = { start: at('2026-10-01'), end: at('2026-11-01') };

/** Charges that the prices of the configuration explain, so that each cell is divided among its classes. */
const priceCalls = async (file: string): Promise<void> => {
  const instance = await DuckDBInstance.create(file, { threads: '2', memory_limit: '4GB' });
  const connection = await instance.connect();
  await connection.run(
    `UPDATE call_log SET cached_tokens = 0, reasoning_tokens = 0,
       quota = CAST(prompt_tokens * 0.000002 + completion_tokens * 0.000008 AS DECIMAL(28, 12))`,
  );
  await connection.run('CHECKPOINT');
  connection.closeSync();
  instance.closeSync();
};

/** Seconds of some work, and the most memory of the process meanwhile in MB. */
const measured = async (work: () => Promise<unknown>): Promise<{ seconds: number; memory: number }> => {
  let memory = 0;
  const look = (): void => void (memory = Math.max(memory, process.memoryUsage.rss() / 1e6));
  const looking = setInterval(look, 20);
  const started = performance.now();
  try {
    await work();
  } finally {
    clearInterval(looking);
  }
  look();
  return { seconds: (performance.now() - started) / 1000, memory };
};

/** The export of a month of 10 million calls for accounting, beside a report of it. */
export const benchExport = async (report: BenchReport, scale: number): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-bench-'));
  const options = benchOptions(folder);
  const rows = Math.round(10 * million * scale);
  try {
    await (await openWarehouse(options))[Symbol.asyncDispose]();
    await fillCalls(options.path, [{ account, rows, ...month }]);
    await priceCalls(options.path);
    await coverCalls(options.path, { account, ...month });
    const warehouse = await openWarehouse(options);
    report.title(`FOCUS: a month of ${rows / million} million calls, 60 models and 2,000 keys`);
    const definition = await spendSummary();
    const asked = { account, period: 'last-month', rows };
    const summary = async () => buildSummary(warehouse, definition, asked);
    await summary();
    const usual = await measured(summary);
    report.figure('spend-summary over the month', usual.seconds, 's');
    report.figure('  the most memory', usual.memory, 'MB');
    const range = interval(unixSeconds(month.start), unixSeconds(month.end));
    const { net } = await warehouse.spend(account, range);
    const closed = await measured(async () => {
      const { state } = await warehouse.closed.close({
        account,
        month: '2026-10',
        zone: 'UTC',
        spend: net,
        currency: 'USD',
        verdict: 'agrees',
        reached: range.end,
        prices: [{ pattern: '*', currency: 'USD', input: money('2'), output: money('8') }],
      });
      if (state !== 'closed') throw new Error(`the month is ${state}`);
    });
    report.figure('closing the month', closed.seconds, 's');
    report.figure('  the most memory', closed.memory, 'MB');
    const slot = unixMillis(at('2026-11-21') * 1000);
    const names = { issuer: 'A', provider: 'A', accountId: 'A', accountName: 'A', service: 'LLM gateway' };
    const context: JobContext = {
      name: 'bench',
      runId: 'bench',
      slot,
      interval: { start: slot, end: slot },
      trigger: 'hand',
      account: {
        name: account,
        currency: 'USD',
        profile: unknownGateway,
        gateway: {} as Gateway,
        focus: names,
      },
      zone: 'UTC',
      locale: 'en',
      warehouse,
      spoolDirectory: options.spoolDirectory,
      reportDirectories: [],
      reports: { folder: join(folder, 'reports'), attachLimit: 0 },
      mail: undefined,
      clock: systemClock,
      log: silentLog,
      progress: noProgress,
      signal: new AbortController().signal,
    };
    for (const format of focusFormats) {
      const out = join(folder, format);
      let lines = 0;
      const exported = await measured(async () => {
        ({ rows: lines } = await exportFocus({ period: '2026-10', format }, context, fileIn(out)));
      });
      const sizes = await Promise.all(
        (await readdir(out)).map(async (name) => (await stat(join(out, name))).size),
      );
      report.figure(`exporting it as ${format}`, exported.seconds, 's');
      report.figure('  time, by the report', exported.seconds / usual.seconds, 'x');
      report.figure('  the most memory', exported.memory, 'MB');
      report.figure('  memory, by the report', exported.memory / usual.memory, 'x');
      report.row('  rows; MB', `${lines}; ${(sizes.reduce((sum, size) => sum + size, 0) / 1e6).toFixed(1)}`);
    }
    await warehouse[Symbol.asyncDispose]();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
