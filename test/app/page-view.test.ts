import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { sumMoney, money, unixMillis } from '../../src/core/index.ts';
import { openTown } from './support/daemon.ts';
import { createLog } from '../../src/core/logging/json-log.ts';
import { openPage } from '../../src/app/listeners/open-page.ts';
import { listenForHealth } from '../../src/web/index.ts';
import { manualClock } from '../support/manual-clock.ts';

const textOf = (page: string): string => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

type PageDeps = Parameters<typeof openPage>[1];

type Json = {
  readonly team?: string;
  readonly needsPerson: readonly string[];
  readonly spend: readonly {
    readonly through: string;
    readonly sums: { readonly today: string; readonly yesterday: string; readonly month: string };
    readonly days: readonly { readonly date: string; readonly spend: string }[];
    readonly teams: readonly { readonly team: string; readonly month: string }[];
    readonly budget?: string;
  }[];
  readonly alerts: readonly { readonly alert: string; readonly team?: string }[];
  readonly history: {
    readonly jobs: readonly { readonly job: string; readonly states: readonly unknown[] }[];
  };
  readonly nextMails: readonly { readonly job: string; readonly at: string; readonly team?: string }[];
  readonly jobs: readonly { readonly job: string }[];
};

it('the page of a daemon shows spend, budgets, next mails and history, of all and of one team', async () => {
  await using town = await openTown('2026-11-20T12:00:00Z');
  const second = (text: string): number => Date.parse(text) / 1000;
  // The gateway shows rows after ten minutes.
  const truth = town.sandbox.truth.sums(second('2026-11-01'), second('2026-11-20T11:50:00Z'));
  const [first = '', ofFirst] = Object.entries(truth.byKey).find(([, net]) => Number(net) > 1) ?? [];
  await town.configure(
    (
      settings,
    ) => `${settings.replace('admin_key: "${GATEWAY_ADMIN_KEY}"', 'admin_key: "${GATEWAY_ADMIN_KEY}", budget: { month: 900 }')}
teams:
  search: { keys: ["${first}"], mail: [search@example.com], budget: { month: 0.01 } }
`,
  );
  await town.jobs(
    'pull-logs: { kind: pull-logs, since: 2026-11-01, schedule: "7 * * * *" }',
    'budgets: { kind: alert, needs: [pull-logs] }',
    'daily: { kind: report, report: spend-summary, period: yesterday, schedule: "0 8 * * *", each_team: true, mail: { to: [finance@example.com] } }',
  );
  const daemon = await town.serve();
  const address = String((await daemon.line({ message: 'serving' }))['page']);
  const get = async (path = '/') => {
    const answer = await fetch(`http://${address}${path}`);
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
  };
  expect(textOf((await get()).text)).toContain('has not been pulled yet');
  expect((await town.run('run', 'pull-logs')).code).toBe(0);
  expect((await town.run('run', 'budgets')).code).toBe(0);

  const whole = JSON.parse((await get('/status.json')).text) as Json;
  const [spend] = whole.spend;
  expect(spend?.through).toBe('2026-11-20T11:50:00.000Z');
  expect(spend?.budget).toBe('900');
  expect(spend?.sums.month).toBe(money(truth.net));
  const days = (spend?.days ?? []).filter(({ date }) => date >= '2026-11-01');
  expect(sumMoney(days.map((day) => money(day.spend)))).toBe(money(truth.net));
  expect(spend?.teams.find(({ team }) => team === 'search')?.month).toBe(money(ofFirst ?? ''));
  expect(sumMoney((spend?.teams ?? []).map((team) => money(team.month)))).toBe(money(truth.net));
  expect(whole.alerts.map(({ alert }) => alert)).toEqual(['account-main', 'team-search']);
  expect(whole.nextMails.map(({ job, team }) => [job, team])).toEqual([
    ['daily', 'search'],
    ['daily', undefined],
  ]);
  const pulls = whole.history.jobs.find(({ job }) => job === 'pull-logs');
  expect([pulls?.states.length, pulls?.states.at(-1)]).toEqual([90, 'ok']);

  const page = textOf((await get()).text);
  expect(page).toContain('Alert firing team-search');
  expect(page).toMatch(/team-search exceeded .* \$[\d.]+ of \$0\.01/);

  const team = JSON.parse((await get('/status.json?team=search')).text) as Json;
  expect(team.spend[0]?.sums.month).toBe(spend?.teams.find((one) => one.team === 'search')?.month);
  expect(team.spend[0]?.budget).toBe('0.01');
  expect([team.alerts.map(({ alert }) => alert), team.jobs.map(({ job }) => job)]).toEqual([
    ['team-search'],
    ['daily'],
  ]);
  expect(textOf((await get('/?team=search')).text)).not.toContain('account-main');
  const unknown = await get('/?team=unknown');
  expect([unknown.status, textOf(unknown.text)]).toEqual([404, expect.stringContaining('no such team')]);

  const badge = await get('/badge/pull-logs.svg');
  expect([badge.status, badge.type]).toEqual([200, 'image/svg+xml']);
  expect(badge.text).toContain('<title>pull-logs: ok under 1 s ago</title>');
  expect((await get('/badge/nothing.svg')).status).toBe(404);
  const feed = await get('/feed.atom');
  expect(feed.type).toContain('application/atom+xml');
  expect(feed.text).toContain('<title>Alert team-search (account main) fires</title>');
  expect(feed.text).toMatch(
    /<content>Budget team-search of \$0\.010: actual 100%; spend \$[\d.]+<\/content>/,
  );
});

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
  const clock = manualClock(unixMillis(0));
  // A page that is not served receives no requests.
  const deps = {
    source: {} as PageDeps['source'],
    zone: () => 'UTC',
    clock,
    redact: (text: string) => text,
    log: createLog({
      write: (text) => void (logged += text),
      level: 'debug',
      clock,
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
