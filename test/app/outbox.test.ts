import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { deferred } from '../control/support/control-fixture.ts';
import { openPostOffice } from '../notify/support/post-office.ts';
import { queueMails } from '../support/queue-mails.ts';
import { openTown } from './support/daemon.ts';

it('the daemon sends queued mail and handles requests about it', async () => {
  await using town = await openTown('2026-11-20T12:00:00Z');
  await town.jobs();
  await mkdir(join(town.folder.path, 'data'));
  await queueMails(town.folder.path, town.clock, ['a@example.com', 'b@example.com']);
  const daemon = await town.serve();
  const first = await town.mails(daemon, 2);
  expect(first.flatMap(({ recipients }) => recipients)).toEqual(['a@example.com', 'b@example.com']);

  const listed = await town.run('outbox', '--state', 'sent,failed', '--limit', '1', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id: '2', state: 'sent', recipient: 'b@example.com' }]);
  const resent = await town.run('outbox', 'resend', '1');
  // The daemon may already be sending it when the command is to.
  expect(resent).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^1: (?:being )?sent to a@example\.com\n$/) as string,
  });
  await daemon.line({ message: 'mail sent' }, 3);
  const [once, , again] = town.mail.taken;
  expect(again?.parsed.messageId).toBe(once?.parsed.messageId);
  await expect
    .poll(() => town.run('outbox', 'drop', '1'), { timeout: 60_000 })
    .toMatchObject({ code: 1, stdout: '1: it is already sent to a@example.com\n' });
});

it('a slow mail server delays neither jobs nor the shutdown, and its mail is sent once', async () => {
  const held = deferred();
  const arrived = deferred();
  await using office = await openPostOffice({
    without: ['STARTTLS', 'AUTH'],
    afterData: async () => {
      arrived.resolve();
      await held.promise;
      return 'accept';
    },
  });
  await using town = await openTown('2026-11-20T12:00:00Z');
  await town.jobs('tick: { kind: pull-usage, since: 2026-11-19, schedule: "* * * * *", notify: [] }');
  await town.configure((settings) =>
    settings.replace(/mail:\n(?: .*\n)+/, `mail: { smtp: "${office.url}", from: reports@example.com }\n`),
  );
  await mkdir(join(town.folder.path, 'data'));
  await queueMails(town.folder.path, town.clock, ['a@example.com', 'b@example.com']);
  const daemon = await town.serve();
  await arrived.promise;
  for (const nth of [1, 2]) {
    town.clock.advance(60_000);
    await daemon.line({ job: 'tick', message: 'run succeeded' }, nth);
  }
  const status = JSON.parse((await town.run('outbox', '--json')).stdout) as { state: string }[];
  expect(status.map(({ state }) => state)).toEqual(['queued', 'sending']);
  const ended = daemon.stop();
  await daemon.line({ message: 'stopping' });
  held.resolve();
  expect((await ended).code).toBe(0);
  expect(office.received.map(({ to }) => to)).toEqual([['a@example.com']]);
  const after = JSON.parse((await town.run('outbox', '--json')).stdout) as { state: string }[];
  expect(after.map(({ state }) => state)).toEqual(['queued', 'sent']);
});
