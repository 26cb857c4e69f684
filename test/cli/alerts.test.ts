import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { money, unixMillis } from '../../src/core/index.ts';
import { renderAlerts } from '../../src/cli/alerts/render.ts';
import { renderStatus } from '../../src/cli/status/command.ts';
import { noPaint } from '../../src/cli/ui/paint.ts';
import type { AlertView } from '../../src/app/index.ts';
import { openPostOffice, type PostOffice } from '../notify/support/post-office.ts';
import { approved, titled } from '../support/approved.ts';
import { openCliFixture, type CliFixture } from './support/fixture.ts';
import { hostile, now, pageFaults, screens, statusView } from './support/views.ts';

describe('the `alerts` command', () => {
  let fixture: CliFixture;
  let office: PostOffice;

  beforeEach(async () => {
    office = await openPostOffice({ without: ['STARTTLS', 'AUTH'] });
    fixture = await openCliFixture({
      now: Date.UTC(2026, 10, 20, 12),
      months: 2,
      env: { SMTP_URL: office.url },
      settings: `timezone: UTC
accounts:
  main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}", currency: USD, budget: { month: "1000000" } }
warehouse: { path: data/tollkeeper.duckdb, memory_limit: 512MB, threads: 1 }
mail: { smtp: "\${SMTP_URL}", from: "Tollkeeper <reports@example.com>", operators: [ops@example.com] }
budgets:
  tiny: { amount: "0.01", forecast_thresholds: [] }
  typo: { model: gtp-5, amount: 5 }
`,
      jobs: `jobs:
  pull-logs: { kind: pull-logs, schedule: "7 * * * *", since: 2026-10-01 }
  budget-alerts: { kind: alert, needs: [pull-logs] }
`,
    });
  });
  afterEach(async () => {
    await fixture[Symbol.asyncDispose]();
    await office[Symbol.asyncDispose]();
  });

  const run = (argv: readonly string[], terminal?: number) =>
    fixture.run(argv, terminal === undefined ? {} : { terminal });

  it('lists budgets before their first evaluation, and the alert job has the slots of its pull', async () => {
    const listed = await run(['alerts']);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(/^account-main +not evaluated/m);
    const next = await run(['next', 'budget-alerts', '--count', '1']);
    expect(next.stdout).toContain('2026-11-20 12:07');
  });

  it('lists, adds and removes days that are known to be unusual, and records who did it', async () => {
    const expecting = ['alerts', 'expect', '--from', '2026-11-27', '--to', '2026-11-30'];
    const added = await run([...expecting, '--reason', 'sale', '--json']);
    expect(JSON.parse(added.stdout)).toMatchObject([
      { account: 'main', first: '2026-11-27', last: '2026-11-30', reason: 'sale' },
    ]);
    const listed = await run(['alerts', 'expect']);
    expect(listed.stdout).toMatch(/^2026-11-27 +2026-11-30 +main +person .* +sale$/m);
    const removed = await run([...expecting, '--remove']);
    expect(removed).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse((await run(['alerts', 'expect', '--json'])).stdout)).toEqual([]);
    const log = JSON.parse((await run(['alerts', 'log', '--json'])).stdout) as readonly object[];
    expect(log).toMatchObject([
      { action: 'expect', subject: '2026-11-27 to 2026-11-30', detail: 'sale' },
      { action: 'forget', subject: '2026-11-27 to 2026-11-30', detail: '' },
    ]);
    for (const wrong of [
      ['--reason', 'sale'],
      ['--from', '2026-11-27'],
      ['--from', '2026-11-31', '--reason', 'sale'],
      ['--from', '2026-11-27', '--to', '2026-11-26', '--reason', 'sale'],
      ['--from', '2026-11-27', '--remove'],
      ['--from', '2026-11-27', '--reason', 'sale', '--account', 'mian'],
    ]) {
      const { code, stderr } = await run(['alerts', 'expect', ...wrong]);
      expect([code, stderr.length > 0]).toEqual([2, true]);
    }
  });

  it('shows states on 80 columns, mutes, acknowledges, and records who did it', async () => {
    const evaluated = await run(['run', 'budget-alerts']);
    expect(evaluated.code).toBe(0);
    expect(evaluated.stdout).toContain('3 budgets evaluated: 1 exceeded, 1 unknown');
    expect(office.received).toHaveLength(1);

    const listed = await run(['alerts'], 80);
    expect(listed.code).toBe(1);
    const plain = stripVTControlCharacters(listed.stdout);
    for (const line of plain.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(plain).toMatch(/^account-main +ok +\$[\d.]+ +\$1,000,000\.00 +0%/m);
    expect(plain).toMatch(/^tiny +exceeded +\$[\d.]+ +\$0\.010 +\d+%/m);
    expect(plain).toMatch(/^typo +unknown/m);
    expect(plain).toContain('no call of model gtp-5');

    const acknowledged = await run(['alerts', 'ack', 'tiny', '--reason', 'load test']);
    expect(acknowledged.stdout).toMatch(/^tiny \(account main\): acknowledged by person /);
    const muted = await run(['alerts', 'mute', 'typo', '--until', '2026-12-01', '--json']);
    expect(JSON.parse(muted.stdout)).toMatchObject({
      alert: 'typo',
      message: expect.stringContaining('muted until 2026-12-01 00:00 UTC') as string,
    });
    const after = await run(['alerts']);
    expect(after.code).toBe(0);
    expect(after.stdout).toMatch(/acknowledged by person .*: load test/);
    expect(after.stdout).toMatch(/muted until 2026-12-01 00:00 UTC by person /);

    expect((await run(['alerts', 'unmute', 'typo'])).stdout).toContain('no longer muted');
    const log = await run(['alerts', 'log']);
    expect(log.stdout).toMatch(/unmute +main\/typo/);
    expect(log.stdout).toMatch(/mute +main\/typo +until 2026-12-01T00:00:00\.000Z/);
    expect(log.stdout).toMatch(/acknowledge +main\/tiny +load test/);
  });

  it('and `status` show quotas without readings as one line with one next step, and all of them as JSON', async () => {
    await fixture.folder.write('config/jobs/snapshot.yaml', 'jobs:\n  readings: { kind: snapshot }\n');
    for (const job of ['readings', 'budget-alerts']) expect((await run(['run', job])).code).toBe(0);
    const all = JSON.parse((await run(['alerts', '--json'])).stdout) as readonly {
      readonly alert: string;
      readonly state: string;
      readonly texts: { readonly reason?: string; readonly hint?: string };
    }[];
    const unread = all.filter(
      ({ alert }) => alert !== 'typo' && alert !== 'tiny' && alert !== 'account-main',
    );
    expect(unread.length).toBeGreaterThan(2);
    const { reason = '', hint = '' } = unread[0]?.texts ?? {};
    for (const { state, texts } of unread)
      expect([state, texts]).toMatchObject(['unknown', { reason, hint }]);
    for (const command of ['alerts', 'status']) {
      const page = (await run([command])).stdout;
      expect(page).toContain(`${unread.length} alerts are unknown because ${reason}: ${unread[0]?.alert}, `);
      expect(page.split(hint)).toHaveLength(2);
    }
    const { data } = JSON.parse((await run(['status', '--json'])).stdout) as {
      readonly data: { readonly unknownAlerts: readonly unknown[] };
    };
    expect(data.unknownAlerts).toEqual(
      all
        .filter(({ state }) => state === 'unknown')
        .map(({ alert, texts }) => ({ account: 'main', alert, reason: texts.reason, hint: texts.hint })),
    );
  });

  it.each([
    ['mute acount-main --until 2026-12-01', /no alert acount-main[^]*did you mean account-main\?/],
    ['mute tiny --until soon', /"soon" is not a date [^]*a date such as 2026-12-01/],
    ['mute tiny --until 2026-11-01', /is in the past[^]*tollkeeper alerts unmute/],
    ['ack tiny', /does not fire[^]*tollkeeper alerts/],
  ])('refuses %j', async (argv, message) => {
    const ran = await run(['alerts', ...argv.split(' ')]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(message);
  });
});

const few = { reason: 'snapshots are missing', hint: 'Take `snapshots`.' };
const old = { reason: 'the last snapshot is old', hint: 'Check the job.' };

const quota = (alert: string, texts: AlertView['texts'] = few, more: Partial<AlertView> = {}): AlertView => ({
  account: 'main',
  alert,
  state: 'unknown',
  tone: 'warn',
  title: 'Balance or quota',
  zone: 'UTC',
  cells: [{ title: 'Lasts', text: 'unknown' }],
  texts: { lasts: 'unknown', ...texts },
  status: { kind: 'key', state: 'unknown' },
  firing: [],
  ...more,
});

const keys = Array.from({ length: 15 }, (_, index) => `key:ci-${index + 1}`);

const pipe = { paint: noPaint };

const statusOf = (names: readonly string[], texts = few) =>
  statusView({
    data: {
      zone: 'UTC',
      accounts: [],
      reports: { newest: [] },
      unknownAlerts: [
        ...names.map((alert) => ({ account: 'main', alert, ...texts })),
        { account: 'main', alert: 'key:old', ...old },
      ],
    },
  });

it('alerts that are unknown for one reason are one line with one next step, in the list of alerts and in the status', async () => {
  const known: Partial<AlertView> = {
    state: 'ok',
    status: { kind: 'key', state: 'known' },
    texts: { lasts: '9 days' },
    cells: [{ title: 'Lasts', text: '9 days' }],
  };
  const alerts = [
    ...keys.map((alert) => quota(alert)),
    quota('key:a', old),
    quota('key:b', old),
    quota('key:alone', { reason: 'the cause is not known', hint: 'Ask.' }),
    quota('key:known', {}, known),
  ];
  const pages = titled([
    ['alerts', renderAlerts(alerts, pipe)],
    [
      'alerts of two accounts',
      renderAlerts([quota('key:a'), quota('key:a', few, { account: 'other' })], pipe),
    ],
    ['status', renderStatus(statusOf(keys), pipe)],
  ]);
  await expect(pages).toMatchFileSnapshot(approved('cli/unknown-alerts'));
});

describe('the list of alerts', () => {
  it('keeps a row for an unknown alert that fires, is muted or has figures', () => {
    const status = {
      kind: 'budget' as const,
      scope: 'account',
      amount: money('5'),
      currency: 'USD',
      zone: 'UTC',
      start: 0,
      end: 1,
      state: 'unknown' as const,
      levels: [],
    } satisfies AlertView['status'];
    const page = renderAlerts(
      [
        quota('key:fires', few, {
          firing: [{ alert: 'key:fires', level: '7 days', period: '0', state: 'firing', raisedAt: now }],
        }),
        quota('key:muted', few, {
          mute: { account: 'main', alert: 'key:muted', until: now, mutedAt: unixMillis(0), by: 'ann' },
        }),
        quota('growth', { ...few, spend: '$1.00' }, { status: { ...status, spend: money('1') } }),
        quota('search', { ...few, spend: '$2.00' }, { status: { ...status, spend: money('2') } }),
      ],
      pipe,
    );
    for (const name of ['key:fires', 'key:muted', 'growth', 'search'])
      expect(page).toMatch(new RegExp(`^${name} +unknown`, 'm'));
    expect(page).not.toContain('alerts are unknown');
  });

  it.each(screens)('on %s has no line that is too long for any name', (_, screen) => {
    const named = [hostile, `${hostile}2`, ...keys].map((alert) =>
      quota(alert, { reason: hostile, hint: hostile }),
    );
    expect(pageFaults(renderAlerts(named, screen), screen)).toEqual([]);
  });
});

describe('the status', () => {
  it.each(screens)('on %s has no line of unknown alerts that is too long', (_, screen) => {
    const page = renderStatus(statusOf([hostile, ...keys], { reason: hostile, hint: hostile }), screen);
    expect(pageFaults(page, screen)).toEqual([]);
  });
});
