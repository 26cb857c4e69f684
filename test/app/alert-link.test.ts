import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { openTown } from './support/daemon.ts';

const token = 'a-token-of-the-status-page';

it('the link of an alert mail opens a page that acknowledges the alert once; without a login the rest is closed', async () => {
  await using town = await openTown('2026-11-20T12:00:00Z');
  const settings = await readFile(`${town.folder.path}/config/tollkeeper.yaml`, 'utf8');
  await town.folder.write('token', token);
  const status = (more: string): string =>
    settings
      .replace(
        'admin_key: "${GATEWAY_ADMIN_KEY}"',
        'admin_key: "${GATEWAY_ADMIN_KEY}", budget: { month: 0.01 }',
      )
      .replace('status: { port: 0 }', `status: { port: 0, host: 0.0.0.0${more} }`);
  await town.jobs(
    'pull-logs: { kind: pull-logs, since: 2026-11-01, schedule: "7 * * * *" }',
    'budgets: { kind: alert, needs: [pull-logs] }',
  );
  await town.folder.write('config/tollkeeper.yaml', status(''));
  const checked = await town.run('check');
  expect(checked.stdout.replaceAll(/\s+/g, ' ')).toContain('keeps listening on 127.0.0.1 instead');
  const before = await town.serve();
  expect(String((await before.line({ message: 'serving' }))['page'])).toMatch(/^127\.0\.0\.1:/);
  await before.line({ message: 'the status page listens on 127.0.0.1 only: it has no login' });
  await before.stop();

  await town.folder.write(
    'config/tollkeeper.yaml',
    status(`, token: "\${file:${town.folder.path}/token}", public_url: "http://localhost:8081/"`),
  );
  expect((await town.run('check')).stdout).not.toContain('keeps listening');
  const daemon = await town.serve();
  const address = String((await daemon.line({ message: 'serving' }))['page']);
  expect(address).toMatch(/^0\.0\.0\.0:/);
  const base = `http://127.0.0.1:${address.split(':')[1]}`;
  expect((await fetch(`${base}/status.json`)).status).toBe(401);
  expect((await town.run('run', 'pull-logs')).code).toBe(0);
  expect((await town.run('run', 'budgets')).code).toBe(0);
  const [mail] = await town.mails(daemon, 1);
  const [link = ''] = /http:\/\/localhost:8081\/alert-links\/\S+/.exec(mail?.parsed.text ?? '') ?? [];
  expect(String(mail?.parsed.html)).toContain(`href="${link}"`);
  const own = link.replace('http://localhost:8081', base);

  const opened = await fetch(own);
  expect([opened.status, (await opened.text()).includes('account-main')]).toEqual([200, true]);
  const alerts = async (): Promise<string> => (await town.run('alerts', '--json')).stdout;
  expect(await alerts()).not.toContain('acknowledged');
  const act = async (): Promise<number> =>
    (
      await fetch(own, {
        method: 'POST',
        headers: { 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ action: 'acknowledge' }),
      })
    ).status;
  expect(await act()).toBe(200);
  expect(await alerts()).toMatch(/"acknowledged": \{[^}]*"by": "mail link main [0-9a-f]{16}"/);
  expect([await act(), (await fetch(own)).status]).toEqual([410, 410]);
  expect(
    daemon
      .lines()
      .map((line) => JSON.stringify(line))
      .join(''),
  ).not.toContain(token);
});
