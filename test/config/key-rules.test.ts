import { describe, expect, it } from 'vitest';
import { jobKinds } from '../../src/jobs/index.ts';
import { approved, titledEach } from '../support/approved.ts';
import { goodEnv, load, schedules } from './support/load.ts';

const account = 'main: { base_url: "https://gateway.example.com", admin_key: "${GATEWAY_ADMIN_KEY}" }';
const accounts = `accounts:\n  ${account}\n  ${account.replace('main', 'other')}\n`;
const mail = 'mail: { smtp: "${SMTP_URL}", from: a@example.com, operators: [ops@example.com] }\n';
const noOperators = mail.replace(', operators: [ops@example.com]', '');
const teams = 'teams: { growth: { keys: ["growth-*"], mail: [g@example.com], budget: { month: 500 } } }\n';
const pull = 'pull: { kind: pull-logs, account: main, schedule: "7 * * * *", since: 2026-01-01 }';
const snapshot = 'snapshot: { kind: snapshot, account: main, schedule: "37 * * * *" }';
const file = 'deliver: [{ file: { path: "/s/{service}.env", variable: K } }]';
const verify = 'verify: { embeddings: { model: m } }';

/** The faults of a job that stands third, in line 4 of its file, its keys from line 5 on. */
const faultsOf = async (
  kind: string,
  lines: readonly string[],
  beside: readonly string[] = [pull, snapshot],
  settings = accounts + mail + teams,
) => {
  const jobs = ['jobs:', ...beside.map((job) => `  ${job}`), '  a:', `    kind: ${kind}`, '    account: main']
    .concat(lines.map((line) => `    ${line}`))
    .join('\n');
  const { text } = await load({ 'config/tollkeeper.yaml': settings, 'config/jobs/a.yaml': jobs }, goodEnv, {
    kinds: jobKinds,
    ...schedules,
  });
  return text;
};

const rotating = (...change: readonly string[]) => {
  const usual = ['keys: { name: "prod-*" }', 'every: 30d', 'mode: apply', file, verify];
  const changed = new Set(change.map((line) => line.split(':')[0]));
  return [...usual.filter((line) => !changed.has(line.split(':')[0])), ...change];
};

describe('a job rotate-keys', () => {
  it('is valid as in docs/keys.md and with every option', async () => {
    expect(await faultsOf('rotate-keys', rotating())).toBe('');
    expect(
      await faultsOf('rotate-keys', [
        'keys: { name: "prod-*", group: default, older_than: 30d, team: growth, status: [1] }',
        'name: "{service}.g{generation}"',
        'every: 30d',
        'overlap: 48h',
        'quota: 12.5',
        'mode: apply',
        file,
        'then: { command: [systemctl, reload, billing] }',
        'verify: { messages: { model: m } }',
        'retire: { when: unused, quiet: 24h, then: delete, max_overlap: 14d }',
        'limits: { max_per_run: 10%, min_remaining: 1 }',
        'windows: [{ days: [mon, tue], from: "02:00", to: "05:00" }]',
        'tries: 5',
        'mail: { to: [you@example.com] }',
      ]),
    ).toBe('');
    expect(await faultsOf('rotate-keys', ['keys: { team: growth }', 'every: 30d'])).toBe('');
  });

  it('is rejected where its keys contradict each other', async () => {
    const rows: readonly (readonly [name: string, lines: readonly string[]])[] = [
      ['keys that select nothing', rotating('keys: {}')],
      ['a name without a generation', rotating('name: "{service}"')],
      ['a limit of none', rotating('limits: { max_per_run: 0 }')],
      ['a rest below zero', rotating('limits: { min_remaining: -1 }')],
      ['a window from 2am', rotating('windows: [{ from: 2am, to: "05:00" }]')],
      ['no call to verify with', rotating('verify: {}')],
      ['a quota in words', rotating('quota: plenty')],
      ['an unknown team', rotating('keys: { team: growht }')],
      ['runs beside one another', rotating('concurrency: allow')],
      ['apply without a sink', ['keys: { name: x }', 'every: 30d', 'mode: apply', verify]],
      ['every not longer than overlap', rotating('every: 24h', 'overlap: 36h')],
      ['every shorter than the usual overlap', rotating('every: 1h')],
      ['max_overlap too short', rotating('overlap: 48h', 'retire: { quiet: 24h, max_overlap: 48h }')],
      [
        'one location for several names',
        rotating('deliver: [{ file: { path: "/s/prod.env", variable: K } }]'),
      ],
      [
        'one location for a group',
        rotating('keys: { group: vip }', 'deliver: [{ file: { path: "/s/prod.env", variable: K } }]'),
      ],
      ['one location twice', rotating(`${file.slice(0, -1)}, ${file.slice('deliver: ['.length)}`)],
    ];
    await expect(await titledEach(rows, ([, lines]) => faultsOf('rotate-keys', lines))).toMatchFileSnapshot(
      approved('config/rotate-keys'),
    );
  });

  it('never quotes an age identity, not even the beginning of one', async () => {
    const identity = `AGE-SECRET-KEY-1${'QPZRY9X8GF2TVDW0'.repeat(4)}`;
    const age = `deliver: [{ age: { path: "/s/{service}.age", recipients: [${identity}] } }]`;
    const found = await faultsOf('rotate-keys', rotating(age));
    expect(found).toContain('a recipient such as age1…');
    expect(found).not.toContain('QPZRY');
  });

  it('needs a call log that is pulled often enough, and after late rows arrive, to prove that a key is idle', async () => {
    const hasty = pull.replace(' }', ', lag: 599s }');
    const beside: readonly (readonly [name: string, jobs: readonly string[]])[] = [
      ['no pull', []],
      ['a pull of another account', [pull.replace('account: main', 'account: other')]],
      ['a suspended pull', [pull.replace(', since', ', suspend: true, since')]],
      ['a pull without a schedule', [pull.replace('schedule: "7 * * * *", ', '')]],
      ['a weekly pull', [pull.replace('7 * * * *', '7 3 * * 1')]],
      ['a short lag', [hasty, snapshot]],
      [
        'a short lag of a pull that is run by hand',
        [pull, hasty.replace('pull:', 'other-pull:').replace('schedule: "7 * * * *", ', '')],
      ],
    ];
    await expect(
      await titledEach(beside, ([, jobs]) => faultsOf('rotate-keys', rotating(), jobs)),
    ).toMatchFileSnapshot(approved('config/evidence-of-rotations'));
    const timed = rotating('retire: { when: after-overlap }');
    for (const jobs of [[], [hasty]]) expect(await faultsOf('rotate-keys', timed, jobs)).toBe('');
    for (const other of [
      hasty.replace('pull:', 'theirs:').replace('main', 'other'),
      hasty.replace('pull:', 'resting:').replace(' }', ', suspend: true }'),
    ])
      expect(await faultsOf('rotate-keys', rotating(), [pull, other])).toBe('');
  });

  it.each([
    ['9m', '9m'],
    ['0s', '0s'],
    ['599000ms', '599s'],
    ['10m', undefined],
  ])('needs a lag of at least ten minutes: %s', async (lag, reported) => {
    const found = await faultsOf('rotate-keys', rotating(), [
      pull.replace(' }', `, lag: ${lag} }`),
      snapshot,
    ]);
    if (reported === undefined) expect(found).toBe('');
    else expect(found).toContain(`lag of pull is ${reported}:`);
  });

  it('has sinks that no other job writes to', async () => {
    const other = (name: string, path: string) =>
      `b: { kind: rotate-keys, account: other, keys: { name: "${name}" }, every: 30d, mode: apply, deliver: [{ file: { path: "${path}", variable: K } }], ${verify}, retire: { when: after-overlap } }`;
    const beside = (job: string) => faultsOf('rotate-keys', rotating(), [pull, snapshot, job]);
    const message = 'job b also delivers to';
    expect(await beside(other('prod-*', '/s/{service}.env'))).toContain(message);
    expect(await beside(other('*-eu', '/s/{service}.env'))).toContain(message);
    expect(await beside(other('prod-eu', '/s/prod-eu.env'))).toContain(message);
    expect(await beside(other('dev-*', '/s/{service}.env'))).toBe('');
    expect(await beside(other('prod-*', '/t/{service}.env'))).toBe('');
    expect(await beside(other('prod-*', '/s/{account}/{service}.env'))).toBe('');
  });
});

describe('a job expire-keys', () => {
  const ending = ['keys: { name: "tmp-*" }', 'stages: { warn: 90d, expire: 100d, delete: 110d }'];

  it('is valid with every option', async () => {
    expect(await faultsOf('expire-keys', ending)).toBe('');
    expect(
      await faultsOf('expire-keys', [
        ...ending,
        'by: [idle, expired]',
        'quiet: 3d',
        'even_if_used: false',
        'notices: []',
        'limits: { max_per_run: 3 }',
        'mode: apply',
      ]),
    ).toBe('');
    const used = [...ending, 'even_if_used: true'];
    expect(await faultsOf('expire-keys', used, [])).toBe('');
    expect(await faultsOf('expire-keys', ['keys: { name: x }', 'stages: { warn: 0s }'], [])).toBe('');
  });

  it('is rejected where its keys contradict each other, or other jobs do not provide evidence', async () => {
    const both = [pull, snapshot];
    const rows: readonly (readonly [name: string, lines: readonly string[], beside: readonly string[]])[] = [
      ['no stage', ['keys: { name: x }', 'stages: {}'], both],
      ['no stages', ['keys: { name: x }'], both],
      ['stages at one time', ['keys: { name: x }', 'stages: { warn: 10d, delete: 10d }'], both],
      ['expiry of expired keys', ['keys: { name: x }', 'by: expired', 'stages: { expire: 1d }'], both],
      ['an unknown clock', [...ending, 'by: wealth'], both],
      ['no pull', ending, [snapshot]],
      ['a short lag', ending, [pull.replace(' }', ', lag: 5m }'), snapshot]],
      ['no snapshot', ending, [pull]],
      ['a clock of use without a pull', ['keys: { name: x }', 'by: idle', 'stages: { warn: 1d }'], []],
      ['a long lag', [...ending, 'quiet: 1d'], [pull.replace(' }', ', lag: 90m }'), snapshot]],
      ['a daily pull', [...ending, 'quiet: 7d'], [pull.replace('7 * * * *', '7 3 * * *'), snapshot]],
    ];
    await expect(
      await titledEach(rows, ([, lines, beside]) => faultsOf('expire-keys', lines, beside)),
    ).toMatchFileSnapshot(approved('config/expire-keys'));
  });

  it.each([
    ['quiet: 1d', '7 * * * *', '10m', undefined],
    ['quiet: 1d', '7 * * * *', '1h', undefined],
    ['quiet: 1d', '7 * * * *', '90m', '2h'],
    ['quiet: 1d', '7 3 * * *', '10m', '2h'],
    ['quiet: 7d', '7 3 * * *', '10m', '14h'],
    ['quiet: 7d', '7 */12 * * *', '10m', undefined],
    ['quiet: 14d', '7 3 * * *', '10m', undefined],
  ])(
    'needs a call log that is nearly complete: %s, pulled at %s with lag %s',
    async (quiet, at, lag, most) => {
      const often = pull.replace('7 * * * *', at).replace(' }', `, lag: ${lag} }`);
      const found = await faultsOf('expire-keys', [...ending, quiet], [often, snapshot]);
      if (most === undefined) expect(found).toBe('');
      else expect(found).toContain(`at most ${most} ago`);
    },
  );

  it('uses the pull job with the smallest lag', async () => {
    const daily = pull.replace('pull:', 'nightly:').replace('7 * * * *', '7 3 * * *');
    expect(await faultsOf('expire-keys', [...ending, 'quiet: 1d'], [daily, pull, snapshot])).toBe('');
  });
});

describe('a job report', () => {
  const toOne = 'mail: { to: [x@example.com] }';
  const reportFaults = (settings: string, ...lines: readonly string[]): Promise<string> =>
    faultsOf('report', ['report: spend-summary', ...lines], [], accounts + settings);

  it.each([
    [mail + teams, 'each_team: true'],
    [noOperators + teams, 'each_team: true', toOne],
    [mail + teams, 'team: growth', 'comparison: none', 'mail: { to: [x@example.com], attach: [csv] }'],
    [mail, 'period: yesterday', 'comparison: 7-day-average', toOne],
    ...['last-quarter', 'this-month', '2026-10', '2026-10-01..2026-10-15'].map((period) => [
      mail,
      `period: ${period}`,
      toOne,
    ]),
  ])('is valid: %j %j', async (settings = '', ...lines) => {
    expect(await reportFaults(settings, ...lines)).toBe('');
  });

  it('is rejected where it contradicts itself or the settings', async () => {
    const rows: readonly (readonly [name: string, settings: string, ...lines: readonly string[]])[] = [
      ['no recipients', mail, 'period: last-month'],
      ['one team and each team', mail + teams, 'each_team: true', 'team: growth'],
      ['each team without teams', mail, 'each_team: true'],
      ['no recipients of unassigned spend', noOperators + teams, 'each_team: true'],
      ['no mail server', teams, 'each_team: true'],
      ['an unknown team', mail + teams, 'team: growht', toOne],
      ['a weekday for a week', mail, 'period: last-week', 'comparison: same-weekday', toOne],
      [
        'an average of days for a week',
        mail,
        'period: { from: 2026-10-01, to: 2026-10-08 }',
        'comparison: 7-day-average',
        toOne,
      ],
      ['an unknown period', mail, 'period: last_month', toOne],
      ['a period without an end', mail, 'period: { from: 2026-10-01 }', toOne],
    ];
    await expect(
      await titledEach(rows, ([, settings, ...lines]) => reportFaults(settings, ...lines)),
    ).toMatchFileSnapshot(approved('config/reports'));
  });

  it('has prices that are exact amounts', async () => {
    const prices = 'prices: { "gpt-4*": { input: 2.5, cached: "1.25", output: 10 }, "*": { input: -1 } }\n';
    expect(await reportFaults(mail + prices, toOne)).toContain('be an amount of 0');
  });
});
