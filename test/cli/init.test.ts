import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { approved, titled } from '../support/approved.ts';
import { openFolder, type Folder } from '../support/program.ts';

let folder: Folder;
beforeEach(async () => {
  folder = await openFolder();
});
afterEach(() => folder[Symbol.asyncDispose]());

const required = ['--gateway', 'https://gateway.example.com', '--mail-to', 'finance@example.com'];
const secrets = { GATEWAY_ADMIN_KEY: 'sk-admin-of-a-test', SMTP_URL: 'smtp://127.0.0.1:1' };
const read = (name: string): Promise<string> => readFile(join(folder.path, name), 'utf8');

const files = [
  '.env.example',
  '.gitignore',
  'compose.yaml',
  'config/jobs.schema.json',
  'config/jobs/insight.yaml',
  'config/jobs/spend.yaml',
  'config/tollkeeper.schema.json',
  'config/tollkeeper.yaml',
];

/** The lines of a written file that differ from the shipped one. */
const changed = async (name: string): Promise<readonly string[]> => {
  const shipped = (await readFile(name, 'utf8')).split('\n');
  return (await read(name)).split('\n').filter((line, at) => line !== shipped[at]);
};

/** A terminal that types each text once a question that contains its key is shown. */
const typing = (answers: readonly (readonly [question: string, keys: string])[]) => {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 40 });
  const left = [...answers];
  let shown = '';
  output.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    const [first] = left;
    if (first === undefined || !shown.includes(first[0])) return;
    left.shift();
    shown = '';
    setImmediate(() => input.write(first[1]));
  });
  return { input, output };
};

describe('init', () => {
  it('writes the shipped configuration with the answers, which is valid, and says what is left to do', async () => {
    const ran = await folder.run(['init', ...required, '--zone', 'Asia/Shanghai', '--since', '2026-09-01']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(await folder.files()).toEqual(files);
    const written = await Promise.all(
      ['config/tollkeeper.yaml', 'config/jobs/spend.yaml', 'config/jobs/insight.yaml'].map(
        async (name) => [`changed lines of ${name}`, (await changed(name)).join('\n')] as const,
      ),
    );
    const shown = titled([...written, ['standard output', ran.stdout.replaceAll(folder.path, '<folder>')]]);
    await expect(shown).toMatchFileSnapshot(approved('cli/init'));
    const checked = await folder.run(['check'], { env: secrets });
    expect(checked).toMatchObject({ code: 0 });
    expect(checked.stdout).not.toContain('warning');
  });

  it('creates the folder that is named, and names the recipient’s domain in the sender', async () => {
    const ran = await folder.run(['init', 'a/b', ...required, '--image', 'registry.example/tollkeeper:1'], {
      env: secrets,
    });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain('  a/b/config/tollkeeper.yaml\n');
    expect(ran.stdout).toMatch(/\nNext:\n {2}cd a\/b\n {2}tollkeeper doctor\n/);
    expect(await read('a/b/config/tollkeeper.yaml')).toContain('from: "Tollkeeper <reports@example.com>"');
    expect(await read('a/b/compose.yaml')).toContain('    image: registry.example/tollkeeper:1\n');
    expect((await stat(join(folder.path, 'a/b/config/jobs/spend.yaml'))).mode & 0o777).toBe(0o644);
  });

  it('writes a trial that needs no variable, with an Admin Key for its owner alone', async () => {
    const ran = await folder.run(['init', '--sandbox']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(
      /Next:\n {2}tollkeeper sandbox --admin-key-file secrets\/gateway-admin-key .*\n {2}tollkeeper run/,
    );
    const key = 'secrets/gateway-admin-key';
    expect(await read(key)).toMatch(/^sk-admin-[\w-]{24}\n$/);
    expect((await stat(join(folder.path, key))).mode & 0o777).toBe(0o600);
    expect(await read('.gitignore')).toContain('secrets/\n');
    expect((await folder.run(['check'])).code).toBe(0);
  });

  it('names every file that is there, and writes nothing', async () => {
    await folder.write('compose.yaml', 'mine');
    await folder.write('config/jobs/spend.yaml', 'mine');
    const before = await folder.files();
    const ran = await folder.run(['init', ...required]);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(
      /already holds config\/jobs\/spend\.yaml, compose\.yaml; nothing was written\n {2}what to do: /,
    );
    expect(await folder.files()).toEqual(before);
  });

  it('leaves nothing when a file cannot be written', async () => {
    await folder.write('config', 'a file');
    const ran = await folder.run(['init', ...required]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(/config\/tollkeeper\.yaml cannot be written \(E\w+\)\n {2}what to do: /);
    expect(await folder.files()).toEqual(['config']);
  });

  it('refuses missing or wrong answers without a terminal, names the nearest time zone, and writes nothing', async () => {
    const errors: [string, string][] = [];
    for (const argv of [
      ['--gateway', 'http://gateway.example.com'],
      ['--gateway', 'gateway'],
      ['--mail-to', 'me'],
      ['--zone', 'Berlin'],
      ['--zone', 'Europe/Berln'],
      ['--since', 'May'],
      [],
      ['--yes', '--gateway', 'https://a.example'],
    ]) {
      const { code, stdout, stderr } = await folder.run(['init', ...argv]);
      expect([argv, code, stdout]).toEqual([argv, 2, '']);
      errors.push([['init', ...argv].join(' '), stderr]);
    }
    expect(await folder.files()).toEqual([]);
    await expect(titled(errors)).toMatchFileSnapshot(approved('cli/init-refusals'));
  });

  it('takes answers literally: a reference in one is not resolved', async () => {
    const ran = await folder.run(
      ['init', '--gateway', 'https://a.example/${HOME}', '--mail-to', '${HOME}@a.example'],
      { env: { ...secrets, HOME: 'x' } },
    );
    expect(ran.code).toBe(0);
    expect(await read('config/tollkeeper.yaml')).toContain('operators: ["$${HOME}@a.example"]');
  });

  it('shows each default in brackets, takes it with Enter, and takes another answer instead', async () => {
    const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const prompts = typing([
      ['Base URL of the gateway, for example https://gateway.example.com', '\r'],
      ['must be a URL', 'https://gateway.example.com\r'],
      ['Recipient of reports and notices, for example finance@example.com', 'me@example.org\r'],
      ['Sender of the mails [Tollkeeper <reports@example.org>]', '\r'],
      [`Time zone of days and schedules [${zone}]`, 'Europe/Berln\r'],
      ['"Europe/Berlin"?', '\u0015Europe/Berlin\r'],
      ['First day to pull [', '2026-09-01\r'],
    ]);
    const ran = await folder.run(['init'], { prompts });
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const settings = await read('config/tollkeeper.yaml');
    expect(settings).toContain('from: "Tollkeeper <reports@example.org>"');
    expect(settings).toContain('timezone: Europe/Berlin');
    expect(await read('config/jobs/spend.yaml')).toContain('since: 2026-09-01');
  });

  it('offers to check the services when no variable is left to set, and keeps the files when they cannot be reached', async () => {
    const prompts = typing([['Check gateway', 'y']]);
    const ran = await folder.run(
      ['init', ...required, '--zone', 'UTC', '--mail-from', 'a@b.example', '--since', '2026-10-01'],
      { env: secrets, prompts },
    );
    expect(ran.stdout).toMatch(/✗ mail server 127\.0\.0\.1:1: /);
    expect(ran.stdout).toMatch(/\nNext:\n {2}tollkeeper doctor\n/);
    expect(await folder.files()).toEqual(expect.arrayContaining(files));
  });

  it('writes nothing when it is cancelled', async () => {
    const prompts = typing([
      ['Base URL', 'https://gateway.example.com\r'],
      ['Recipient', '\u0003'],
    ]);
    const ran = await folder.run(['init'], { prompts });
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/cancelled; nothing was written/);
    expect(await folder.files()).toEqual([]);
  });
});
