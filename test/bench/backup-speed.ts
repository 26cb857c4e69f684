import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { promisify } from 'node:util';
import { silentLog, systemClock } from '../../src/core/index.ts';
import { openWarehouse } from '../../src/warehouse/index.ts';
import { buildProgram, type BuiltProgram, type Running } from '../program/support/built-program.ts';
import { inOwnProcess, startServer } from './ingest-children.ts';
import { processorTimeOf } from './process-figures.ts';
import { coverCalls, fillCalls } from './report-rows.ts';
import type { BenchReport } from './report.ts';

const day = 86_400;
const days = 120;

/**
 * The most that a backup stores after a further day, as a part of what the first one stored. Of fewer calls it may be
 * more: DuckDB rewrites the last 122,880 rows, which are an eighth of a million.
 */
const mostNew = 0.1;

const settings = `timezone: UTC
accounts:
  main: { base_url: "http://127.0.0.1:9", admin_key: "\${ADMIN_KEY}" }
warehouse: { path: data/bench.duckdb }
health: { host: 127.0.0.1, port: 0 }
status: { port: 0 }
`;

const jobs = `jobs:
  drill: { kind: restore-drill, from: ../backups, schedule: "0 3 1 1 *" }
`;

const env = { PATH: process.env['PATH'], ADMIN_KEY: 'an-admin-key-that-opens-nothing', TZ: 'UTC' };

type Taken = { readonly bytes: number; readonly newBytes: number; readonly heldFor: number };

type Place = { readonly program: BuiltProgram; readonly cwd: string };

const writeConfig = async (cwd: string): Promise<void> => {
  await mkdir(join(cwd, 'config', 'jobs'), { recursive: true });
  await writeFile(join(cwd, 'config', 'tollkeeper.yaml'), settings);
  await writeFile(join(cwd, 'config', 'jobs', 'jobs.yaml'), jobs);
};

/** Runs one command of the program, and returns its output and the seconds it took. */
const command = async ({ program, cwd }: Place, ...argv: readonly string[]) => {
  const started = performance.now();
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(program.folder, 'dist/main.js'), ...argv],
    { cwd, env, maxBuffer: 2 ** 26 },
  );
  return { stdout, seconds: (performance.now() - started) / 1000 };
};

const withDaemon = async <T>(place: Place, work: (daemon: Running) => Promise<T>): Promise<T> => {
  const daemon = place.program.start(['serve'], { cwd: place.cwd, env });
  try {
    await daemon.line('"serving"');
    const result = await work(daemon);
    daemon.kill('SIGTERM');
    await daemon.ended;
    return result;
  } finally {
    await daemon[Symbol.asyncDispose]();
  }
};

const megabytes = (bytes: number): number => bytes / 1e6;

/** Lands a further day as an hourly pull does, over HTTP. */
const pullDay = async (folder: string, database: string, from: number, rows: number): Promise<void> => {
  const file = join(folder, 'day.csv');
  await inOwnProcess({ kind: 'write', file, rows, start: from, end: from + day });
  await using server = await startServer(file);
  const ends = Array.from({ length: 24 }, (_, hour) => from + (hour + 1) * 3600);
  const start = from - days * day;
  const task = { database, port: server.port, start, ends, windowSeconds: day, again: false };
  const { rows: landed } = await inOwnProcess({ kind: 'pull', ...task });
  if (landed !== rows) throw new Error(`${landed} rows were landed, not ${rows}`);
};

/** Backups of 10 million calls of 120 days, and of one day more; then a restore and a drill. */
export const benchBackup = async (report: BenchReport, scale = 1): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-bench-'));
  try {
    const [cwd, other, target] = ['source', 'restored', 'backups'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const database = join(cwd, 'data', 'bench.duckdb');
    await writeConfig(cwd);
    await writeConfig(other);
    const spoolDirectory = join(cwd, 'data', 'spool');
    const options = { path: database, memoryLimit: '1GB', threads: 2, spoolDirectory };
    await (await openWarehouse({ ...options, clock: systemClock, log: silentLog }))[Symbol.asyncDispose]();
    const rows = Math.round(10_000_000 * scale);
    const end = Math.floor(systemClock.now() / 1000 / day - 1) * day;
    const range = { account: 'main', start: end - days * day, end };
    await fillCalls(database, [{ ...range, rows }]);
    await coverCalls(database, range);
    await using program = await buildProgram();
    const place = { program, cwd };
    const dateOf = (at: number): string => new Date(at * 1000).toISOString().slice(0, 10);
    const sql = 'SELECT sum(calls) AS calls, sum(spend) AS spend FROM cube';
    /** The sums of all days before `until`; they build the rollup of these days. */
    const sums = async (at: Place, until: number): Promise<string> => {
      const period = `${dateOf(range.start)}..${dateOf(until)}`;
      return (await command(at, 'query', sql, '--period', period, '--format', 'json')).stdout;
    };
    const back = async (daemon: Running, title: string, to: string): Promise<Taken> => {
      const before = await processorTimeOf(daemon.pid);
      const { stdout, seconds } = await command(place, 'backup', to, '--json');
      const taken = JSON.parse(stdout) as Taken;
      report.title(title);
      report.figure('time of the command', seconds, 's');
      report.figure('CPU of the daemon', (await processorTimeOf(daemon.pid)) - before, 's');
      report.figure('for which the rest waited', taken.heldFor / 1000, 's');
      report.figure('bytes of the data', megabytes(taken.bytes), 'MB');
      report.figure('bytes that were stored', megabytes(taken.newBytes), 'MB');
      return taken;
    };
    const first = await withDaemon(place, async (daemon) => {
      await sums(place, end);
      return back(daemon, `First backup of ${rows} calls`, target);
    });
    await pullDay(folder, database, end, Math.round(rows / days));
    const second = await withDaemon(place, async (daemon) => {
      const before = await sums(place, end + day);
      const taken = await back(daemon, 'Second backup, after a further day was pulled hour by hour', target);
      const part = taken.newBytes / first.newBytes;
      report.figure('stored, by those of the first', part, 'x', scale < 1 ? undefined : mostNew);
      await back(daemon, 'Third backup, after nothing was pulled', target);
      await back(daemon, 'Backup into one file', join(folder, 'whole.tar'));

      report.title('Restore and drill');
      const cpu = await processorTimeOf(daemon.pid);
      report.figure('drill', (await command(place, 'run', 'drill')).seconds, 's');
      report.figure('  CPU of the daemon', (await processorTimeOf(daemon.pid)) - cpu, 's');
      return { before };
    });
    const restored = { program, cwd: other };
    report.figure('verification', (await command(restored, 'restore', target, '--verify')).seconds, 's');
    report.figure('restore', (await command(restored, 'restore', target)).seconds, 's');
    if ((await sums(restored, end + day)) !== second.before) throw new Error('the restored sums differ');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
