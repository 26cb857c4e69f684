import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { catalogue } from '../../../src/core/fault-catalogue.ts';
import { startSandbox } from '../../../src/sandbox/index.ts';
import { openFolder } from '../../support/program.ts';
import type { BuiltProgram } from './built-program.ts';

/** Limits of one command, above what Node and DuckDB take without any data. */
const cpuSeconds = 20;
const peakMegabytes = 600;

export const since = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10);

/** The jobs and commands that read what a behaviour spoils, by the start of its name. */
const affected: readonly (readonly [RegExp, readonly (readonly string[])[]])[] = [
  [/^csv-/, [['run', 'pull-logs']]],
  [/^usage-/, [['run', 'pull-usage']]],
  [/^keys?-/, [['keys'], ['run', 'snapshot'], ['run', 'expire']]],
  [/^statistics-/, [['run', 'snapshot']]],
  [/^json-(long|count)/, [['run', 'snapshot']]],
  [/^json-surrogates/, [['keys'], ['run', 'snapshot']]],
  [
    /./,
    [
      ['run', 'snapshot'],
      ['run', 'pull-logs'],
      ['run', 'pull-usage'],
    ],
  ],
];
/** Commands that a hostile gateway could affect. */
export const everyCommand: readonly (readonly string[])[] = [
  ['run', 'pull-logs'],
  ['run', 'pull-usage'],
  ['run', 'snapshot'],
  ['run', 'expire'],
  ['run', 'rotate'],
  ['keys'],
  ['keys', 'plan'],
  ['doctor'],
  ['reconcile', '--from', since, '--to', new Date().toISOString().slice(0, 10)],
  ['status'],
];
export const affectedCommands = (name: string): readonly (readonly string[])[] =>
  affected.find(([pattern]) => pattern.test(name))?.[1] ?? [];

const openHostile = async (program: BuiltProgram, hostile: string) => {
  const [folder, sandbox] = await Promise.all([
    openFolder(),
    startSandbox({ now: Date.now, months: 1, callsPerDay: 20 }),
  ]);
  await folder.write(
    'config/tollkeeper.yaml',
    `accounts:
  main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}" }
warehouse: { memory_limit: 256MB, threads: 1 }
`,
  );
  await folder.write(
    'config/jobs/jobs.yaml',
    `jobs:
  pull-logs: { kind: pull-logs, schedule: "7 * * * *", since: ${since} }
  pull-usage: { kind: pull-usage, schedule: "20 1 * * *", since: ${since} }
  snapshot: { kind: snapshot, schedule: "0 * * * *" }
  expire: { kind: expire-keys, schedule: "0 4 * * *", keys: { name: "*" }, by: idle, stages: { delete: 400d } }
  rotate:
    kind: rotate-keys
    schedule: "0 3 * * 1"
    keys: { name: "growth*" }
    every: 30d
    overlap: 1h
    deliver: [{ file: { path: "secrets/{service}.env", variable: KEY } }]
`,
  );
  const usage = join(folder.path, 'usage.json');
  const preload = await folder.write(
    'preload.mjs',
    `import { writeFileSync } from 'node:fs';
process.on('exit', () => writeFileSync(${JSON.stringify(usage)}, JSON.stringify(process.resourceUsage())));`,
  );
  sandbox.state.hostile = hostile;
  return {
    run: async (...argv: readonly string[]) => {
      const main = join(program.folder, 'dist/main.js');
      const child = spawn(
        'bash',
        [
          '-c',
          `ulimit -t ${cpuSeconds}; exec "$0" "$@"`,
          process.execPath,
          '--import',
          preload,
          main,
          ...argv,
        ],
        {
          cwd: folder.path,
          stdio: ['ignore', 'pipe', 'pipe'],
          env: {
            PATH: process.env['PATH'],
            GATEWAY_BASE_URL: sandbox.baseUrl,
            GATEWAY_ADMIN_KEY: sandbox.adminKey,
            TZ: 'UTC',
          },
        },
      );
      const output = { stdout: '', stderr: '' };
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
      const [code] = (await once(child, 'close')) as [number | null];
      const { maxRSS, userCPUTime, systemCPUTime } = JSON.parse(
        await readFile(usage, 'utf8').catch(() => '{}'),
      ) as NodeJS.ResourceUsage;
      return { code, ...output, megabytes: maxRSS / 1024, seconds: (userCPUTime + systemCPUTime) / 1e6 };
    },
    [Symbol.asyncDispose]: async () => {
      await sandbox.stop();
      await folder[Symbol.asyncDispose]();
    },
  };
};

/** Codes of the catalogue in what a command prints. */
const codesIn = (stderr: string): readonly string[] =>
  [...stderr.replaceAll(/\s+/g, ' ').matchAll(/\(([a-z]+(?:-[a-z]+)+)\)/g)]
    .map(([, code = '']) => code)
    .filter((code) => Object.hasOwn(catalogue, code));

/** Plays the behaviour against each command, under process limits: it continues with the valid data, or ends with an error of the catalogue. */
export const playHostile = async (
  program: BuiltProgram,
  name: string,
  commands: readonly (readonly string[])[],
): Promise<void> => {
  await using fixture = await openHostile(program, name);
  for (const argv of commands) {
    const ran = await fixture.run(...argv);
    const what = `tollkeeper ${argv.join(' ')}: ${ran.stderr.slice(-2000)}`;
    // 2: without a call log, some commands have nothing to work on.
    expect([0, 1, 2], what).toContain(ran.code);
    expect(ran.seconds, what).toBeLessThan(cpuSeconds);
    expect(ran.megabytes, what).toBeLessThan(peakMegabytes);
    const shown = ran.stdout + ran.stderr;
    // oxlint-disable-next-line no-control-regex -- those that a terminal would interpret
    expect(shown, what).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    expect(shown).not.toContain('sk-Hostile0123456789');
    if (ran.code === 2 || (ran.code === 1 && argv[0] === 'run'))
      expect(codesIn(ran.stderr), what).not.toEqual([]);
  }
};
