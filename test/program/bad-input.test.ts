import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { manualClock } from '../support/manual-clock.ts';
import { openFolder, defaultConfig, type Folder } from '../support/program.ts';

const now = Date.UTC(2026, 10, 21, 6, 3, 7);
const adminKeys = [
  {
    key: 'sk-admin-all-of-the-scopes',
    scopes: ['account:read', 'logs:read', 'usage:read', 'keys:read', 'keys:write'],
  },
  { key: 'sk-admin-without-the-logs', scopes: ['account:read'] },
] as const;

let folder: Folder;
let sandbox: Sandbox;
let env: Record<string, string | undefined>;

beforeEach(async () => {
  folder = await openFolder();
  sandbox = await startSandbox({ now: () => now, months: 1, callsPerDay: 20, adminKeys });
  await defaultConfig(folder);
  env = {
    GATEWAY_BASE_URL: sandbox.baseUrl,
    GATEWAY_ADMIN_KEY: sandbox.adminKey,
    SMTP_URL: 'smtp://127.0.0.1:1',
  };
});
afterEach(async () => {
  await sandbox.stop();
  await folder[Symbol.asyncDispose]();
});

const run = (...argv: string[]) => folder.run(argv, { env, clock: manualClock(now) });

/** What a failed pull must leave behind: no spool file, and a warehouse without a row. */
const nothingHalfWritten = async () => {
  expect((await folder.files()).filter((file) => file.includes('spool'))).toEqual([]);
  env = { ...env, GATEWAY_BASE_URL: sandbox.baseUrl, GATEWAY_ADMIN_KEY: adminKeys[0].key };
  sandbox.faults.clear();
  const plan = await run('run', 'pull-logs', '--dry-run');
  expect(plan.stdout).toContain('from 2026-10-22 00:00 UTC');
};

describe('a problem of the gateway', () => {
  it.each([
    ['a wrong key', { GATEWAY_ADMIN_KEY: 'sk-admin-wrong-wrong' }, /admin_key|refused/i, 1],
    ['a missing scope', { GATEWAY_ADMIN_KEY: adminKeys[1].key }, /logs:read/, 1],
    ['an unreachable host', { GATEWAY_BASE_URL: 'http://127.0.0.1:1' }, /127\.0\.0\.1/, 1],
    ['a host that does not exist', { GATEWAY_BASE_URL: 'https://gateway.invalid' }, /gateway\.invalid/, 1],
    ['a plain http address', { GATEWAY_BASE_URL: 'http://gateway.example.com' }, /https/, 2],
  ])('%s is reported with a next step, and nothing is written', async (_, wrong, message, code) => {
    env = { ...env, ...wrong };
    const ran = await run('run', 'pull-logs');
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr).toContain('what to do:');
    expect(ran.code).toBe(code);
    expect(ran.stderr + ran.stdout).not.toMatch(/wrong-wrong|without-the-logs/);
    await nothingHalfWritten();
  });

  it('is reported for an untrusted certificate', async () => {
    const fixture = (name: string) => readFile(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8');
    const secure = await startSandbox({
      now: () => now,
      months: 1,
      tls: { key: await fixture('stranger.key'), cert: await fixture('stranger.pem') },
    });
    try {
      env = { ...env, GATEWAY_BASE_URL: secure.baseUrl };
      const ran = await run('run', 'pull-logs');
      expect(ran.code).toBe(1);
      expect(ran.stderr).toMatch(/certificate/);
      expect(ran.stderr).toContain('tls.ca');
      await nothingHalfWritten();
    } finally {
      await secure.stop();
    }
  });

  it('is reported for a redirect, and the key is not sent there', async () => {
    const seen: unknown[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers);
      response.end('{}');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = other.address() as AddressInfo;
      sandbox.faults.plant({ kind: 'redirect', location: `http://127.0.0.1:${port}/`, times: 9 });
      const ran = await run('run', 'pull-logs');
      expect(ran.code).toBe(1);
      expect(ran.stderr).toMatch(/redirect/);
      expect(seen).toEqual([]);
      await nothingHalfWritten();
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });
});

describe('a broken export', () => {
  // More often than a pull asks in all, with its retries and its halved windows.
  const log = { path: '/api/log/self/stream-export', times: 99 };
  it.each([
    [
      'cut off with the connection',
      { kind: 'cut-off', rows: 40, end: 'destroyed' },
      /ended early|truncated|lost/,
    ],
    [
      'cut off in mid-row, closed cleanly',
      { kind: 'cut-off', rows: 40, end: 'clean' },
      /ended early|truncated/,
    ],
    [
      'JSON instead of CSV',
      { kind: 'envelope', message: 'export is being prepared' },
      /export is being prepared/,
    ],
    ['a page instead of CSV', { kind: 'html' }, /CSV/],
    ['an error of the gateway', { kind: 'status', status: 503 }, /503/],
    ['a rate limit without Retry-After', { kind: 'rate-limit' }, /429|too many|rate/i],
  ] as const)('%s: is named, nothing stays', async (_, broken, message) => {
    sandbox.faults.plant({ ...log, ...broken, skip: broken.kind === 'cut-off' ? 1 : 0 });
    const ran = await run('run', 'pull-logs');
    expect(ran.stderr).toMatch(message);
    expect(ran.stderr).toContain('what to do:');
    expect(ran.code).toBe(1);
    await nothingHalfWritten();
  });

  it('is reported for a truncated usage export', async () => {
    const jobs = await readFile(`${folder.path}/config/jobs/spend.yaml`, 'utf8');
    await folder.write(
      'config/jobs/spend.yaml',
      jobs.replace('kind: pull-usage,', 'kind: pull-usage, top_n: 2,'),
    );
    const ran = await run('run', 'pull-usage');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/top_n/);
  });
});

describe('a problem of the configuration', () => {
  it('is reported with file, line and column for a malformed line', async () => {
    await folder.write('config/jobs/broken.yaml', 'jobs:\n  a: { kind: report,\n  b: ]\n');
    const ran = await run('check');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/config\/jobs\/broken\.yaml:\d+:\d+: /);
    expect((await run('run', 'pull-logs')).code).toBe(2);
  });

  it('is reported together with all others: an unknown key with a suggestion, a missing secret, an unknown report', async () => {
    env = { ...env, GATEWAY_ADMIN_KEY: undefined };
    await folder.write(
      'config/jobs/more.yaml',
      `jobs:
  pull: { kind: pull-logs, sinse: 2026-01-01, since: 2026-01-01 }
  mail-it: { kind: report, report: spend-sumary, mail: { to: [finance@example.com] } }
`,
    );
    const ran = await run('check');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('more.yaml:2:');
    expect(ran.stdout).toMatch(/sinse.*\n.*since/);
    expect(ran.stdout).toContain('GATEWAY_ADMIN_KEY');
    expect(ran.stdout).toMatch(/spend-sumary/);
    expect(ran.stdout).toContain('3 faults');
  });

  it('is exit code 2 and a next step for a missing folder, unknown job, unknown period and unknown command', async () => {
    for (const argv of [
      ['check', '--config', 'nowhere'],
      ['run', 'no-such-job'],
      ['report', 'spend-summary', '--period', 'someday'],
      ['report', 'no-such-report'],
      ['fly'],
      ['run'],
      ['sandbox', '--variant', 'created_at=never'],
    ]) {
      const ran = await run(...argv);
      expect([argv, ran.code]).toEqual([argv, argv[0] === 'check' ? 1 : 2]);
      expect(ran.stderr + ran.stdout).not.toBe('');
    }
  });
});

describe('a problem of disk or database', () => {
  it('is reported with the process that holds the database', async () => {
    const file = await folder.write(
      'hold.mjs',
      `
      import { DuckDBInstance } from ${JSON.stringify(import.meta.resolve('@duckdb/node-api'))};
      const instance = await DuckDBInstance.create(process.argv[2]);
      process.stdout.write('open');
      process.stdin.resume();
      process.stdin.on('end', () => instance.closeSync());`,
    );
    await folder.write('data/beside', '');
    const held = promisify(execFile)(process.execPath, [file, `${folder.path}/data/tollkeeper.duckdb`]);
    try {
      await new Promise((resolve) => held.child.stdout?.once('data', resolve));
      const ran = await run('run', 'pull-logs');
      expect(ran.code).toBe(1);
      expect(ran.stderr).toMatch(/another process|held by/);
      expect(ran.stderr).toContain('what to do:');
    } finally {
      held.child.stdin?.end();
      await held;
    }
    await nothingHalfWritten();
  });

  it('is reported for a file that is not a database', async () => {
    await folder.write(
      'data/tollkeeper.duckdb',
      'this is not a database, but it is long enough to look like one'.repeat(200),
    );
    const ran = await run('run', 'pull-logs');
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('what to do:');
  });
});
