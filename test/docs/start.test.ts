import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { simpleParser } from 'mailparser';
import { expect, it } from 'vitest';
import { buildProgram } from '../program/support/built-program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The command lines of a section of the README, block by block. */
const blocksOf = (markdown: string, heading: string): readonly (readonly string[])[] => {
  const [, rest = ''] = markdown.split(`## ${heading}\n`);
  const [section = ''] = rest.split('\n## ');
  return section
    .split(/\n\n(?! {4})/)
    .map((block) => block.split('\n').filter((line) => line.startsWith('    ')))
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => line.trim()));
};

type Shell = { readonly cwd: string; readonly env: NodeJS.ProcessEnv };

const sh = (line: string, shell: Shell): Promise<{ readonly code: number; readonly output: string }> =>
  new Promise((resolve) => {
    execFile('bash', ['-c', line], shell, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });

it('the commands of the README end with a mail of the spend report', { timeout: 300_000 }, async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const [first = [], second = []] = blocksOf(readme, 'First mail in five minutes');
  expect(first[0]).toBe('npm ci && npm run build');
  expect(second.length).toBeGreaterThan(1);
  // Installing and building are what the test run has done before.
  await using program = await buildProgram();
  const cwd = await mkdtemp(join(tmpdir(), 'tollkeeper-start-'));
  try {
    for (const name of ['dist', 'reports', 'package.json', 'node_modules'])
      await symlink(join(program.folder, name), join(cwd, name));
    await cp(join(root, 'config'), join(cwd, 'config'), { recursive: true });

    const [, command = ''] = (first[1] ?? '').split('npx tollkeeper ');
    // The default port may be taken on the machine of the test.
    await using sandbox = program.start([...command.split(' '), '--port', '0', '--months', '2'], {
      cwd,
      env,
    });
    await sandbox.line('export SMTP_URL=');
    const exported = sandbox.stdout().filter((line) => line.startsWith('export '));
    const pasted = Object.fromEntries(exported.map((line) => line.slice('export '.length).split(/=(.*)/s)));
    expect(Object.keys(pasted)).toEqual(['GATEWAY_BASE_URL', 'GATEWAY_ADMIN_KEY', 'SMTP_URL']);

    const path = `${join(execPath, '..')}:${env['PATH'] ?? ''}`;
    for (const line of second) {
      const { code, output } = await sh(line, { cwd, env: { ...env, ...pasted, PATH: path } });
      expect(code, `${line}\n${output}`).toBe(0);
    }
    expect(await readdir(join(cwd, 'out/mails'))).toEqual(['1.eml']);
    const mail = await simpleParser(await readFile(join(cwd, 'out/mails/1.eml')));
    expect(mail.subject).toMatch(/spend/i);
    expect(mail.html).toContain('$');
    expect(sandbox.stderr()).toContain('out/mails/1.eml');
    sandbox.kill('SIGTERM');
    expect((await sandbox.ended).code).toBe(0);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
});
