import { chmod, cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog, systemClock, unixMillis, type Clock } from '../../src/core/index.ts';
import { renderDoctor } from '../../src/cli/doctor/render.ts';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { commandTable, listenForCommands } from '../../src/control/index.ts';
import type { ProgramHandlers } from '../../src/app/control/handlers.ts';
import { handlersWith } from '../support/unexpected-handlers.ts';
import { version } from '../../src/version.ts';
import { openPostOffice } from '../notify/support/post-office.ts';
import { openMailServer, type MailServer } from '../support/mail-server.ts';
import { openFolder, type Folder, type Ran } from '../support/program.ts';
import { noPaint } from '../../src/cli/ui/paint.ts';
import { hostile, pageFaults, screens } from './support/views.ts';

const narrowKey = 'sk-admin-narrow';

let mail: MailServer;
let sandbox: Sandbox;

beforeAll(async () => {
  mail = await openMailServer();
  sandbox = await startSandbox({
    now: Date.now,
    months: 1,
    callsPerDay: 20,
    adminKeys: [
      { key: 'sk-admin-whole', scopes: ['account:read', 'logs:read', 'usage:read', 'keys:read'] },
      { key: narrowKey, scopes: ['logs:read'] },
    ],
  });
});
afterAll(async () => {
  await sandbox.stop();
  await mail[Symbol.asyncDispose]();
});

const since = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10);

const defaultJobs = `jobs:
  pull-logs: { kind: pull-logs, schedule: "7 * * * *", since: ${since} }
  pull-usage: { kind: pull-usage, schedule: "20 1 * * *", since: ${since} }
  snapshot: { kind: snapshot, schedule: "0 2 * * *" }
`;

type Change = { readonly gateway?: string; readonly jobs?: string };

const openFixture = async ({ gateway = '', jobs = defaultJobs }: Change = {}): Promise<Folder> => {
  const folder = await openFolder();
  await folder.write(
    'config/tollkeeper.yaml',
    `accounts:
  main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}"${gateway === '' ? '' : `, gateway: ${gateway}`} }
warehouse: { memory_limit: 256MB, threads: 1 }
mail: { smtp: "\${SMTP_URL}", from: "Tollkeeper <reports@example.com>", operators: [ops@example.com], tls: { ca: ${mail.ca} } }
`,
  );
  await folder.write('config/jobs/jobs.yaml', jobs);
  return folder;
};

const run = (
  folder: Folder,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  clock: Clock = systemClock,
): Promise<Ran> =>
  folder.run(argv, {
    clock,
    env: {
      GATEWAY_BASE_URL: sandbox.baseUrl,
      GATEWAY_ADMIN_KEY: 'sk-admin-whole',
      SMTP_URL: mail.url,
      ...env,
    },
  });

type Check = {
  readonly about: string;
  readonly state: string;
  readonly message: string;
  readonly code?: string;
};
/** What is wrong with the services, the folder and the clock. */
type Faulty = {
  readonly smtp: (url: string) => string;
  readonly write: string;
  readonly behind: number;
};
type Told = {
  readonly checks: readonly Check[];
  readonly learned: readonly {
    readonly points: readonly { readonly point: string; readonly value: string; readonly evidence: string }[];
    readonly overrides: readonly unknown[];
  }[];
};

const reported = ({ stdout }: Ran): Told => JSON.parse(stdout) as Told;
const stateOf = (found: Told, about: string): string | undefined =>
  found.checks.find((check) => check.about.startsWith(about))?.state;

describe('`doctor` against a real gateway and mail server', () => {
  it('passes all checks of what the jobs need, sends nothing, and records the header', async () => {
    await using folder = await openFixture();
    const ran = await run(folder, ['doctor']);
    expect(ran.stderr).not.toContain('warning');
    expect(ran.stdout).toContain('all checks passed');
    expect(ran.code).toBe(0);
    const signs = ran.stdout.split('\n').filter((line) => line.startsWith('✓'));
    for (const about of [
      'config: 1 account and 3 jobs',
      'database:',
      'data folder:',
      'spool folder:',
      'outbox folder:',
      'archive folder:',
      'gateway main: answers',
      'scope account:read of main: the profile of',
      'scope logs:read of main: statistics and the log export can be read',
      'scope usage:read of main: the usage export can be read; needed by pull-usage',
      'scope keys:read of main: keys can be listed',
      'clock beside main: within 2 s',
      'mail server localhost:',
    ])
      expect(signs.join('\n')).toContain(about);
    expect(ran.stdout).toMatch(/ {2}log\.columns: created_at, .*\n {6}by a probe on /);
    expect(mail.taken).toEqual([]);
    expect(ran.stdout).not.toContain('sk-admin-whole');
  });

  it('shows the observed export format with its evidence and the configured values', async () => {
    await using folder = await openFixture({ gateway: '{ amounts: currency, usage_zone: Asia/Shanghai }' });
    expect((await run(folder, ['run', 'pull-logs'])).code).toBe(0);
    const [learned] = reported(await run(folder, ['doctor', '--json'])).learned;
    const points = new Map(learned?.points.map((one) => [one.point, one]));
    expect(points.get('log.time_form')).toMatchObject({
      how: 'data',
      evidence: expect.stringMatching(/^a row reads/) as string,
    });
    expect(points.get('log.amounts')).toMatchObject({ value: 'currency', how: 'config' });
    expect(points.get('log.kind.consumption')).toMatchObject({ value: 'spend' });
    expect(learned?.overrides).toEqual([
      { setting: 'gateway.amounts', value: 'currency' },
      { setting: 'gateway.usage_zone', value: 'Asia/Shanghai' },
    ]);
  });

  it('reports a missing scope of the Admin Key with the jobs that need it', async () => {
    await using folder = await openFixture();
    const ran = await run(folder, ['doctor', '--json'], { GATEWAY_ADMIN_KEY: narrowKey });
    expect(ran.code).toBe(1);
    const found = reported(ran);
    expect(stateOf(found, 'gateway main')).toBe('ok');
    expect(stateOf(found, 'scope logs:read')).toBe('ok');
    for (const scope of ['account:read', 'usage:read', 'keys:read'])
      expect(stateOf(found, `scope ${scope}`)).toBe('failed');
    const usage = found.checks.find(({ about }) => about.startsWith('scope usage:read'));
    expect(usage).toMatchObject({
      code: 'gateway-scope-missing',
      message: expect.stringContaining('pull-usage') as string,
    });
  });

  it('looks for the notify program of a rotation without running it', async () => {
    await using folder = await openFixture({
      jobs: 'jobs:\n  bad: { kind: rotate-keys, keys: { name: "x-*" }, every: 30d, then: { command: [/no/such/systemctl] }, deliver: [{ file: { path: "secrets/{service}.env", variable: KEY } }], verify: { embeddings: { model: m } }, retire: { when: after-overlap } }\n',
    });
    const found = reported(await run(folder, ['doctor', '--json']));
    expect(stateOf(found, 'config')).toBe('ok');
    expect(stateOf(found, 'then of bad')).toBe('failed');
  });

  it('does not check a scope that no job needs', async () => {
    await using folder = await openFixture({ jobs: `jobs:\n  pull: { kind: pull-logs, since: ${since} }\n` });
    const ran = await run(folder, ['doctor', '--json'], { GATEWAY_ADMIN_KEY: narrowKey });
    expect(reported(ran).checks.filter(({ about }) => about.startsWith('scope'))).toHaveLength(1);
    expect(ran.code).toBe(0);
  });

  it('reports an unreachable gateway and mail server', async () => {
    await using folder = await openFixture();
    const ran = await run(folder, ['doctor'], {
      GATEWAY_BASE_URL: 'http://127.0.0.1:1',
      SMTP_URL: 'smtp://u:open-sesame@localhost:1',
    });
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^✗ gateway main: .*refused.*\n {4}what to do: check base_url/m);
    expect(ran.stdout).toMatch(/^– scope logs:read of main: skipped, /m);
    expect(ran.stdout).toMatch(/^✗ mail server localhost:1: .*\n {4}what to do: /m);
    expect(ran.stdout).toContain('2 checks failed');
    expect(ran.stdout).not.toContain('open-sesame');
  });

  it.skipIf(process.getuid?.() === 0)(
    'reports a folder that is not writable (root can write anywhere)',
    async () => {
      await using folder = await openFixture();
      await folder.write('data/spool/x', '');
      await chmod(`${folder.path}/data/spool`, 0o500);
      const ran = await run(folder, ['doctor']);
      await chmod(`${folder.path}/data/spool`, 0o700);
      expect(ran.stdout).toMatch(/^✗ spool folder: .*cannot be written \(EACCES\)/m);
    },
  );

  it.each<[string, RegExp, Partial<Faulty>]>([
    [
      'a rejected login at the mail server',
      /^✗ mail server .*\n(?: .*\n)*.*\(mail-login-refused\)$/m,
      { smtp: (url) => url.replace('open%2Fsesame', 'shut') },
    ],
    [
      'a file in place of a folder',
      /^✗ archive folder: .*data\/archive cannot be written \(ENOTDIR\)\n {4}what to do/m,
      { write: 'data/archive' },
    ],
    [
      'a clock that is hours off',
      /^✗ clock beside main: .* 7\d\d\d s behind .*\n {4}what to do: /m,
      { behind: 7_200_000 },
    ],
  ])('reports %s', async (_, shown, { smtp = (url) => url, write, behind = 0 }) => {
    await using folder = await openFixture();
    if (write !== undefined) await folder.write(write, 'a file');
    const clock = { ...systemClock, now: () => unixMillis(systemClock.now() - behind) };
    const ran = await run(folder, ['doctor'], { SMTP_URL: smtp(mail.url) }, clock);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(shown);
  });

  it('passes on the shipped config with its variables set, and reports no login when there is none', async () => {
    await using folder = await openFolder();
    await cp(new URL('../../config', import.meta.url).pathname, join(folder.path, 'config'), {
      recursive: true,
    });
    await using office = await openPostOffice({ without: ['STARTTLS', 'AUTH'] });
    const env = { SMTP_URL: office.url, DAILY_SPEND_HEARTBEAT: `${sandbox.baseUrl}/heartbeat` };
    const ran = await run(folder, ['doctor'], env);
    expect(ran.stdout).toMatch(/connected without a login, .*“250-.*”; nothing was\s+sent/);
    expect(ran.stdout).not.toContain('logged in');
    // The shipped jobs only plan: that their sinks are not there yet is no failure, and is shown with what to do.
    expect(ran.stdout).toMatch(
      /– sink of \S+ \(rotate-prod\): skipped, .* \/secrets .* \(mode: plan\)\n {4}what to do: .* the folder \/secrets/,
    );
    expect(ran.code).toBe(0);
    const json = await run(folder, ['doctor', '--json'], env);
    expect(json.code).toBe(0);
    for (const { stdout } of [ran, json]) expect(stdout).toMatch(/export of 1 second from \S+ \S+ UTC/);
    expect(json.stdout).not.toContain('Europe/Berlin');
  });
});

it('`doctor` asks a running daemon and shows its answer', async () => {
  await using folder = await openFixture();
  await folder.write('data/x', '');
  const asked: unknown[] = [];
  const doctor: ProgramHandlers['doctor'] = (request) => {
    asked.push(request);
    const check = { about: 'gateway main', state: 'failed', message: 'is down', advice: 'wait' } as const;
    return Promise.resolve({ version, zone: 'UTC', now: systemClock.now(), checks: [check], learned: [] });
  };
  await using _daemon = await listenForCommands({
    databasePath: `${folder.path}/data/tollkeeper.duckdb`,
    table: commandTable,
    handlers: handlersWith({ doctor }),
    version,
    clock: systemClock,
    log: silentLog,
    cwd: folder.path,
  });
  const ran = await run(folder, ['doctor', '--account', 'main']);
  await run(folder, ['doctor', '--probe-keys']);
  expect(asked).toEqual([{ account: 'main' }, { probeKeys: true }]);
  expect(ran.stdout).toBe('✗ gateway main: is down\n    what to do: wait\n\n1 check failed\n');
  expect(ran.code).toBe(1);
});

const moment = unixMillis(Date.UTC(2026, 0, 1));
const learnedPoint = (point: string, value: string, evidence = 'seen') => ({
  point,
  value,
  evidence,
  how: 'data' as const,
  learnedAt: moment,
});

it('`doctor` shows what was learned before below the point that it replaced', () => {
  const learned = {
    account: 'main',
    goneColumns: [],
    overrides: [],
    points: [learnedPoint('time zone', 'UTC'), learnedPoint('row cap', '5000')],
    past: [{ ...learnedPoint('row cap', '1000'), until: moment }],
  };
  const page = renderDoctor({ zone: 'UTC', checks: [], learned: [learned] }, { paint: noPaint });
  const lines = page.split('\n').map((line) => line.trim());
  expect(lines.filter((line) => line.startsWith('until'))).toEqual(['until 2026-01-01: 1000']);
  expect(lines.indexOf('until 2026-01-01: 1000')).toBeGreaterThan(lines.indexOf('row cap: 5000'));
});

it.each(screens)('`doctor` keeps hostile values on their lines: %s', (_, screen) => {
  const point = learnedPoint(hostile, hostile, hostile);
  const text = { about: hostile, message: hostile, advice: hostile };
  const learned = {
    account: hostile,
    points: [point],
    past: [{ ...point, until: moment }],
    goneColumns: [{ name: hostile, goneAt: moment }],
    overrides: [{ setting: hostile, value: hostile }],
  };
  const checks = (['ok', 'failed', 'skipped'] as const).map((state) => ({ ...text, state }));
  const page = renderDoctor({ zone: 'Europe/Berlin', checks, learned: [learned] }, screen);
  expect(pageFaults(page, screen)).toEqual([]);
});

it('`doctor` prints each fault of a configuration with its position on a line of its own, and skips all else', async () => {
  await using folder = await openFolder();
  await folder.write('config/tollkeeper.yaml', 'acounts: {}\ntimezon: UTC\n');
  const ran = await folder.run(['doctor'], { clock: systemClock, env: {} });
  expect(ran.code).toBe(1);
  expect(ran.stdout).toMatch(
    /^✗ config: the config has \d+ faults\n {4}\S*tollkeeper\.yaml:1:1: .*\n {6}what to do: .*\n {4}\S*tollkeeper\.yaml:2:1: /m,
  );
  expect(ran.stdout).toContain('– everything else: skipped');
});
