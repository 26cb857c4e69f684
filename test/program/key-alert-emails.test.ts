import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { openMailServer, type MailServer } from '../support/mail-server.ts';
import { manualClock } from '../support/manual-clock.ts';
import { openFolder, type Folder } from '../support/program.ts';

const now = Date.UTC(2026, 10, 21, 6, 3, 7);

let folder: Folder;
let sandbox: Sandbox;
let mail: MailServer;

const jobs = (mode: string): string => `jobs:
  pull-logs: { kind: pull-logs, schedule: "7 * * * *", since: 2026-11-01 }
  rotate:
    kind: rotate-keys
    schedule: "0 3 * * mon"
    keys: { name: prod-gateway }
    every: 1d
    overlap: 0s
    mode: ${mode}
    deliver: [{ file: { path: "secrets/{service}.env", variable: KEY } }]
`;

beforeEach(async () => {
  [folder, mail] = await Promise.all([openFolder(), openMailServer()]);
  await folder.write('secrets/other.env', '');
  sandbox = await startSandbox({
    now: () => now,
    months: 1,
    callsPerDay: 20,
    adminKeys: [
      { key: 'sk-admin-that-may-only-read-12345', scopes: ['logs:read', 'keys:read', 'account:read'] },
    ],
  });
  await folder.write(
    'config/tollkeeper.yaml',
    `accounts:
  main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}" }
warehouse: { path: data/tollkeeper.duckdb, memory_limit: 256MB, threads: 1 }
mail:
  smtp: "\${SMTP_URL}"
  from: "Tollkeeper <reports@example.com>"
  operators: [ops@example.com]
  tls: { ca: ${mail.ca} }
`,
  );
});
afterEach(async () => {
  await sandbox.stop();
  await mail[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const run = (...argv: string[]) =>
  folder.run(argv, {
    env: {
      GATEWAY_BASE_URL: sandbox.baseUrl,
      GATEWAY_ADMIN_KEY: sandbox.adminKey,
      SMTP_URL: mail.url,
    },
    clock: manualClock(now),
  });

describe('notifications of a command without a daemon', () => {
  it('reach the operators about a failed run whose Admin Key lacks keys:write', async () => {
    await folder.write('config/jobs/keys.yaml', jobs('apply'));
    const ran = await run('run', 'rotate');
    expect(ran.code).toBe(1);
    expect(ran.stderr + ran.stdout).toContain('keys:write');
    expect(sandbox.requests.all().filter(({ method }) => method === 'POST')).toHaveLength(1);
    expect(sandbox.state.keys.all().filter(({ name }) => name.startsWith('prod-gateway.'))).toEqual([]);
    const reported = mail.taken.find(({ parsed }) => parsed.subject?.includes('rotation of prod-gateway'));
    expect(reported?.recipients).toEqual(['ops@example.com']);
    expect(reported?.parsed.text).toContain('keys:write');
    const audit = await readFile(join(folder.path, 'data/audit/keys.jsonl'), 'utf8');
    const anchored = /Audit log: (\d+) steps?,\s+head\s+([0-9a-f]{64})\./.exec(reported?.parsed.text ?? '');
    expect(audit).toContain(`{"seq":${anchored?.[1]},"prev":`);
    expect(audit).toContain(`"hash":"${anchored?.[2]}"`);
  });

  it('contain the plan, and the gateway counts no write', async () => {
    await folder.write('config/jobs/keys.yaml', jobs('plan'));
    const ran = await run('run', 'rotate');
    expect(ran.code).toBe(0);
    const dry = await run('run', 'rotate', '--dry-run');
    expect(dry.stdout).toContain('key of prod-gateway is created');
    expect(sandbox.requests.keyWrites()).toMatchObject({ POST: 0, PUT: 0, DELETE: 0 });
    expect(mail.taken.map(({ recipients }) => recipients)).toEqual([['ops@example.com']]);
    expect(mail.taken[0]?.parsed.subject).toContain('1 key would be rotated');
  });
});
