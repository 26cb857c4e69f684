import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openWebServer, type WebServer } from '../notify/support/web-server.ts';
import { manualClock } from '../support/manual-clock.ts';
import { openMailServer, type MailServer } from '../support/mail-server.ts';
import { openFolder, defaultConfig, type Folder } from '../support/program.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';

const now = Date.UTC(2026, 10, 21, 6, 3, 7);
const seconds = (text: string): number => Date.parse(text) / 1000;

let folder: Folder;
let sandbox: Sandbox;
let mail: MailServer;
let web: WebServer;

beforeEach(async () => {
  [folder, mail, web] = await Promise.all([
    openFolder(),
    openMailServer(),
    openWebServer((asked, response) => {
      response.statusCode = asked.path === '/chat-is-gone' ? 404 : 200;
      response.end('ok');
    }),
  ]);
  sandbox = await startSandbox({ now: () => now, months: 1, callsPerDay: 40 });
  await defaultConfig(folder);
});
afterEach(async () => {
  await sandbox.stop();
  await mail[Symbol.asyncDispose]();
  await web[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const plain = (decimal: string): string => decimal.replace(/\.?0+$/, '');

const configure = async (recipients: string): Promise<void> => {
  await folder.write(
    'config/tollkeeper.yaml',
    `timezone: UTC
accounts:
  main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}" }
warehouse: { memory_limit: 512MB, threads: 1 }
mail: { smtp: "\${SMTP_URL}", from: "Tollkeeper <reports@example.com>", tls: { ca: ${mail.ca} }, reply_to: ops@example.com }
routes:
  ledger: { webhook: { url: ${web.url}/ledger, secret: "\${HOOK_SECRET}" } }
  finance-chat: { slack: { url: "\${SLACK_URL}" } }
  ops-chat: { teams: { url: "\${TEAMS_URL}" } }
`,
  );
  await folder.write(
    'config/jobs/spend.yaml',
    `jobs:
  pull-logs: { kind: pull-logs, schedule: "7 * * * *", since: 2026-10-22 }
  weekly-spend: { kind: report, schedule: "0 8 * * 1", report: spend-summary, period: last-week, needs: [pull-logs], ${recipients} }
`,
  );
};

const run = (...argv: string[]) =>
  folder.run(argv, {
    env: {
      GATEWAY_BASE_URL: sandbox.baseUrl,
      GATEWAY_ADMIN_KEY: sandbox.adminKey,
      SMTP_URL: mail.url,
      HOOK_SECRET: 'hook-secret-of-the-ledger',
      SLACK_URL: `${web.url}/services/T0123/B0123/secret-of-slack`,
      TEAMS_URL: `${web.url}/chat-is-gone`,
    },
    clock: manualClock(now),
  });

it('a report is sent once each to mail, a webhook and a chat, with the same total to the last decimal', async () => {
  await configure('mail: { to: [finance@example.com] }, post: { to: [ledger, finance-chat] }');
  const plan = await run('run', 'weekly-spend', '--dry-run');
  expect(plan.stdout).toContain('finance-chat');
  const slot = '2026-11-16T08:00:00Z';
  const first = await run('run', 'weekly-spend', '--slot', slot);
  expect(first.code).toBe(0);
  expect(mail.taken).toHaveLength(1);
  expect(mail.taken[0]?.parsed.replyTo?.text).toBe('ops@example.com');
  expect(web.asked.map(({ path }) => path).toSorted((left, right) => left.localeCompare(right))).toEqual([
    '/ledger',
    '/services/T0123/B0123/secret-of-slack',
  ]);

  const ledger = web.asked.find(({ path }) => path === '/ledger');
  const truth = sandbox.truth.sums(seconds('2026-11-09T00:00:00Z'), seconds('2026-11-16T00:00:00Z'));
  const body = JSON.parse(ledger?.body ?? '') as { total: { exact: string }; run_id: string };
  expect(plain(body.total.exact)).toBe(plain(truth.net));
  expect(body).toMatchObject({ kind: 'report', account: 'main', currency: 'USD', version: 1 });
  const [, time, mac] = /^t=(\d+),v1=(.+)$/.exec(String(ledger?.headers['x-tollkeeper-signature'])) ?? [];
  expect(mac).toBe(
    createHmac('sha256', 'hook-secret-of-the-ledger').update(`${time}.${ledger?.body}`).digest('hex'),
  );

  // The same slot again tells nobody anything.
  expect((await run('run', 'weekly-spend', '--slot', slot)).code).toBe(0);
  expect(web.asked).toHaveLength(2);
  expect(mail.taken).toHaveLength(1);
});

it('a failing route fails the run by name without revealing a secret, and the other routes receive the report', async () => {
  await configure('post: { to: [ops-chat, ledger] }');
  const ran = await run('run', 'weekly-spend');
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain('the route ops-chat');
  expect(ran.stderr).toContain('answered 404');
  expect(web.asked.map(({ path }) => path)).toContain('/ledger');
  expect(mail.taken).toEqual([]);
  const listed = await run('outbox');
  expect(listed.stdout).toMatch(/ops-chat/);
  for (const text of [ran.stderr, ran.stdout, listed.stdout])
    expect(text).not.toMatch(/chat-is-gone|hook-secret|secret-of-slack/);
});
