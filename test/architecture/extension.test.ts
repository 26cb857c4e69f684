import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startIn } from '../program/support/built-program.ts';
import { startSandbox } from '../../src/sandbox/index.ts';
import { freePort } from '../support/free-port.ts';
import { openMailServer } from '../support/mail-server.ts';
import { exemptFile } from '../support/secret-watch.ts';
import { addedFiles, addedLines } from './fixtures/extension.ts';

const root = join(import.meta.dirname, '../..');
const day = 86_400;

/** Every file below the folder and its text, links left out. */
const textsIn = async (folder: string): Promise<ReadonlyMap<string, string>> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.map(async (file) => [relative(folder, file), await readFile(file, 'utf8')] as const),
    ),
  );
};

const write = async (folder: string, name: string, text: string): Promise<void> => {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await writeFile(join(folder, name), text);
};

/** A copy of what the program is built from. */
let folder: string;
let before: ReadonlyMap<string, string>;

const openSandbox = async () => {
  const sandbox = await startSandbox({ now: Date.now, months: 1, callsPerDay: 5 });
  return { sandbox, [Symbol.asyncDispose]: () => sandbox.stop() };
};

/** Writes each addition: its own files, and in its registry one import and one entry. */
const extend = async (folder: string): Promise<void> => {
  for (const [name, text] of Object.entries(addedFiles)) await write(folder, name, text);
  for (const { file, before, entry, imports } of addedLines) {
    const text = await readFile(join(folder, file), 'utf8');
    expect(text.split(before)).toHaveLength(2);
    await writeFile(join(folder, file), `${imports}${text.replace(before, `${before}${entry}`)}`);
  }
};

/** Keeps what is posted to it. */
const openReceiver = async () => {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      bodies.push(Buffer.concat(parts).toString());
      response.end('ok');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port');
  return {
    bodies,
    url: `http://127.0.0.1:${address.port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollkeeper-extension-'));
  for (const name of ['src', 'fonts', 'reports', 'tsconfig.json', 'package.json'])
    await cp(join(root, name), join(folder, name), { recursive: true });
  before = await textsIn(folder);
  await extend(folder);
  // Types included: what is added has the types that the registries ask for.
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [
    compiler,
    '-p',
    join(folder, 'src/tsconfig.json'),
  ]).catch((error: unknown) => error as { readonly stdout: string });
  expect(stdout).toBe('');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

it('each addition needs its own files and one entry in a registry', async () => {
  const changed = [...(await textsIn(join(folder, 'src')))]
    .map(([name, text]) => [`src/${name}`, text] as const)
    .filter(([name, text]) => before.get(name) !== text)
    .map(([name]) => name);
  const added = Object.keys(addedFiles).filter((name) => name.startsWith('src/'));
  expect(changed.sort()).toEqual([...added, ...addedLines.map(({ file }) => file)].sort());
  const linesOf = (text: string | undefined): number => (text ?? '').split('\n').length;
  for (const { file, imports } of addedLines) {
    const more = linesOf(await readFile(join(folder, file), 'utf8')) - linesOf(before.get(file));
    expect([file, more <= (imports === '' ? 1 : 2)]).toEqual([file, true]);
  }
});

/** Runs commands of the extended program in a folder of its own. */
const commandsIn = (cwd: string, env: NodeJS.ProcessEnv) => {
  const start = (...argv: readonly string[]) =>
    startIn(folder, argv, { cwd, env: { PATH: process.env['PATH'], ...env } });
  const run = async (...argv: readonly string[]): Promise<string> => {
    await using running = start(...argv);
    const { code } = await running.ended;
    const shown = running.stdout().join('\n');
    expect([code, code === 0 ? '' : `${argv.join(' ')}: ${shown}${running.stderr()}`]).toEqual([0, '']);
    return shown;
  };
  return { start, run };
};

it('an alert rule and a section of the status are seen in YAML, check, mails, chats, commands, page, metrics and JSON', async () => {
  await using receiver = await openReceiver();
  await using gateway = await openSandbox();
  await using mail = await openMailServer();
  const [page, metrics] = [await freePort(), await freePort()];
  const { sandbox } = gateway;
  const since = new Date((sandbox.state.seconds() - 2 * day) * 1000).toISOString().slice(0, 10);
  const cwd = join(folder, 'alerts');
  const configure = async (locale: string, models: number | string): Promise<void> => {
    await write(
      cwd,
      'config/tollkeeper.yaml',
      `accounts:
  main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}" }
locale: ${locale}
warehouse: { memory_limit: 512MB, threads: 1 }
mail:
  smtp: "\${SMTP_URL}"
  from: reports@example.com
  operators: [ops@example.com, ours]
  tls: { ca: ${mail.ca} }
routes:
  ours: { plain: { url: "${receiver.url}" } }
status: { port: ${page} }
health: { port: 0 }
metrics: { enabled: true, port: ${metrics} }
`,
    );
    await write(
      cwd,
      'config/jobs/jobs.yaml',
      `jobs:
  pull-logs: { kind: pull-logs, schedule: "0 3 1 1 *", since: ${since} }
  alerts: { kind: alert, schedule: "0 3 1 1 *", needs: [pull-logs], most_models: ${models} }
`,
    );
  };
  const { start, run } = commandsIn(cwd, {
    GATEWAY_BASE_URL: sandbox.baseUrl,
    GATEWAY_ADMIN_KEY: sandbox.adminKey,
    SMTP_URL: mail.url,
  });

  await configure('en', 'many');
  await using checked = start('check');
  expect((await checked.ended).code).toBe(1);
  expect(checked.stdout().join('\n') + checked.stderr()).toMatch(/most_models/);
  await configure('en', 2);
  await run('run', 'pull-logs');
  for (const [locale, models] of [
    ['en', 2],
    ['de', 1],
    ['zh', 0],
  ] as const) {
    await configure(locale, models);
    await run('check');
    await run('run', 'alerts');
  }
  expect(mail.taken.map(({ parsed: { subject = '' } }) => subject.replaceAll(/\d+/g, 'N'))).toEqual([
    expect.stringContaining('N models are called'),
    expect.stringContaining('N Modelle werden aufgerufen'),
    expect.stringContaining('调用了 N 个模型'),
  ]);
  expect(mail.taken.map(({ parsed: { text = '' } }) => text)).toEqual([
    expect.stringContaining('main calls too many models.'),
    expect.stringContaining('main nutzt zu viele Modelle.'),
    expect.stringContaining('账户 main 调用的模型过多。'),
  ]);
  expect(receiver.bodies).toHaveLength(3);
  expect(receiver.bodies[0]).toMatch(/^plain: .*models are called/);

  await using daemon = start('serve');
  await daemon.line('"serving"');
  const get = async (port: number, path: string): Promise<string> =>
    (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  const firing = {
    alert: 'models:all',
    state: 'many',
    texts: { called: expect.stringMatching(/^\d+ models$/) },
  };
  const fleet = { jobs: 2, readAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) };
  const output = async (...argv: readonly string[]): Promise<string> => {
    await using running = start(...argv);
    expect((await running.ended).code).toBe(1);
    return running.stdout().join('\n');
  };
  expect(await output('alerts')).toMatch(/MODELS\s+STATE\s+CALLED\s+models:all\s+many\s+\d/);
  expect(JSON.parse(await output('alerts', '--json'))).toContainEqual(expect.objectContaining(firing));
  expect(await output('status')).toContain('2 jobs are defined, read ');
  expect(JSON.parse(await output('status', '--json'))).toMatchObject({
    fleet,
    needsPerson: expect.arrayContaining(['2 jobs are too many']),
  });
  const shown = await get(page, '/');
  for (const text of ['models:all', 'Called', '>Fleet<', '2 jobs are defined', '2 jobs are too many'])
    expect(shown).toContain(text);
  expect(JSON.parse(await get(page, '/status.json'))).toMatchObject({
    fleet,
    alerts: expect.arrayContaining([expect.objectContaining(firing)]),
  });
  expect(await get(metrics, '/metrics')).toMatch(/tollkeeper_alert_firing\{.*alert="models:all".*\} 1/);
  daemon.kill('SIGTERM');
  await daemon.ended;
});

it('a job kind, a gateway endpoint, a sink, a step of a rotation, a channel, a language, a report, a column of the call log, a command and a variant work from their entries', async () => {
  await using receiver = await openReceiver();
  await using gateway = await openSandbox();
  const { sandbox } = gateway;
  const seconds = sandbox.state.seconds();
  sandbox.state.keys.create({
    name: 'app',
    group: 'default',
    unlimited: true,
    remain: 0n,
    expiredTime: -1,
    createdAt: seconds - 31 * day,
  });
  const since = new Date((seconds - 2 * day) * 1000).toISOString().slice(0, 10);
  const cwd = join(folder, 'home');
  await write(
    cwd,
    'config/tollkeeper.yaml',
    `accounts:
  main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}" }
locale: fr
warehouse: { memory_limit: 512MB, threads: 1 }
routes:
  ours: { plain: { url: "${receiver.url}" } }
`,
  );
  await write(
    cwd,
    'config/jobs/jobs.yaml',
    `jobs:
  pull-logs: { kind: pull-logs, schedule: "7 * * * *", since: ${since} }
  greet: { kind: greet, schedule: "0 3 1 1 *", name: Ada }
  models: { kind: report, schedule: "0 3 1 1 *", report: model-list, period: last-7-days, post: { to: [ours] } }
  rotate-app:
    kind: rotate-keys
    schedule: "0 3 1 1 *"
    keys: { name: "app*" }
    every: 30d
    mode: apply
    deliver: [{ memo: { path: "{service}.memo" } }]
    verify: { embeddings: { model: text-embedding-3-small } }
`,
  );
  const memo = join(cwd, 'app.memo');
  exemptFile(memo);
  const { start, run } = commandsIn(cwd, {
    GATEWAY_BASE_URL: sandbox.baseUrl,
    GATEWAY_ADMIN_KEY: sandbox.adminKey,
  });

  expect(await run('--help')).toContain('hello');
  expect(await run('hello')).toContain('hello from a new command');
  expect(await run('check')).toContain('the configuration is valid');
  expect(await run('run', 'greet')).toContain('greeted Ada of group default');
  await run('run', 'rotate-app');
  const names = sandbox.state.keys.all().map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('app.'))).toHaveLength(1);
  expect(await readFile(memo, 'utf8')).toMatch(/^memo sk-/);
  expect(await run('keys', 'history', 'app')).toContain('is announced to the operators');
  await run('run', 'pull-logs');
  // The sandbox serves the added column, which is stored under its name and summed in the rollup.
  const answer = await run('query', 'SELECT sum(use_time) AS seconds FROM cube', '--format', 'csv');
  expect(answer).toMatch(/seconds\s+[1-9]/);
  await run('run', 'models');
  expect(receiver.bodies).toHaveLength(1);
  expect(receiver.bodies[0]).toMatch(/^plain: .*Model list.* du \d{4}-\d\d-\d\d au /);

  await using own = start('sandbox', '--months', '1', '--json', '--variant', 'served_by=present');
  const address = /https?:\/\/127\.0\.0\.1:\d+/.exec(await own.line('127.0.0.1'))?.[0];
  const { headers } = await fetch(`${address}/api/user/self`);
  expect(headers.get('x-served-by')).toBe('a new variant');
});
