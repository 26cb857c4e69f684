import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { manualClock } from '../support/manual-clock.ts';
import { openFolder, defaultConfig, type Folder } from '../support/program.ts';

const now = Date.UTC(2026, 10, 21, 6, 3, 7);
const command = promisify(execFile);

let folder: Folder;
let sandbox: Sandbox;
let disk: string;

/** A real file system of a few megabytes; mounting it takes root, which CI has. */
beforeEach(async () => {
  folder = await openFolder();
  disk = `${folder.path}/data`;
  await mkdir(disk);
  await command('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', disk]);
  sandbox = await startSandbox({ now: () => now, months: 1, callsPerDay: 2000 });
  await defaultConfig(folder);
});
afterEach(async () => {
  await sandbox.stop();
  await command('umount', [disk]);
  await folder[Symbol.asyncDispose]();
});

it('a full disk is reported and leaves no partial file, and the next run succeeds once there is space', async () => {
  const env = {
    GATEWAY_BASE_URL: sandbox.baseUrl,
    GATEWAY_ADMIN_KEY: sandbox.adminKey,
    SMTP_URL: 'smtp://127.0.0.1:1',
  };
  const run = (...argv: string[]) => folder.run(argv, { env, clock: manualClock(now) });
  const full = await run('run', 'pull-logs');
  expect(full.stderr).toContain('disk-full');
  expect(full.stderr).toContain('what to do: free space');
  expect(full.code).toBe(1);

  await command('mount', ['-o', 'remount,size=300m', disk]);
  expect((await folder.files()).filter((file) => file.includes('spool'))).toEqual([]);
  const plan = await run('run', 'pull-logs', '--dry-run');
  expect(plan.stdout).toContain('from 2026-10-22 00:00 UTC');
  const whole = JSON.parse((await run('run', 'pull-logs', '--json')).stdout) as {
    figures: { rows: number; quota: string };
  };
  const truth = sandbox.truth.sums(Date.UTC(2026, 9, 22) / 1000, Math.floor(now / 1000) - 600);
  expect(whole.figures).toMatchObject({ rows: truth.rows, quota: truth.quota });
});
