import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { sumMoney, money } from '../../src/core/index.ts';
import { openTown } from './support/daemon.ts';

const textOf = (page: string): string => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

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
  const settings = await readFile(`${town.folder.path}/config/tollkeeper.yaml`, 'utf8');
  await town.folder.write(
    'config/tollkeeper.yaml',
    `${settings.replace('admin_key: "${GATEWAY_ADMIN_KEY}"', 'admin_key: "${GATEWAY_ADMIN_KEY}", budget: { month: 900 }')}
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
