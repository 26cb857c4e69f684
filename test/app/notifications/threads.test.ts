import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { simpleParser } from 'mailparser';
import { expect, it } from 'vitest';
import { unixMillis } from '../../../src/core/index.ts';
import type { KeyAlert } from '../../../src/keys/index.ts';
import type { Mail } from '../../../src/notify/index.ts';
import type { Notice } from '../../../src/scheduler/index.ts';
import { openOutboxFixture } from '../../notify/support/outbox-fixture.ts';
import { deps, jobNamed, keyAlertMail, noticeMails, noticeOf } from '../support/alert-emails.ts';
import { createHmac } from 'node:crypto';
import { openWebServer } from '../../notify/support/web-server.ts';
import { openTown } from '../support/daemon.ts';

/** The numbers of the mails, from 0, to which each of these refers when they are enqueued one after the other. */
const parentsOf = async (mails: readonly (Mail | undefined)[]): Promise<readonly (readonly number[])[]> => {
  await using fixture = await openOutboxFixture();
  for (const mail of mails) {
    if (mail === undefined) throw new Error('no mail');
    await fixture.enqueue({ images: [], ...mail });
  }
  const rows = await fixture.outbox.list();
  const ids = rows.map(({ messageId }) => messageId);
  return Promise.all(
    rows.map(async ({ file }) => {
      const { inReplyTo = '' } = await simpleParser(await readFile(join(fixture.folder, file)));
      return inReplyTo
        .split(' ')
        .filter((id) => id !== '')
        .map((id) => ids.indexOf(id));
    }),
  );
};

const alertOf = (kind: KeyAlert['kind'], key: string, change: Partial<KeyAlert> = {}): Mail | undefined =>
  keyAlertMail(
    {
      kind,
      account: 'main',
      service: 'billing',
      rotation: 'r1',
      about: { event: 'paused', why: `${kind} ${key}` },
      key,
      ...change,
    },
    unixMillis(Date.parse('2026-11-21T08:30:00Z')),
    { ...deps(), teams: [], keyNames: [] },
  );

it('the mails of one rotation of a service are one thread, reminders included', async () => {
  expect(
    await parentsOf([
      alertOf('failed', 'r1/failed/deliver/x'),
      alertOf('waiting', 'r1/waiting/deliver'),
      alertOf('waiting', 'r1/still waits/1'),
      alertOf('held', 'r2/7/used/held', { rotation: 'r2' }),
      alertOf('held', 'r1/7/used/held', { service: 'search' }),
      alertOf('escalated', 'r1/7/used/escalated'),
      alertOf('done', 'r1/done'),
      alertOf('escalated', 'r2/7/used/escalated', { rotation: 'r2' }),
    ]),
  ).toEqual([[], [0], [0], [], [], [0], [0], [3]]);
});

it('the mail about the end of each outage refers to the mail about its start, also where mails combine outages', async () => {
  const jobs = deps(jobNamed('pull-logs'), jobNamed('spend'), jobNamed('archive'));
  const later = { job: 'spend', slot: unixMillis(7), openedAt: unixMillis(8) };
  const mailOf = (...notices: readonly Notice[]): Mail | undefined => noticeMails(notices, jobs)[0];
  expect(
    await parentsOf([
      mailOf(noticeOf('pull-logs', 'failed'), noticeOf('spend', 'late')),
      mailOf(noticeOf('archive', 'missed')),
      mailOf(noticeOf('spend', 'recovered')),
      mailOf(noticeOf('spend', 'failed', { outage: later })),
      mailOf(noticeOf('spend', 'recovered', { outage: later })),
      mailOf(noticeOf('archive', 'recovered'), noticeOf('pull-logs', 'recovered')),
    ]),
  ).toEqual([[], [], [0], [], [3], [1, 0]]);
});

it('an outage notifies operators once by mail and once through a route', async () => {
  await using town = await openTown('2026-11-20T12:00:00Z');
  await using web = await openWebServer((_asked, response) => void response.end());
  await town.folder.write('hook-secret', 'hook-secret-of-the-pager');
  await town.configure(
    (settings) =>
      `${settings.replace('[ops@example.com]', '[ops@example.com, pager]')}routes:
  pager: { webhook: { url: ${web.url}/pager, secret: "\${file:${town.folder.path}/hook-secret}" } }
`,
  );
  await town.jobs(
    'pull-logs: { kind: pull-logs, since: 2026-11-19, schedule: "7 * * * *", retries: { limit: 0 } }',
  );
  const daemon = await town.serve();
  town.sandbox.faults.plant({ path: '/api/log/self/stream-export', kind: 'status', status: 403, times: 99 });
  town.clock.set(Date.parse('2026-11-20T12:07:01Z'));
  await daemon.line({ job: 'pull-logs', message: 'the run failed' });
  const [mail] = await town.mails(daemon, 2);
  expect(mail?.recipients).toEqual(['ops@example.com']);
  const [asked] = web.asked;
  expect(web.asked).toHaveLength(1);
  const body = JSON.parse(asked?.body ?? '') as { readonly sections: readonly { paragraphs: string[] }[] };
  expect(body).toMatchObject({ kind: 'notice', subject: 'Tollkeeper: pull-logs failed', total: null });
  expect(body.sections[0]?.paragraphs.slice(0, 3)).toEqual([
    'pull-logs failed',
    expect.stringMatching(/^Reason: .*stream-export \(403\).*the scope logs:read$/),
    expect.stringMatching(/^What to do: /),
  ]);
  const [, time, mac] = /^t=(\d+),v1=(.+)$/.exec(String(asked?.headers['x-tollkeeper-signature'])) ?? [];
  expect(mac).toBe(
    createHmac('sha256', 'hook-secret-of-the-pager').update(`${time}.${asked?.body}`).digest('hex'),
  );
});
