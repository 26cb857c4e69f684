import { describe, expect, it } from 'vitest';
import { jobKinds } from '../../src/jobs/index.ts';
import { nextSlots, scheduleFault } from '../../src/scheduler/index.ts';
import { unixMillis } from '../../src/core/index.ts';
import { goodEnv, load } from './support/load.ts';

const account = 'main: { base_url: "https://gateway.example.com", admin_key: "${GATEWAY_ADMIN_KEY}" }';
const settings = `accounts:
  ${account}
  ${account.replace('main', 'other')}
mail: { smtp: "\${SMTP_URL}", from: a@example.com, operators: [ops@example.com] }
teams: { growth: { keys: ["growth-*"] } }
`;
const pull = 'pull: { kind: pull-logs, account: main, schedule: "7 * * * *", since: 2026-01-01 }';
const snapshot = 'snapshot: { kind: snapshot, account: main, schedule: "37 * * * *" }';
const file = 'deliver: [{ file: { path: "/s/{service}.env", variable: K } }]';
const verify = 'verify: { embeddings: { model: m } }';

/** The faults of a job that stands third, in line 4 of its file, its keys from line 5 on. */
const faultsOf = async (
  kind: string,
  lines: readonly string[],
  beside: readonly string[] = [pull, snapshot],
) => {
  const jobs = ['jobs:', ...beside.map((job) => `  ${job}`), '  a:', `    kind: ${kind}`, '    account: main']
    .concat(lines.map((line) => `    ${line}`))
    .join('\n');
  const { text } = await load({ 'config/tollkeeper.yaml': settings, 'config/jobs/a.yaml': jobs }, goodEnv, {
    kinds: jobKinds,
    checkSchedule: scheduleFault,
    longestSpace: (schedule) => {
      const [first = 0, second = 0] = nextSlots(schedule, unixMillis(0), 2);
      return second - first;
    },
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

  it.each<[string, readonly string[]]>([
    ['jobs.a.keys must select keys by name, group', rotating('keys: {}')],
    [
      'jobs.a.name must contain {generation} exactly once, not 0 times, not "{service}"',
      rotating('name: "{service}"'),
    ],
    [
      'jobs.a.limits.max_per_run must be a count such as 5, or a share such as 10%',
      rotating('limits: { max_per_run: 0 }'),
    ],
    ['jobs.a.limits.min_remaining must be at least 0', rotating('limits: { min_remaining: -1 }')],
    [
      'jobs.a.windows[0].from must be a time of day such as "02:00"',
      rotating('windows: [{ from: 2am, to: "05:00" }]'),
    ],
    ['jobs.a.verify must have exactly one of embeddings, messages', rotating('verify: {}')],
    ['jobs.a.quota must be', rotating('quota: plenty')],
    ['unknown team "growht"', rotating('keys: { team: growht }')],
    ['jobs.a.concurrency must be forbid', rotating('concurrency: allow')],
    [
      'jobs.a.mode is apply, but no sink is declared for the new keys',
      ['keys: { name: x }', 'every: 30d', 'mode: apply', verify],
    ],
    ['jobs.a.every (1d) is not longer than overlap (36h)', rotating('every: 24h', 'overlap: 36h')],
    [
      'jobs.a.retire.max_overlap (2d) is shorter than overlap and quiet together (3d)',
      rotating('overlap: 48h', 'retire: { quiet: 24h, max_overlap: 48h }'),
    ],
    [
      'jobs.a.deliver[0] is the same location for all services that keys (name: "prod-*") may select',
      rotating('deliver: [{ file: { path: "/s/prod.env", variable: K } }]'),
    ],
    [
      'jobs.a.deliver[0] is the same location for all services that keys (name: "*") may select',
      rotating('keys: { group: vip }', 'deliver: [{ file: { path: "/s/prod.env", variable: K } }]'),
    ],
    [
      'jobs.a.deliver[1] is the location of another sink of this job',
      rotating(
        'deliver: [{ file: { path: "/s/{service}.env", variable: K } }, { file: { path: "/s/{service}.env", variable: K } }]',
      ),
    ],
  ])('is rejected: %s', async (message, lines) => {
    expect(await faultsOf('rotate-keys', lines)).toContain(message);
  });

  it('never quotes an age identity, not even the beginning of one', async () => {
    const identity = `AGE-SECRET-KEY-1${'QPZRY9X8GF2TVDW0'.repeat(4)}`;
    const age = `deliver: [{ age: { path: "/s/{service}.age", recipients: [${identity}] } }]`;
    const found = await faultsOf('rotate-keys', rotating(age));
    expect(found).toContain('must be a recipient such as age1…');
    expect(found).not.toContain('QPZRY');
  });

  it('reports the position of each fault and what to do', async () => {
    expect(await faultsOf('rotate-keys', rotating('every: 1h'))).toBe(
      `config/jobs/a.yaml:11:12: jobs.a.every (1h) is not longer than overlap (1d): the next rotation would be due before the previous one is complete
  what to do: increase every or reduce overlap`,
    );
  });

  it('needs a call log that is pulled often enough to prove that a key is idle', async () => {
    const reported = (...beside: readonly string[]) => faultsOf('rotate-keys', rotating(), beside);
    expect(await reported()).toContain(
      'jobs.a.retire depends on the call log, and no pull-logs job of the account main is declared',
    );
    expect(await reported(pull.replace('account: main', 'account: other'))).toContain('is declared');
    expect(await reported(pull.replace(', since', ', suspend: true, since'))).toContain('is declared');
    expect(await reported(pull.replace('schedule: "7 * * * *", ', ''))).toContain('main has a schedule');
    expect(await reported(pull.replace('7 * * * *', '7 3 * * 1'))).toContain(
      'jobs.a.retire needs a call log that is pulled at least every 1d (quiet), and pull runs every 7d',
    );
    const timed = rotating('retire: { when: after-overlap }');
    expect(await faultsOf('rotate-keys', timed, [])).toBe('');
  });

  it.each([
    ['9m', '9m'],
    ['90s', '90s'],
    ['0s', '0s'],
    ['599s', '599s'],
    ['599000ms', '599s'],
    ['10m', undefined],
    ['600s', undefined],
    ['1h', undefined],
  ])('needs a call log that is pulled after late rows arrive: lag %s', async (lag, reported) => {
    const hasty = pull.replace(' }', `, lag: ${lag} }`);
    const message =
      reported === undefined
        ? ''
        : `config/jobs/a.yaml:12:5: jobs.a.retire needs a call log that includes late rows, and lag of pull is ${reported}: rows arrive up to ten minutes late, so no key could be proven unused
  what to do: set lag: 10m (the default) or longer in job pull`;
    const retire = rotating('retire: { when: unused }');
    expect(await faultsOf('rotate-keys', retire, [hasty, snapshot])).toBe(message);
    // By hand it may be run, too.
    const byHand = hasty.replace('pull:', 'other-pull:').replace('schedule: "7 * * * *", ', '');
    expect(await faultsOf('rotate-keys', retire, [pull, byHand])).toBe(
      message.replace('of pull', 'of other-pull').replace('job pull', 'job other-pull'),
    );
    for (const rests of [
      faultsOf('rotate-keys', rotating('retire: { when: after-overlap }'), [hasty]),
      faultsOf('rotate-keys', retire, [pull, hasty.replace('pull:', 'theirs:').replace('main', 'other')]),
      faultsOf('rotate-keys', retire, [
        pull,
        hasty.replace('pull:', 'resting:').replace(' }', ', suspend: true }'),
      ]),
    ])
      expect(await rests).toBe('');
  });

  it('has sinks that no other job writes to', async () => {
    const other = (name: string, path: string) =>
      `b: { kind: rotate-keys, account: other, keys: { name: "${name}" }, every: 30d, mode: apply, deliver: [{ file: { path: "${path}", variable: K } }], ${verify}, retire: { when: after-overlap } }`;
    const beside = (job: string) => faultsOf('rotate-keys', rotating(), [pull, snapshot, job]);
    const message = 'jobs.a.deliver[0] is a location that job b also delivers to';
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

  it.each<[string, readonly string[], readonly string[]]>([
    [
      'jobs.a.stages must have one of warn, expire, delete',
      ['keys: { name: x }', 'stages: {}'],
      [pull, snapshot],
    ],
    ['jobs.a lacks the key "stages"', ['keys: { name: x }'], [pull, snapshot]],
    [
      'jobs.a.stages.delete (10d) is not later than warn (10d)',
      ['keys: { name: x }', 'stages: { warn: 10d, delete: 10d }'],
      [pull, snapshot],
    ],
    [
      'jobs.a.stages.expire has no effect',
      ['keys: { name: x }', 'by: expired', 'stages: { expire: 1d }'],
      [pull, snapshot],
    ],
    ['jobs.a.by must be', [...ending, 'by: wealth'], [pull, snapshot]],
    ['job a depends on the call log, and no pull-logs job', ending, [snapshot]],
    ['job a needs a call log that includes late rows', ending, [pull.replace(' }', ', lag: 5m }'), snapshot]],
    ['job a needs an inventory of the key names, and no snapshot job', ending, [pull]],
    ['job a depends on the call log', ['keys: { name: x }', 'by: idle', 'stages: { warn: 1d }'], []],
  ])('is rejected: %s', async (message, lines, beside) => {
    expect(await faultsOf('expire-keys', lines, beside)).toContain(message);
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
      else
        expect(found).toMatch(
          new RegExp(
            `job a needs a call log that is complete up to at most ${most} ago \\(a twelfth of ${quiet}, at least two hours\\), and pull runs every \\w+ with lag: ${lag}\\n  what to do: run pull hourly with a lag of 10m, or increase quiet`.replace(
              'run pull hourly with a lag of 10m',
              at === '7 * * * *' ? 'set lag: 10m \\(the default\\) in job pull' : '$&',
            ),
          ),
        );
    },
  );

  it('uses the pull job with the smallest lag', async () => {
    const daily = pull.replace('pull:', 'nightly:').replace('7 * * * *', '7 3 * * *');
    expect(await faultsOf('expire-keys', [...ending, 'quiet: 1d'], [daily, pull, snapshot])).toBe('');
  });
});
