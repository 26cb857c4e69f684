import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hostileNames, startSandbox } from '../../src/sandbox/index.ts';
import { buildProgram } from '../program/support/built-program.ts';
import type { BenchReport } from './report.ts';

/** Seconds that the event loop of a daemon may be blocked for. */
const target = 2;

/** Writes the longest delay of the event loop, in seconds, every 100 ms and resets it at SIGUSR2. */
const delayMonitor = (file: string): string => `import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
process.on('SIGUSR2', () => delay.reset());
setInterval(() => writeFileSync(${JSON.stringify(file)}, String(delay.max / 1e9)), 100).unref();
`;

const hostileSql: Readonly<Record<string, string>> = {
  'a list of two billion numbers': 'len(range(2000000000))',
  'two billion rows': '(SELECT count(*) FROM (SELECT unnest(generate_series(1, 2000000000::BIGINT))))',
  'a text of two billion characters': "length(repeat('x', 2000000000))",
  'a comparison of long texts': "max(levenshtein(repeat(model_name, 2000), repeat('ab', 20000)))",
};

const settingsOf = (baseUrl: string): string => `accounts:
  main: { base_url: "${baseUrl}", admin_key: "\${GATEWAY_ADMIN_KEY}" }
warehouse: { memory_limit: 256MB, threads: 1 }
health: { host: 127.0.0.1, port: 0 }
status: { port: 0 }
mail: { smtp: "smtp://127.0.0.1:1", from: a@example.com, operators: [b@example.com] }
`;

const jobs = (since: string): string => `jobs:
  pull-logs: { kind: pull-logs, schedule: "0 0 1 1 *", since: ${since}, retries: { limit: 0 } }
  pull-usage: { kind: pull-usage, schedule: "0 0 1 1 *", since: ${since}, retries: { limit: 0 } }
  snapshot: { kind: snapshot, schedule: "0 0 1 1 *", retries: { limit: 0 } }
  hostile: { kind: report, schedule: "0 0 1 1 *", report: hostile, mail: { to: [b@example.com] }, retries: { limit: 0 } }
`;

/** How long a daemon cannot answer while a gateway or a report is hostile. */
export const benchEventLoop = async (report: BenchReport, scale = 1): Promise<void> => {
  /** Of a list, as many as the scale says, and at least one. */
  const share = <T>(list: readonly T[]): readonly T[] => list.slice(0, Math.ceil(list.length * scale));
  report.title('event loop: longest block of a daemon');
  await using program = await buildProgram();
  const sandbox = await startSandbox({ now: Date.now, months: 1, callsPerDay: 20 });
  const folder = await mkdtemp(join(tmpdir(), 'event-loop-'));
  const write = async (path: string, text: string): Promise<void> => {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  try {
    const [delays, preload] = [join(folder, 'delay'), join(folder, 'preload.mjs')];
    await writeFile(preload, delayMonitor(delays));
    await write('config/tollkeeper.yaml', settingsOf(sandbox.baseUrl));
    await write(
      'config/jobs/jobs.yaml',
      jobs(new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10)),
    );
    const env = { PATH: process.env['PATH'], GATEWAY_ADMIN_KEY: sandbox.adminKey, TZ: 'UTC' };
    const place = { cwd: folder, env };
    await program.start(['reports', 'new', 'hostile'], place).ended;
    await using daemon = program.start(['serve'], {
      cwd: folder,
      env: { ...env, NODE_OPTIONS: `--import=${preload}` },
    });
    await daemon.line('"serving"');
    const blockOf = async (job: string): Promise<number> => {
      daemon.kill('SIGUSR2');
      await program.start(['run', job], place).ended;
      return Number(await readFile(delays, 'utf8'));
    };
    report.figure('a pull without hostility', await blockOf('pull-logs'), 's', target);
    const blocks: [string, number][] = [];
    for (const name of share(hostileNames)) {
      sandbox.state.hostile = name;
      const job = name.startsWith('csv') ? 'pull-logs' : name.startsWith('usage') ? 'pull-usage' : 'snapshot';
      blocks.push([name, await blockOf(job)]);
    }
    sandbox.state.hostile = 'none';
    const longest = blocks.toSorted((one, other) => other[1] - one[1]);
    for (const [name, seconds] of longest.slice(0, 5))
      report.figure(`gateway: ${name}`, seconds, 's', target);
    report.row('gateway: all others', `${Math.max(0, blocks.length - 5)} behaviours, shorter`);
    for (const [name, value] of share(Object.entries(hostileSql))) {
      await write(
        'config/reports/hostile/models.sql',
        `SELECT model_name, sum(calls) AS calls, sum(spend) AS spend, ${value} AS hostile
FROM cube WHERE period = 'current' GROUP BY 1 ORDER BY 1`,
      );
      report.figure(`report: ${name}`, await blockOf('hostile'), 's', target);
    }
  } finally {
    await sandbox.stop();
    await rm(folder, { recursive: true, force: true });
  }
};
