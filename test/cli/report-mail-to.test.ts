import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { simpleParser } from 'mailparser';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openPostOffice, type PostOffice } from '../notify/support/post-office.ts';
import { defaultConfig, openFolder, type Folder } from '../support/program.ts';

let folder: Folder;
let office: PostOffice;

beforeEach(async () => {
  folder = await openFolder();
  await defaultConfig(folder);
  await folder.write('config/jobs/spend.yaml', 'jobs:\n');
  office = await openPostOffice({
    without: ['STARTTLS', 'AUTH'],
    atRecipient: (address) => (address.startsWith('bad') ? '550 no such user' : 'accept'),
  });
});
afterEach(async () => {
  await office[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const run = (...argv: string[]) =>
  folder.run(['report', 'spend-summary', '--period', '2026-11-01..2026-11-03', ...argv], {
    env: { GATEWAY_BASE_URL: 'http://127.0.0.1:1', GATEWAY_ADMIN_KEY: 'sk-admin', SMTP_URL: office.url },
  });

describe('report --mail-to', () => {
  it('sends the mail of the report each time, marked as a test, and keeps nothing of it', async () => {
    const ran = await run('--mail-to', 'Me <me@example.com>', '--attach', 'csv');
    expect(ran.stdout).toMatch(/^\[Test\] AI spend · Nov 1 – 2, 2026 · .*\nsent to me@example\.com: “250 OK/);
    expect(ran.code).toBe(0);
    expect((await run('--mail-to', 'me@example.com', '--locale', 'zh')).code).toBe(0);

    const [first, second] = await Promise.all(office.received.map(async ({ bytes }) => simpleParser(bytes)));
    expect(first?.subject).toMatch(/^\[Test\] AI spend · Nov 1 – 2, 2026 · /);
    expect(first?.text).toContain('sent with tollkeeper report --mail-to');
    const names = first?.attachments.map(({ filename }) => filename) ?? [];
    expect(names).toContain('spend-summary.html');
    expect(names.filter((name) => name?.endsWith('.csv')).length).toBeGreaterThan(0);
    expect(second?.subject).toMatch(/^\[测试\] AI 支出 · /);

    for (const path of ['out', 'data/reports', 'data/outbox/1'])
      expect(existsSync(join(folder.path, path))).toBe(false);
    const outbox = await folder.run(['outbox', '--json'], {
      env: { GATEWAY_BASE_URL: 'http://127.0.0.1:1', GATEWAY_ADMIN_KEY: 'sk-admin', SMTP_URL: office.url },
    });
    expect(JSON.parse(outbox.stdout)).toEqual([]);
  });

  it('also writes files into a folder that is named', async () => {
    const ran = await run('--mail-to', 'me@example.com', '--out', 'here', '--json');
    expect(JSON.parse(ran.stdout)).toMatchObject({
      subject: expect.stringMatching(/^\[Test\] /) as string,
      files: [
        join(folder.path, 'here', 'spend-summary.html'),
        join(folder.path, 'here', 'spend-summary.txt'),
      ],
      mailed: { recipient: 'me@example.com', response: expect.stringMatching(/^“250 OK/) as string },
    });
  });

  it('states the next step when the server refuses the recipient', async () => {
    const ran = await run('--mail-to', 'bad@example.com');
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/“550 no such user”/);
    expect(office.received).toHaveLength(0);
  });
});
