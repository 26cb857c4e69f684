import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildProgram, type BuiltProgram } from '../program/support/built-program.ts';
import { processorTimeOf } from './process-figures.ts';
import type { BenchReport } from './report.ts';

/** Each command runs so many times at the usual size; the median counts. */
const usualRounds = 7;

/** Seconds of CPU, user and system, that a command may take. */
const targets = { help: 0.15, check: 0.8, status: 0.4, serve: 2 };

const median = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;

/** Writes the CPU of the whole process, from its start, when it ends. */
const atExit = (file: string): string =>
  `data:text/javascript,${encodeURIComponent(
    `import { writeFileSync } from 'node:fs';
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeFileSync(${JSON.stringify(file)}, String((user + system) / 1e6));
});`,
  )}`;

type Place = { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly rounds: number };

const cpuOf = async (argv: readonly string[], { cwd, env, rounds }: Place): Promise<number> => {
  const folder = await mkdtemp(join(tmpdir(), 'start-up-'));
  try {
    const file = join(folder, 'cpu');
    const seconds: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await writeFile(file, '');
      const child = spawn(process.execPath, ['--import', atExit(file), ...argv], {
        cwd,
        env,
        stdio: 'ignore',
      });
      await once(child, 'close');
      // 1 says that something needs a person.
      if (child.exitCode !== 0 && child.exitCode !== 1)
        throw new Error(`${argv.join(' ')} ended with ${child.exitCode}`);
      seconds.push(Number(await readFile(file, 'utf8')));
    }
    return median(seconds);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const env = {
  GATEWAY_BASE_URL: 'https://gateway.example.com',
  GATEWAY_ADMIN_KEY: 'an admin key of nobody',
  SMTP_URL: 'smtp://user:password@mail.example.com:587',
};

const settings = `accounts:
  main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}" }
status: { enabled: false }
health: { host: 127.0.0.1, port: 0 }
`;

/** Seconds that a daemon takes until it serves, of CPU and of the clock; the first one creates the database. */
const readyAfter = async (program: BuiltProgram, place: Place): Promise<{ cpu: number; wall: number }> => {
  const cpu: number[] = [];
  const wall: number[] = [];
  for (let round = 0; round < place.rounds; round += 1) {
    const begin = performance.now();
    await using daemon = program.start(['serve'], place);
    await daemon.line('"serving"');
    wall.push((performance.now() - begin) / 1000);
    cpu.push(await processorTimeOf(daemon.pid));
    daemon.kill('SIGTERM');
    await daemon.ended;
  }
  return { cpu: median(cpu), wall: median(wall) };
};

/** What commands cost before they do anything, beside a Node process that does nothing. */
export const benchStartUp = async (report: BenchReport, scale = 1): Promise<void> => {
  const rounds = Math.ceil(usualRounds * scale);
  report.title(`start-up: CPU, user and system, median of ${rounds}`);
  const folder = await mkdtemp(join(tmpdir(), 'start-up-config-'));
  const place = { cwd: folder, env, rounds };
  await using program = await buildProgram();
  const main = join(program.folder, 'dist/main.js');
  try {
    await mkdir(join(folder, 'config'));
    await writeFile(join(folder, 'config/tollkeeper.yaml'), settings);
    report.figure('node -e 0', await cpuOf(['-e', '0'], place), 's');
    report.figure('tollkeeper --help', await cpuOf([main, '--help'], place), 's', targets.help);
    const check = await cpuOf([main, 'check', '--config', resolve('config')], place);
    report.figure('tollkeeper check, shipped config', check, 's', targets.check);
    report.figure('tollkeeper status, without a daemon', await cpuOf([main, 'status'], place), 's');
    const ready = await readyAfter(program, place);
    report.figure('tollkeeper serve, until it serves', ready.cpu, 's', targets.serve);
    report.row('', `${ready.wall.toFixed(2)} s of the clock`);
    await using daemon = program.start(['serve'], place);
    await daemon.line('"serving"');
    const status = await cpuOf([main, 'status'], place);
    report.figure('tollkeeper status, with a daemon', status, 's', targets.status);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
