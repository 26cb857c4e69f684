import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildProgram } from './support/built-program.ts';
import { zoneAtNoon } from './support/fixture.ts';

const run = promisify(execFile);

/** Holds the tarball, the global packages and the folder of the user. */
let place: string;
let home: string;
const env = (): NodeJS.ProcessEnv => ({
  PATH: `${join(place, 'global/bin')}:${process.env['PATH'] ?? ''}`,
  HOME: process.env['HOME'],
  TERM: 'xterm',
  TZ: zoneAtNoon(),
});

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'tollkeeper-package-'));
  home = join(place, 'home');
  await mkdir(home);
  await using program = await buildProgram();
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', place];
  const { stdout } = await run('npm', pack, { cwd: program.folder, maxBuffer: 64 * 2 ** 20 });
  const [{ filename } = { filename: '' }] = JSON.parse(stdout) as { filename: string }[];
  await run(
    'npm',
    [
      'install',
      '-g',
      join(place, filename),
      '--prefix',
      join(place, 'global'),
      '--prefer-offline',
      '--no-audit',
    ],
    { cwd: home },
  );
});
afterAll(() => rm(place, { recursive: true, force: true }));

test('the installed package holds no tests and no sources', async () => {
  const installed = join(place, 'global/lib/node_modules/tollkeeper');
  const names = await readdir(installed);
  expect(names.toSorted()).toEqual([
    'config',
    'dist',
    'fonts',
    'node_modules',
    'package.json',
    'reports',
    'templates',
  ]);
  const files = await readdir(join(installed, 'dist'), { recursive: true });
  expect(files.filter((name) => /\.(ts|map)$|\.test\./.test(name))).toEqual([]);
});

test('`npm pack` prints one line', async () => {
  const { PATH, HOME } = process.env;
  const { stdout, stderr } = await run('npm', ['pack', '--ignore-scripts', '--dry-run'], {
    env: { PATH, HOME },
  });
  expect(stdout + stderr).toMatch(/^tollkeeper-[\d.]+\.tgz\n$/);
});

test('the installed package states its version', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly version: string };
  const { stdout } = await run('tollkeeper', ['--version'], { cwd: home, env: env() });
  expect(stdout).toBe(`${version}\n`);
});

/** The command lines of a section of the README, block by block, without comments. */
const commandsOf = async (heading: string): Promise<readonly (readonly string[])[]> => {
  const readme = await readFile('README.md', 'utf8');
  const [section = ''] = (readme.split(`## ${heading}\n`)[1] ?? '').split('\n## ');
  return section
    .split('\n\n')
    .map((block) => block.split('\n').filter((line) => line.startsWith('    ')))
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => (line.split(' #')[0] ?? '').trim()));
};

test('the commands of the README mail a first report from an empty folder', async () => {
  const [checkout, install, commands = []] = await commandsOf('First mail in five minutes');
  expect(checkout).toEqual(['npm ci && npm run demo', 'npm ci && npm test']);
  expect(install).toEqual(['npm pack', 'npm install -g ./tollkeeper-*.tgz']);
  expect(commands.length).toBeLessThanOrEqual(3);
  const started: ChildProcess[] = [];
  try {
    for (const command of commands)
      if (command.endsWith(' &')) {
        const sandbox = spawn('sh', ['-c', `exec ${command.slice(0, -2)}`], {
          cwd: home,
          env: env(),
          stdio: ['ignore', 'pipe', 'ignore'],
        });
        started.push(sandbox);
        await once(sandbox.stdout, 'data');
      } else await run('sh', ['-c', command], { cwd: home, env: env() });
  } finally {
    for (const child of started) {
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    }
  }
  const mail = await simpleParser(await readFile(join(home, 'mails/1.eml')));
  expect(mail.subject).toMatch(/^AI spend · .* · reconciled with the gateway$/);
  expect(mail.html).toContain('$');
  expect(mail.attachments.map(({ contentType }) => contentType)).toContain('image/png');

  // The gateway is gone; what a PDF is built with is part of the package.
  const pages = ['report', 'spend-summary', '--attach', 'pdf', '--out', 'pages'];
  await run('tollkeeper', pages, { cwd: home, env: env() });
  const pdf = await readFile(join(home, 'pages/spend-summary.pdf'));
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
});

test('init of the installed package asks on a terminal, and takes the answers that are typed there', async () => {
  const folder = join(place, 'typed');
  await mkdir(folder);
  // The pseudo-terminal of `script` has no size of its own.
  const command = 'stty cols 100 rows 40; tollkeeper init';
  const child = spawn('timeout', ['120', 'script', '-qec', command, '/dev/null'], {
    cwd: folder,
    env: env(),
  });
  let shown = '';
  const answers = [
    ['Base URL', 'https://gateway.example.com\r'],
    ['Recipient', 'me@example.org\r'],
    ['Sender', '\r'],
    ['Time zone', '\r'],
    ['First day', '\r'],
  ];
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    const [question = '', keys = ''] = answers[0] ?? [];
    if (question === '' || !shown.includes(question)) return;
    answers.shift();
    child.stdin.write(keys);
  });
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(shown).toContain('The configuration is valid.');
  expect(await readFile(join(folder, 'config/tollkeeper.yaml'), 'utf8')).toContain(
    'operators: [me@example.org]',
  );
});

test('the completion script of the installed package completes the name of a job in bash', async () => {
  const script = `source <(tollkeeper completion bash)
COMP_WORDS=(tollkeeper run dai); COMP_CWORD=2; _tollkeeper; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['-c', script], { cwd: home, env: env() });
  expect(stdout).toBe('daily-spend\n');
});
