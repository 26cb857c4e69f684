import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { openWebServer } from '../../notify/support/web-server.ts';
import { openTown } from '../support/daemon.ts';

it('operators are notified of an outage once by mail and once over a route', async () => {
  await using town = await openTown('2026-11-20T12:00:00Z');
  await using web = await openWebServer((_asked, response) => void response.end());
  await town.folder.write('hook-secret', 'hook-secret-of-the-pager');
  await town.folder.write(
    'config/tollkeeper.yaml',
    `timezone: UTC
accounts:
  main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}" }
warehouse: { memory_limit: 512MB, threads: 1 }
mail:
  smtp: "\${SMTP_URL}"
  from: "Tollkeeper <reports@example.com>"
  operators: [ops@example.com, pager]
  tls: { ca: ${town.mail.ca} }
routes:
  pager: { webhook: { url: ${web.url}/pager, secret: "\${file:${town.folder.path}/hook-secret}" } }
health: { host: 127.0.0.1, port: 0 }
status: { port: 0 }
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
