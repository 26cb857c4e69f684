import { describe, expect, it } from 'vitest';
import type { LoadOptions } from '../../src/config/index.ts';
import { jobKinds } from '../../src/jobs/index.ts';
import { approved, titledEach } from '../support/approved.ts';
import { goodEnv, goodSettings, load, schedules } from './support/load.ts';

/** One job `a` whose further keys are given as lines; a job `b` beside it. Line 6 is the first of them. */
const loadJob = (lines: string, settings = goodSettings, more: Partial<LoadOptions> = {}) => {
  const own = lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `    ${line}\n`)
    .join('');
  const job = `jobs:\n  b: { kind: pull-logs, since: 2025-01-01 }\n  a:\n    kind: pull-logs\n    since: 2025-01-01\n${own}`;
  return load({ 'config/tollkeeper.yaml': settings, 'config/jobs/a.yaml': job }, goodEnv, {
    ...schedules,
    ...more,
  });
};

const jobOf = async (lines: string) => {
  const { config, text } = await loadJob(lines);
  expect(text).toBe('');
  const job = config?.jobs['a'];
  if (job === undefined) throw new Error('there is no job a');
  return job;
};

const everyDay = 'schedule: "0 8 * * *"\n';

describe('policies of a job', () => {
  it('have their defaults when none is configured', async () => {
    const job = await jobOf('');
    expect(job).toMatchObject({ name: 'a', account: 'main', place: { line: 3 }, timeout: 3_600_000 });
    expect(job.retries).toEqual({ limit: 3, backoff: 'exponential', initial: 30_000, max: 600_000 });
  });

  it('are read as configured', async () => {
    const job = await jobOf(`schedule: "0 8 1 * mon"
day_match: all
suspend: true
needs: [b]
needs_deadline: 2h
when_late: fail
catchup: all
catchup_window: 3d
max_catchup_runs: 7
starting_deadline: 1h
concurrency: replace
retries: { limit: 5, backoff: linear, initial: 1m, max: 20m }
randomized_delay: 90s
locks: [mail, gateway.main]
notify: [failed, recovered]
heartbeat_url: "http://127.0.0.1:9/ping"`);
    expect(job).toMatchObject({
      schedule: '0 8 1 * mon',
      dayMatch: 'all',
      suspend: true,
      needs: ['b'],
      needsDeadline: 7_200_000,
      whenLate: 'fail',
      catchup: 'all',
      catchupWindow: 259_200_000,
      maxCatchupRuns: 7,
      startingDeadline: 3_600_000,
      concurrency: 'replace',
      retries: { limit: 5, backoff: 'linear', initial: 60_000, max: 1_200_000 },
      randomizedDelay: 90_000,
      locks: ['mail', 'gateway.main'],
      notify: ['failed', 'recovered'],
    });
    expect(job.heartbeatUrl?.reveal()).toBe('http://127.0.0.1:9/ping');
  });

  it.each([
    ['a first wait longer than the usual longest', 'retries: { initial: 15m }', 900_000, 900_000],
    ['a longest wait shorter than the usual first', 'retries: { max: 10s }', 10_000, 10_000],
  ])('give way to one another where only one is written: %s', async (_, line, initial, max) => {
    expect((await jobOf(line)).retries).toMatchObject({ initial, max });
  });

  it.each([
    ['a window of the usual catchup', `${everyDay}catchup_window: 2d`],
    ['no catchup, without a schedule', 'catchup: none'],
    ['no delay, without a schedule', 'randomized_delay: 0s'],
    ['both day fields, any of them', 'schedule: "0 8 1 * 1"\nday_match: any'],
    ['a delay as long as the time between slots', 'schedule: "0 * * * *"\nrandomized_delay: 1h'],
    ['others told than usual', 'notify_to: [me@example.com]'],
    ['nobody told', 'notify: []'],
  ])('may be %s', async (_, lines) => {
    await jobOf(lines);
  });
});

const faultRows: readonly (readonly [name: string, lines: string])[] = [
  ['both day fields without day_match', 'schedule: "0 8 1 * 1"'],
  ['day_match with one day field', `${everyDay}day_match: any`],
  ...[
    'day_match: all',
    'catchup: all',
    'catchup_window: 2d',
    'max_catchup_runs: 3',
    'randomized_delay: 5m',
  ].map((line) => [`${line} without a schedule`, line] as const),
  ['a window for no catchup', `${everyDay}catchup: none\ncatchup_window: 2d`],
  ['a number of runs for no catchup', `${everyDay}catchup: none\nmax_catchup_runs: 2`],
  ['a number of runs for the usual catchup', `${everyDay}max_catchup_runs: 2`],
  ['a first wait longer than the longest', 'retries: { initial: 20m, max: 10m }'],
  ['a delay longer than the deadline to start', `${everyDay}randomized_delay: 2h\nstarting_deadline: 1h`],
  ['a delay longer than the time between slots', 'schedule: "*/30 * * * *"\nrandomized_delay: 45m'],
  ['a deadline of needs that are none', 'needs_deadline: 2h'],
  ['a reaction to the lateness of nothing', 'needs: []\nwhen_late: fail'],
  ['recipients without notifications', 'notify: []\nnotify_to: [me@example.com]'],
  ['an unknown notice', 'notify: [failed, mised]'],
  ['a word outside catchup', `${everyDay}catchup: lates`],
  ['too many tries', 'retries: { limit: 101 }'],
  ['a key that retries lack', 'retries: { limt: 1 }'],
  ['no time at all', 'timeout: 0s'],
  ['a name of a lock that is none', 'locks: ["a b"]'],
  ['a heartbeat in the clear', 'heartbeat_url: http://hc.example.com/1234-5678'],
  ['a heartbeat with a password', 'heartbeat_url: https://u:pw-of-it@hc.example.com/'],
];

describe('one fault in the policies of a job', () => {
  it('is reported with its place and the next step', async () => {
    const reported = await titledEach(faultRows, async ([name, lines]) => {
      const { faults, config, text } = await loadJob(lines);
      expect([name, faults.length, config]).toEqual([name, 1, undefined]);
      return text;
    });
    await expect(reported).toMatchFileSnapshot(approved('config/policies'));
  });

  it('is not repeated for a policy whose value is unresolved', async () => {
    const { faults } = await loadJob('needs: []\nretries: { initial: "${NOPE}", max: 1s }');
    expect(faults.map(({ line, column }) => `${line}:${column}`)).toEqual(['7:25']);
  });
});

describe('notifications without a recipient', () => {
  const without = (from: RegExp, to = '') => goodSettings.replace(from, to);
  const noMail = without(/^mail:.*\n/m);
  const noOperators = without(/, operators: .*\]/);

  it.each([
    ['notify: [failed]', noMail],
    ['notify_to: [a@b.example]', noMail],
    ['notify: [failed]', noOperators],
    ['notify: [failed]', without(/\[ops@example.com\]/, '[]')],
  ])('are a fault when they are written out: %s', async (line, settings) => {
    const { faults } = await loadJob(line, settings);
    expect(faults.map(({ line: at, column }) => `${at}:${column}`)).toEqual(['6:5']);
    expect(faults[0]?.advice).toMatch(/^add (mail|operators): /);
  });

  it.each([
    ['', noMail],
    ['', noOperators],
    ['notify: []', noMail],
    ['notify: [failed]\nnotify_to: [a@b.example]', noOperators],
  ])('are none otherwise: %s', async (line, settings) => {
    expect((await loadJob(line, settings)).text).toBe('');
  });

  it('are not reported while the operators are unresolved', async () => {
    const { faults } = await loadJob('notify: [failed]', without(/\[ops@example.com\]/, '["${OPS}"]'));
    expect(faults.map(({ message }) => message.split(':')[0])).toEqual(['mail.operators.0']);
  });
});

describe('kinds that never run concurrently with themselves', () => {
  it('are pulls, snapshots, archives, alerts, backups, drills, and rotation or expiry of keys', () => {
    const names = jobKinds.filter(({ onlyForbid }) => onlyForbid === true).map(({ kind }) => kind);
    expect(names.join()).toBe(
      'pull-logs,pull-usage,snapshot,archive,alert,rotate-keys,expire-keys,backup,restore-drill',
    );
  });
});

describe('the address of a heartbeat', () => {
  const address = 'https://hc-ping.com/3c9d1a6e-0f52-4b7e-9d55-1d2f3a4b5c6d?create=1';
  const secret = '3c9d1a6e-0f52-4b7e-9d55-1d2f3a4b5c6d';

  it.each([
    ['written out', address],
    ['by reference', '"${HEARTBEAT}"'],
    ['partly by reference', '"https://hc-ping.com/${ID}?create=1"'],
    ['in capitals', address.replace('https://hc-ping.com', 'HTTPS://HC-PING.com')],
  ])('is known to the redaction, %s', async (_, written) => {
    const env = { ...goodEnv, HEARTBEAT: address, ID: secret };
    const { config, secrets } = await loadJob(`heartbeat_url: ${written}`, goodSettings, { env });
    expect(config?.jobs['a']?.heartbeatUrl?.reveal().toLowerCase()).toBe(address);
    expect(JSON.stringify(config)).not.toContain(secret);
    for (const text of [address, `GET /${secret}?create=1 of hc-ping.com`, `path /${secret}`])
      expect(secrets.redact(`could not call ${text}`)).not.toContain(secret);
  });

  it('does not redact short words', async () => {
    const { secrets } = await loadJob('heartbeat_url: https://status.example.com/ping');
    expect(secrets.redact('status.example.com did not answer a /ping')).toBe(
      'status.example.com did not answer a /ping',
    );
  });
});
