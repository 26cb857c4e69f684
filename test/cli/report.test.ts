import { existsSync } from 'node:fs';
import { mkdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { simpleParser } from 'mailparser';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostOffice } from '../notify/support/post-office.ts';
import { defaultConfig, openFolder, type Folder } from '../support/program.ts';
import { unreachable } from './support/fixture.ts';

let folder: Folder;
beforeEach(async () => {
  folder = await openFolder();
  await defaultConfig(folder);
  await folder.write('config/jobs/spend.yaml', 'jobs:\n');
});
afterEach(() => folder[Symbol.asyncDispose]());

const report = (argv: readonly string[], smtp = unreachable.SMTP_URL) =>
  folder.run(['report', 'spend-summary', '--period', '2026-11-01..2026-11-03', ...argv], {
    env: { ...unreachable, SMTP_URL: smtp },
  });

it('`report --locale` overrides the configured language', async () => {
  expect((await report(['--locale', 'zh'])).stdout).toMatch(/^AI 支出 · 2026年11月1日 – 2日 · 尚无数据/);
  expect((await report(['--locale', 'de'])).stdout).toMatch(/^KI-Kosten · 01\.–02\.11\.2026 · /);
  expect((await report([])).stdout).toMatch(/^AI spend · Nov 1 – 2, 2026 · /);
});

it('`report --out` does not write through a symbolic link in the folder, which itself may be one', async () => {
  await mkdir(join(folder.path, 'real'));
  await symlink('real', join(folder.path, 'out'));
  const written = await report(['--out', 'out']);
  expect(written.code).toBe(0);
  await folder.write('other/precious.txt', 'keep me');
  await mkdir(join(folder.path, 'shared'));
  const [file = ''] = written.stdout.match(/\S+\.html/) ?? [];
  await symlink('../other/precious.txt', join(folder.path, 'shared', file.split('/').at(-1) ?? ''));
  const refused = await report(['--out', 'shared']);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/is a symbolic link.*\n {2}what to do: .*--out/);
  expect(await readFile(join(folder.path, 'other/precious.txt'), 'utf8')).toBe('keep me');
});

describe('report --mail-to', () => {
  const openOffice = () =>
    openPostOffice({
      without: ['STARTTLS', 'AUTH'],
      atRecipient: (address) => (address.startsWith('bad') ? '550 no such user' : 'accept'),
    });

  it('sends the mail of the report each time, marked as a test, and keeps nothing of it', async () => {
    await using office = await openOffice();
    const ran = await report(['--mail-to', 'Me <me@example.com>', '--attach', 'csv'], office.url);
    expect(ran.stdout).toMatch(/^\[Test\] AI spend · Nov 1 – 2, 2026 · .*\nsent to me@example\.com: “250 OK/);
    expect(ran.code).toBe(0);
    expect((await report(['--mail-to', 'me@example.com', '--locale', 'zh'], office.url)).code).toBe(0);

    const [first, second] = await Promise.all(office.received.map(async ({ bytes }) => simpleParser(bytes)));
    expect(first?.subject).toMatch(/^\[Test\] AI spend · Nov 1 – 2, 2026 · /);
    expect(first?.text).toContain('sent with tollkeeper report --mail-to');
    const names = first?.attachments.map(({ filename }) => filename) ?? [];
    expect(names).toContain('spend-summary.html');
    expect(names.filter((name) => name?.endsWith('.csv')).length).toBeGreaterThan(0);
    expect(second?.subject).toMatch(/^\[测试\] AI 支出 · /);

    for (const path of ['out', 'data/reports', 'data/outbox/1'])
      expect(existsSync(join(folder.path, path))).toBe(false);
    const outbox = await folder.run(['outbox', '--json'], { env: unreachable });
    expect(JSON.parse(outbox.stdout)).toEqual([]);
  });

  it('also writes files into a folder that is named', async () => {
    await using office = await openOffice();
    const ran = await report(['--mail-to', 'me@example.com', '--out', 'here', '--json'], office.url);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      subject: expect.stringMatching(/^\[Test\] /) as string,
      files: ['html', 'txt'].map((ending) => join(folder.path, 'here', `spend-summary.${ending}`)),
      mailed: { recipient: 'me@example.com', response: expect.stringMatching(/^“250 OK/) as string },
    });
  });

  it('states the next step when the server refuses the recipient', async () => {
    await using office = await openOffice();
    const ran = await report(['--mail-to', 'bad@example.com'], office.url);
    expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('“550 no such user”') });
    expect(office.received).toHaveLength(0);
  });
});
