import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog, systemClock } from '../../src/core/index.ts';
import { openWarehouse } from '../../src/warehouse/index.ts';
import { buildProgram } from '../program/support/built-program.ts';
import { coverCalls, fillCalls } from './report-rows.ts';
import type { BenchReport } from './report.ts';

const million = 1_000_000;
const requests = 20;
/** Longer than the page looks back, in seconds. */
const span = 120 * 86_400;

const settings = `timezone: Europe/Berlin
accounts:
  main: { base_url: "http://127.0.0.1:9", admin_key: "\${ADMIN_KEY}", budget: { month: 100000 } }
warehouse: { path: data/bench.duckdb }
health: { host: 127.0.0.1, port: 0 }
status: { port: 0 }
teams:
${Array.from({ length: 20 }, (_, team) => `  team-${team}: { keys: ["team-${team}-*"], budget: { month: 5000 } }\n`).join('')}`;

const jobs = `jobs:
  pull-logs: { kind: pull-logs, since: 2026-01-01, schedule: "0 3 1 1 *" }
${Array.from({ length: 40 }, (_, job) => `  snapshot-${job}: { kind: snapshot, schedule: "${job} 3 1 1 *" }\n`).join('')}`;

/** Milliseconds of CPU that all threads of a process have used. */
const cpuSoFar = async (pid: number): Promise<number> => {
  const threads = await readdir(`/proc/${pid}/task`);
  const used = await Promise.all(
    threads.map(async (thread) =>
      Number((await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8')).split(' ')[0]),
    ),
  );
  return used.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
};

type Asked = { readonly cpu: number; readonly bytes: number };

const cpuOf = async (pid: number, address: string): Promise<Asked> => {
  const before = await cpuSoFar(pid);
  const answer = await fetch(address);
  const bytes = (await answer.arrayBuffer()).byteLength;
  if (!answer.ok) throw new Error(`the page answered ${answer.status}`);
  return { cpu: (await cpuSoFar(pid)) - before, bytes };
};

/** The whole status page over 10 million calls of 120 days, with 20 teams and 41 jobs. */
export const benchPage = async (report: BenchReport, scale = 1): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'tollkeeper-bench-'));
  try {
    const path = join(folder, 'data', 'bench.duckdb');
    const options = {
      path,
      memoryLimit: '1GB',
      threads: 2,
      spoolDirectory: join(folder, 'data', 'spool'),
      clock: systemClock,
      log: silentLog,
    };
    await (await openWarehouse(options))[Symbol.asyncDispose]();
    const end = Math.floor(systemClock.now() / 1000);
    const range = { account: 'main', start: end - span, end };
    await fillCalls(path, [{ ...range, rows: Math.round(10 * million * scale) }]);
    await coverCalls(path, range);
    await mkdir(join(folder, 'config', 'jobs'), { recursive: true });
    await writeFile(join(folder, 'config', 'tollkeeper.yaml'), settings);
    await writeFile(join(folder, 'config', 'jobs', 'jobs.yaml'), jobs);
    await using program = await buildProgram();
    const env = { PATH: process.env['PATH'], ADMIN_KEY: 'an-admin-key-that-opens-nothing' };
    await using daemon = program.start(['serve'], { cwd: folder, env });
    const { page } = JSON.parse(await daemon.line('"serving"')) as { readonly page: string };
    const ask = async (query = ''): Promise<Asked> => cpuOf(daemon.pid, `http://${page}/${query}`);
    report.title(
      `Status page over ${10 * scale} million calls of 60 models and 2,000 keys: CPU of the daemon`,
    );
    const first = await ask();
    report.figure('the first, which builds the rollup', first.cpu / 1000, 's');
    report.figure('the first of a team, from the rollup', (await ask('?team=team-1')).cpu / 1000, 's');
    const warm: number[] = [];
    for (let round = 0; round < requests; round += 1) warm.push((await ask()).cpu);
    const sorted = warm.toSorted((left, right) => left - right);
    const median = ((sorted[requests / 2 - 1] ?? 0) + (sorted[requests / 2] ?? 0)) / 2;
    report.figure(`the page, median of ${requests}`, median, 'ms', 150);
    report.figure('  its HTML', first.bytes / 1000, 'kB');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
