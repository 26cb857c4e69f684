import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { openPostOffice, type PostOffice } from '../notify/support/post-office.ts';
import { manualClock } from '../support/manual-clock.ts';
import { openFolder, type Folder } from '../support/program.ts';

let folder: Folder;
let office: PostOffice;
let gateway: Sandbox;
const clock = manualClock(Date.UTC(2026, 10, 20, 12));

beforeEach(async () => {
  folder = await openFolder();
  gateway = await startSandbox({ now: clock.now, months: 2, callsPerDay: 20 });
  office = await openPostOffice({ without: ['STARTTLS', 'AUTH'] });
  await folder.write(
    'config/tollkeeper.yaml',
    `timezone: UTC
accounts:
  main: { base_url: "\${GATEWAY_BASE_URL}", admin_key: "\${GATEWAY_ADMIN_KEY}", currency: USD, budget: { month: "1000000" } }
warehouse: { path: data/tollkeeper.duckdb, memory_limit: 512MB, threads: 1 }
mail: { smtp: "\${SMTP_URL}", from: "Tollkeeper <reports@example.com>", operators: [ops@example.com] }
budgets:
  tiny: { amount: "0.01", forecast_thresholds: [] }
  typo: { model: gtp-5, amount: 5 }
`,
  );
  await folder.write(
    'config/jobs/jobs.yaml',
    `jobs:
  pull-logs: { kind: pull-logs, schedule: "7 * * * *", since: 2026-10-01 }
  budget-alerts: { kind: alert, needs: [pull-logs] }
`,
  );
});
afterEach(async () => {
  await office[Symbol.asyncDispose]();
  await gateway.stop();
  await folder[Symbol.asyncDispose]();
});

const run = (argv: readonly string[], terminal?: number) =>
  folder.run(argv, {
    env: { GATEWAY_BASE_URL: gateway.baseUrl, GATEWAY_ADMIN_KEY: gateway.adminKey, SMTP_URL: office.url },
    clock,
    ...(terminal === undefined ? {} : { terminal }),
  });

describe('the `alerts` command', () => {
  it('lists budgets before their first evaluation, and the alert job has the slots of its pull', async () => {
    const listed = await run(['alerts']);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(/^account-main +not evaluated/m);
    const next = await run(['next', 'budget-alerts', '--count', '1']);
    expect(next.stdout).toContain('2026-11-20 12:07');
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
    await folder.write('config/jobs/snapshot.yaml', 'jobs:\n  readings: { kind: snapshot }\n');
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
    expect([reason, hint]).toEqual([
      expect.stringContaining('snapshots'),
      expect.stringContaining('`tollkeeper'),
    ]);
    for (const { state, texts } of unread)
      expect([state, texts]).toMatchObject(['unknown', { reason, hint }]);
    const [listed, status] = [(await run(['alerts'])).stdout, (await run(['status'])).stdout];
    for (const page of [listed, status]) {
      expect(page).toContain(`${unread.length} alerts are unknown because ${reason}: ${unread[0]?.alert}, `);
      expect(page.split(hint)).toHaveLength(2);
    }
    expect(listed).not.toContain('BALANCE OR QUOTA');
    expect(listed).toMatch(/^typo +unknown/m);
    expect(status).toMatch(/^1 alert is unknown .* model gtp-5: typo$/m);
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
