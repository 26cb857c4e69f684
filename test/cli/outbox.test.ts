import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatMoment, toSeconds } from '../../src/core/index.ts';
import { noPaint } from '../../src/cli/ui/paint.ts';
import { renderOutbox } from '../../src/cli/outbox/render.ts';
import { openPostOffice, type PostOffice } from '../notify/support/post-office.ts';
import { manualClock } from '../support/manual-clock.ts';
import { openFolder, defaultConfig, type Folder } from '../support/program.ts';
import { queueMails } from '../support/queue-mails.ts';
import { unreachable } from './support/fixture.ts';
import { at, hostile, pageFaults, screens } from './support/views.ts';

let folder: Folder;
let office: PostOffice;
const clock = manualClock();

beforeEach(async () => {
  folder = await openFolder();
  await defaultConfig(folder);
  await mkdir(join(folder.path, 'data'));
  office = await openPostOffice({
    without: ['STARTTLS', 'AUTH'],
    atRecipient: (address) =>
      address.startsWith('bad') ? '550 no such user' : address.startsWith('later') ? '451 later' : 'accept',
  });
  await queueMails(folder.path, clock, ['good@example.com', 'bad@example.com', 'later@example.com']);
});
afterEach(async () => {
  await office[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const run = (...argv: string[]) => {
  const env = { ...unreachable, SMTP_URL: office.url };
  return folder.run(argv, { env, clock });
};
const statesNow = async (...argv: string[]): Promise<readonly string[]> =>
  (JSON.parse((await run('outbox', '--json', ...argv)).stdout) as { id: string; state: string }[]).map(
    ({ id, state }) => `${id} ${state}`,
  );

describe('the `outbox` command', () => {
  it('lists, resends and drops messages without a daemon, and status requires no action once all are decided', async () => {
    const before = await run('outbox');
    expect(before).toMatchObject({ code: 0, stderr: '' });
    expect(before.stdout).toMatch(/^times in UTC\nID +STATE +KIND +RECIPIENT +TRIES +NEXT TRY/);
    expect(before.stdout).toMatch(
      /^1 +queued +report:daily-spend +good@example.com +- +\S+ \S+ \(now\) +\S+ \S+ +Spend$/m,
    );

    const sent = await run('outbox', 'resend', '1', '2', '3', '4');
    expect(sent.code).toBe(1);
    expect(sent.stdout).toMatch(/^1: sent to good@example\.com$/m);
    expect(sent.stdout).toMatch(/^2: failed: .*“550 no such user”$/m);
    expect(sent.stdout).toMatch(/^3: deferred, next attempt \S+ \S+ UTC: .*“451 later”$/m);
    expect(sent.stdout).toMatch(/^4: no such row$/m);
    expect(await statesNow()).toEqual(['3 deferred', '2 failed', '1 sent']);
    expect(await statesNow('--state', 'sent,failed', '-n', '1')).toEqual(['2 failed']);
    const [failed] = JSON.parse((await run('outbox', '-s', 'failed', '--json')).stdout) as unknown[];
    expect(failed).toMatchObject({
      route: 'mail',
      attempts: 1,
      recipient: 'bad@example.com',
      queuedAt: new Date(clock.now()).toISOString(),
      lastError: expect.stringContaining('550') as string,
    });
    expect((await run('status')).code).toBe(1);

    const dropped = await run('outbox', 'drop', '2', '2');
    expect(dropped).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^2: dropped; .* bad@example\.com\n$/) as string,
    });
    expect((await run('status')).code).toBe(0);
    expect(JSON.parse((await run('outbox', 'drop', '--json', '1', '2')).stdout)).toEqual([
      { id: '1', done: false, message: 'it is already sent to good@example.com' },
      { id: '2', done: true, message: 'it is already dropped' },
    ]);

    expect(await run('outbox', 'resend', '1')).toMatchObject({
      code: 0,
      stdout: '1: sent to good@example.com\n',
    });
    const [first, second] = office.received;
    expect(office.received).toHaveLength(2);
    expect(second?.bytes.equals(first?.bytes ?? Buffer.of())).toBe(true);
  });

  it('prints times of text in `timezone` and those of JSON in UTC, both with the subject line of the mail', async () => {
    const settings = join(folder.path, 'config', 'tollkeeper.yaml');
    await writeFile(
      settings,
      (await readFile(settings, 'utf8')).replace('timezone: UTC', 'timezone: Asia/Kolkata'),
    );
    const iso = new Date(clock.now()).toISOString();
    const local = formatMoment(toSeconds(clock.now()), 'Asia/Kolkata').slice(0, 16);
    const text = await run('outbox', '--state', 'queued');
    expect(text.stdout).toMatch(/^times in Asia\/Kolkata\n/);
    expect(text.stdout).toContain(`  ${local}  Spend\n`);
    const [row] = JSON.parse((await run('outbox', '--json')).stdout) as unknown[];
    expect(row).toMatchObject({ title: 'Spend', queuedAt: iso, next: iso });
    const resent = await run('outbox', 'resend', '3');
    expect(resent.stdout).toMatch(/^3: deferred, next attempt \S+ \S+ Asia\/Kolkata: /);
  });

  it('does not send a changed message', async () => {
    const stored = join(folder.path, 'data', 'outbox');
    for (const file of await readdir(stored)) await rm(join(stored, file));
    const ran = await run('outbox', 'resend', '1');
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^1: .* missing or damaged/);
    expect(office.connections()).toBe(0);
  });
});

describe('the table of the outbox', () => {
  it.each(screens)('keeps hostile values on their lines (%s)', (_, screen) => {
    const row = {
      id: '1',
      route: hostile,
      account: hostile,
      kind: hostile,
      subject: hostile,
      recipient: hostile,
      messageId: hostile,
      state: 'unknown' as const,
      attempts: 3,
      doubts: 3,
      queuedAt: at('2026-11-20T08:00:00Z'),
      changedAt: at('2026-11-20T08:00:00Z'),
      lastError: hostile,
      title: hostile,
      zone: 'Europe/Berlin',
    };
    expect(pageFaults(renderOutbox([row], clock.now(), screen), screen)).toEqual([]);
  });

  it('is one line when it is empty', () => {
    expect(renderOutbox([], clock.now(), { paint: noPaint })).toBe('no such mail\n');
  });
});
