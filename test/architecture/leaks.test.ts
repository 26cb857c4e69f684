import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'leak-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs the suite's own settings over a file that leaks, in a temporary folder of its own. */
const runLeaky = (leave: string): Promise<{ code: number | null; output: string }> =>
  new Promise((resolve) => {
    const root = new URL('../..', import.meta.url).pathname;
    const argv = [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--config',
      'test/vitest.config.ts',
      'test/architecture/fixtures/leaky.ts',
    ];
    const child = spawn(process.execPath, argv, {
      cwd: root,
      env: { PATH: process.env['PATH'], TMPDIR: folder, LEAVE: leave, TOLLKEEPER_TESTS: 'leaky' },
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    child.on('close', (code) => resolve({ code, output }));
  });

it('an open server or a remaining folder fails the test run, and a clean one passes', async () => {
  const [server, left, clean] = await Promise.all([
    runLeaky('server'),
    runLeaky('folder'),
    runLeaky('nothing'),
  ]);
  expect(server.output).toContain('left open: TCPServerWrap');
  expect(server.code).not.toBe(0);
  expect(left.output).toContain('tests left files behind: tollkeeper-planted-');
  expect(left.code).not.toBe(0);
  expect([clean.code, clean.output]).toEqual([0, expect.stringContaining('2 passed')]);
});

it('a secret in any file, row, mail or output except a sink fails the test run', async () => {
  const { code, output } = await runLeaky('secrets');
  expect(code).not.toBe(0);
  for (const place of [
    /\/deep\/core\.123 \(plain\)/,
    /\/program\.log \(base64\)/,
    /rows of \/.*\/planted\.duckdb \(plain\)/,
    /output of runs \(plain\)/,
    /a mail \(plain\)/,
    /secrets are left in: .*\/shared/,
  ])
    expect(output).toMatch(place);
  expect(output).not.toContain('sink.env');
});
