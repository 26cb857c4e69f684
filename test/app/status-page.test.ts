import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { unixMillis } from '../../src/core/index.ts';
import { createLog } from '../../src/core/logging/json-log.ts';
import { openPage } from '../../src/app/listeners/open-page.ts';
import { listenForHealth } from '../../src/web/index.ts';
import { manualClock } from '../support/manual-clock.ts';
import { noActions } from '../web/support/page-fixture.ts';
import { openTown } from './support/daemon.ts';

it('the status page of a daemon shows jobs, watermarks, mails and reports', async () => {
  await using town = await openTown('2026-11-20T12:00:00Z');
  await town.jobs(
    'pull-logs: { kind: pull-logs, since: 2026-11-19, schedule: "7 * * * *" }',
    'daily: { kind: report, report: spend-summary, period: yesterday, mail: { to: [finance@example.com] } }',
  );
  const daemon = await town.serve();
  const address = String((await daemon.line({ message: 'serving' }))['page']);
  const get = async (path = '/'): Promise<string> => (await fetch(`http://${address}${path}`)).text();
  expect(address).toMatch(/^127\.0\.0\.1:\d+$/);
  const first = await get();
  expect(first).toContain('No problems found.');
  expect(first).toContain('no data pulled yet');
  expect(first).toContain('contains no reports yet');

  expect((await town.run('run', 'pull-logs')).code).toBe(0);
  expect((await town.run('run', 'daily', '--slot', '2026-11-20')).code).toBe(0);
  const page = await get();
  const shown = page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
  expect(shown).toMatch(/Call log 2026-11-19 00:00 to 2026-11-20 11:50/);
  expect(shown).toMatch(/main: statistics equal/);
  expect(shown).toMatch(/Job daily .* Built 2026-11-20 12:00 \(now\)/);

  const { data } = JSON.parse((await town.run('status', '--json')).stdout) as {
    readonly data: {
      readonly accounts: readonly { readonly account: string; readonly log: { readonly end: string } }[];
      readonly reports: { readonly newest: readonly { readonly place: string; readonly slot: string }[] };
    };
  };
  expect(data.accounts).toMatchObject([{ account: 'main', log: { end: '2026-11-20T11:50:00.000Z' } }]);
  const [report] = data.reports.newest;
  expect(report?.slot).toBe('2026-11-20T00:00:00.000Z');
  const link = /href="\.(\/reports\/[^"]+)"/.exec(page)?.[1];
  expect(link).toBe(`/reports/${report?.place}`);
  const kept = await readFile(`${town.folder.path}/data/reports/${report?.place}/report.html`, 'utf8');
  expect(await get(link)).toBe(kept);

  await town.jobs('pull-logs: { kind: pull-moon }');
  const isTold = (): boolean =>
    daemon.lines().some(({ message }) => message === 'the new configuration is invalid and was not applied');
  // One look sees the change, a later one takes it for settled.
  while (!isTold()) {
    town.clock.advance(3_500);
    await get();
  }
  expect(await get()).toContain('remains active');
});

it('a status page that cannot be served is reported and does not end the daemon', async () => {
  await using other = await listenForHealth({
    host: '127.0.0.1',
    port: 0,
    health: () => ({ ready: true, version: '1' }),
  });
  let logged = '';
  const neverAsked = (): Promise<never> => Promise.reject(new Error('not asked'));
  const deps = {
    source: {
      view: neverAsked,
      status: neverAsked,
      feed: neverAsked,
      report: neverAsked,
      actions: noActions,
      links: { wasUsed: neverAsked, act: neverAsked },
      ended: { hasEnded: neverAsked, end: neverAsked },
    },
    zone: () => 'UTC',
    clock: manualClock(unixMillis(0)),
    redact: (text: string) => text,
    log: createLog({
      write: (text) => void (logged += text),
      level: 'debug',
      clock: manualClock(unixMillis(0)),
      redact: (text) => text,
    }),
  };
  const settings = { enabled: true, host: '127.0.0.1', port: other.port, names: [] };
  await using page = await openPage(settings, deps);
  expect(page.address).toBeUndefined();
  expect(JSON.parse(logged)).toMatchObject({
    level: 'warn',
    message: 'cannot serve the status page',
    code: 'port-in-use',
  });
  await using off = await openPage({ ...settings, enabled: false, port: 0 }, deps);
  expect(off.address).toBeUndefined();
});
