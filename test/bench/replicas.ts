import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseUrlOf, silentLog, systemClock } from '../../src/core/index.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { openSharedWarehouse, type Warehouse } from '../../src/warehouse/index.ts';
import { buildProgram, type Running } from '../program/support/built-program.ts';
import { startPostgres, type PostgresCluster } from '../support/postgres-cluster.ts';
import { openBenchDatabase } from './ingest-pull.ts';
import { inFolder, measureYear, withYear } from './ingest.ts';
import { memoryOf } from './process-figures.ts';
import { buildSummary, at, measure, spendSummary } from './report-speed.ts';
import { coverPostgres, fillPostgres } from './report-rows.ts';
import type { BenchReport } from './report.ts';

const jobsOfAccount = 20;

/** `period` in seconds: each job is due once in it, at a second of its own. */
type Load = { readonly accounts: number; readonly period: number };

const loadAt = (scale: number): Load =>
  scale < 0.1 ? { accounts: Math.ceil(100 * scale), period: 10 } : { accounts: 100, period: 300 };

const openShared = async (url: string, folder: string): Promise<Warehouse> =>
  openSharedWarehouse(await openBenchDatabase(url), {
    path: join(folder, 'data', 'bench.duckdb'),
    spoolDirectory: join(folder, 'spool'),
    memoryLimit: '1GB',
    threads: 2,
    clock: systemClock,
    log: silentLog,
  });

/** A year of calls in twelve windows, into PostgreSQL and into a database file, one after the other. */
const measureLanding = async (
  report: BenchReport,
  cluster: PostgresCluster,
  { millions, rounds }: { readonly millions: number; readonly rounds: number },
): Promise<void> =>
  inFolder((folder) =>
    withYear(folder, millions, async (source) => {
      report.title(`${source.rows} rows of a year in twelve windows`);
      const ratios: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const file = await measureYear(folder, source);
        const shared = await measureYear(folder, source, await cluster.createUrl());
        for (const [name, { wall, cpu, peak }] of [
          ['into a database file', file],
          ['into PostgreSQL', shared],
        ] as const)
          report.row(name, `${wall.toFixed(2)} s, processor ${cpu.toFixed(2)} s, peak ${peak.toFixed(0)} MB`);
        ratios.push(shared.wall / file.wall);
      }
      const median = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? Number.NaN;
      report.figure('time of PostgreSQL against the file', median, 'times', 2.5);
    }),
  );

const measureReport = async (report: BenchReport, cluster: PostgresCluster, scale: number): Promise<void> =>
  inFolder(async (folder) => {
    const url = await cluster.createUrl();
    const name = databaseUrlOf(url)?.url.pathname.slice(1);
    await (await openShared(url, folder))[Symbol.asyncDispose]();
    const rows = Math.round(10_000_000 * scale);
    for (const [count, from, to] of [
      [rows / 2, '2026-09-01', '2026-10-01'],
      [rows, '2026-10-01', '2026-11-01'],
    ] as const)
      await cluster.execute(
        fillPostgres({ account: 'month', rows: Math.round(count), start: at(from), end: at(to) }),
        name,
      );
    const covered = { account: 'month', start: at('2026-09-01'), end: at('2026-11-01') };
    await cluster.execute(coverPostgres(covered), name);
    const warehouse = await openShared(url, folder);
    report.title(`A report of a month of ${rows / 1_000_000} million calls in PostgreSQL`);
    const definition = await spendSummary();
    const asked = { account: 'month', period: 'last-month', rows };
    const began = performance.now();
    await buildSummary(warehouse, definition, asked);
    report.figure('the first, which builds the rollup', (performance.now() - began) / 1000, 's');
    const { seconds } = await measure(() => buildSummary(warehouse, definition, asked));
    report.figure('further ones', seconds, 's', 1);
    await warehouse[Symbol.asyncDispose]();
  });

/** Each pulls what the gateway serves since the account was pulled last, and compares it with the statistics. */
const jobsOf = (since: string, { accounts, period }: Load): string => {
  const lines: string[] = [];
  for (let job = 0; job < accounts * jobsOfAccount; job += 1) {
    const second = (job * 7919) % period;
    const schedule =
      period < 60
        ? `${second}-59/${period} * * * * *`
        : `${second % 60} ${Math.floor(second / 60)}-59/${period / 60} * * * *`;
    lines.push(
      `  job-${job}: { kind: pull-logs, account: account-${Math.floor(job / jobsOfAccount)}, since: ${since}, lag: 1s, schedule: "${schedule}" }`,
    );
  }
  return `jobs:\n${lines.join('\n')}\n`;
};

const measureReplicas = async (
  report: BenchReport,
  cluster: PostgresCluster,
  scale: number,
): Promise<void> => {
  const load = loadAt(scale);
  const { accounts, period } = load;
  report.title(
    `${accounts} accounts with ${jobsOfAccount} jobs each, every ${period} s, over three replicas`,
  );
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-bench-'));
  const url = await cluster.createUrl();
  await using program = await buildProgram();
  const sandbox = await startSandbox({ now: Date.now, months: 1, callsPerDay: 1000 });
  const daemons: Running[] = [];
  try {
    const names = Array.from({ length: accounts }, (_, nth) => `account-${nth}`);
    const settings = `accounts:
${names.map((name) => `  ${name}: { base_url: "${sandbox.baseUrl}", admin_key: "\${GATEWAY_ADMIN_KEY}" }`).join('\n')}
database: "${url}"
scheduler: { max_running: 16 }
health: { host: 127.0.0.1, port: 0 }
status: { port: 0 }
`;
    const jobs = jobsOf(new Date(Date.now() - 86_400_000).toISOString().slice(0, 10), load);
    for (const nth of [0, 1, 2]) {
      await mkdir(join(folder, `config-${nth}/jobs`), { recursive: true });
      await writeFile(
        join(folder, `config-${nth}/tollkeeper.yaml`),
        `${settings}warehouse: { path: data-${nth}/tollkeeper.duckdb }\n`,
      );
      await writeFile(join(folder, `config-${nth}/jobs/jobs.yaml`), jobs);
      const env = { NODE_ENV: 'production', TZ: 'UTC', GATEWAY_ADMIN_KEY: sandbox.adminKey };
      daemons.push(program.start(['serve', '--config', `config-${nth}`], { cwd: folder, env }));
    }
    await Promise.any(daemons.map((daemon) => daemon.line('"serving"')));
    // The first pull of each account lands a day, which later ones do not.
    const settled = Date.now() + period * 1000;
    await sleep(2 * period * 1000);
    for (const [nth, { pid }] of daemons.entries())
      report.figure(`memory of replica ${nth + 1}, the most`, (await memoryOf(pid)).peak, 'MB', 500);
    for (const daemon of daemons) daemon.kill('SIGTERM');
    for (const daemon of daemons) await daemon.ended;
    await using warehouse = await openShared(url, folder);
    const runs = (await warehouse.runs.list({ limit: 100_000 })).filter(
      ({ slot, startedAt }) => slot > settled && startedAt !== undefined,
    );
    const failed = runs.filter(({ state }) => state !== 'ok');
    const lags = runs
      .map(({ slot, startedAt = slot }) => (startedAt - slot) / 1000)
      .toSorted((a, b) => a - b);
    report.row('runs', `${runs.length}, of which ${failed.length} did not succeed`);
    report.figure('lag of a slot, median', lags[Math.floor(lags.length / 2)] ?? Number.NaN, 's');
    report.figure('lag of a slot, 99 of 100', lags[Math.floor(lags.length * 0.99)] ?? Number.NaN, 's', 5);
  } finally {
    for (const daemon of daemons) await daemon[Symbol.asyncDispose]();
    await sandbox.stop();
    await rm(folder, { recursive: true, force: true });
  }
};

/** Landing and reports over PostgreSQL, and replicas with many accounts. */
export const benchReplicas = async (
  report: BenchReport,
  options: { readonly millions: number; readonly rounds: number; readonly scale: number },
): Promise<void> => {
  await using cluster = await startPostgres({ connections: 100 });
  await measureLanding(report, cluster, options);
  await measureReport(report, cluster, options.scale);
  await measureReplicas(report, cluster, options.scale);
};
