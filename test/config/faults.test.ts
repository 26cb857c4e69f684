import { describe, expect, it } from 'vitest';
import { goodEnv, goodFiles, goodJobs, goodSettings, load } from './support/load.ts';

type Case = [name: string, from: string, to: string, fault: string, advice: string];
type Row = [name: string, from: string, to: string, fault: string, advice?: string];

const rows = (cases: readonly Row[]): Case[] =>
  cases.map(([name, from, to, fault, advice = '']) => [name, from, to, fault, advice]);

/** Each case changes one thing of the good config and names the one fault that must follow, with its place. */
const settingsCases: readonly Row[] = [
  ['a zone that is none', 'Europe/Berlin', 'Europe/Berlni', '1:11: timezone must be a time zone'],
  [
    'a misspelt section',
    'warehouse:',
    'warehuose:',
    '4:1: unknown key "warehuose"',
    'did you mean "warehouse"?',
  ],
  [
    'a misspelt key',
    'currency:',
    'curency:',
    '3:79: unknown key "curency" in accounts.main',
    'did you mean "currency"?',
  ],
  ['a value outside a choice', 'USD', 'EUR', '3:89: accounts.main.currency must be USD or CNY, not "EUR"'],
  [
    'a missing key',
    'admin_key: "${GATEWAY_ADMIN_KEY}", ',
    '',
    '3:3: accounts.main lacks the key "admin_key"',
    'add admin_key: a reference such as "${NAME}"',
  ],
  [
    'a secret written out',
    '"${GATEWAY_ADMIN_KEY}"',
    'sk-admin-written',
    '3:55: accounts.main.admin_key contains a plaintext secret',
    'secrets are given by reference',
  ],
  [
    'a password written out',
    '"${SMTP_URL}"',
    'smtp://user:hunter22@mail.example.com',
    '5:15: mail.smtp contains a plaintext password',
    'secrets are given by reference',
  ],
  [
    'an address of a mail server that is none',
    '"${SMTP_URL}"',
    'mail.example.com:25',
    '5:15: mail.smtp must be an address such as smtp://',
  ],
  [
    'a gateway address that is none',
    '"${GATEWAY_BASE_URL}"',
    'gateway',
    '3:21: accounts.main.base_url must be a web address',
  ],
  [
    'http to another machine',
    '"${GATEWAY_BASE_URL}"',
    '"http://10.0.0.1"',
    '3:21: accounts.main.base_url must be https',
  ],
  [
    'a sender that is none',
    '"Tollkeeper <reports@example.com>"',
    'nobody',
    '5:36: mail.from must be a mail address',
  ],
  [
    'a header in a mail address',
    '[ops@example.com]',
    '["ops@example.com\\r\\nBcc: x@y.z"]',
    '5:84: mail.operators[0] must be a mail address',
  ],
  ['text where a list is due', '[ops@example.com]', 'ops@example.com', '5:83: mail.operators must be a list'],
  [
    'a list where a map is due',
    '{ month: 500 }',
    '[500]',
    '7:69: teams.growth.budget must be a map of keys and values, not a list',
  ],
  ['an amount below zero', '500', '-500', '7:78: teams.growth.budget.month must be an amount of 0 or more'],
  ['a size that is none', '1GB', 'lots', '4:58: warehouse.memory_limit must be a size such as 512MB'],
  ['a number where text is due', 'data/tollkeeper.duckdb', '7', '4:20: warehouse.path must be a path, not 7'],
  [
    'a key without a value',
    '{ month: 500 }',
    '',
    '7:61: teams.growth.budget has no value',
    'give it a map of keys and values, or remove the key',
  ],
  ['an empty list', '["growth-*"]', '[]', '7:19: teams.growth.keys must have at least one entry'],
  ['a name that is none', 'growth:', '"gro wth":', '7:3: "gro wth" must be a name of letters'],
  [
    'a port out of range',
    'timezone: Europe/Berlin',
    'health: { port: 70000 }',
    '1:17: health.port must be at most 65535, not 70000',
  ],
  [
    'a fraction where a whole number is due',
    'timezone: Europe/Berlin',
    'health: { port: 80.5 }',
    '1:17: health.port must be a whole number, not 80.5',
  ],
  [
    'a timeout without a unit',
    'currency: USD',
    'timeouts: { connect: 10 }',
    '3:100: accounts.main.timeouts.connect must be a duration',
  ],
  [
    'a certificate that does not exist',
    'currency: USD',
    'tls: { ca: no.pem }',
    '3:90: accounts.main.tls.ca refers to a file that cannot be read',
  ],
];

const jobCases: readonly Row[] = [
  [
    'an unknown kind',
    'kind: pull-usage',
    'kind: pull-usge',
    '3:23: unknown kind of job "pull-usge"',
    'did you mean "pull-usage"?',
  ],
  [
    'no kind',
    'kind: report',
    'suspend: false',
    '4:3: jobs.daily-spend has no kind',
    'add kind: one of pull-logs, pull-usage, report',
  ],
  [
    'a duration that is none',
    'lag: 10m',
    'lag: 10 minutes',
    '2:101: jobs.pull-logs.lag must be a duration such as',
  ],
  [
    'a date that is none',
    'since: 2025-01-01, lag',
    'since: 2025-02-30, lag',
    '2:84: jobs.pull-logs.since must be a date written YYYY-MM-DD, not "2025-02-30"',
  ],
  [
    'a cron expression of four fields',
    '7 * * * *',
    '7 * * *',
    '2:45: jobs.pull-logs.schedule must be a cron expression',
  ],
  [
    'a word outside a choice',
    'detailed',
    'detaled',
    '2:67: jobs.pull-logs.columns must be',
    'did you mean "detailed"?',
  ],
  [
    'a wrong entry of a list',
    '[model, token]',
    '[model, tokn]',
    '3:77: jobs.pull-usage.group_by[1] must be model, token or vendor, not "tokn"',
    'did you mean "token"?',
  ],
  [
    'an unknown job',
    '[pull-logs]',
    '[pull-lgos]',
    '11:13: unknown job "pull-lgos"',
    'did you mean "pull-logs"?',
  ],
  [
    'an unknown report',
    'report: spend-summary',
    'report: spend-sumary',
    '9:13: unknown report "spend-sumary"',
    'did you mean "spend-summary"?',
  ],
  [
    'an unknown account',
    'timeout: 30m',
    'account: mian',
    '8:14: unknown account "mian"',
    'did you mean "main"?',
  ],
  [
    'a job that needs itself',
    '[pull-logs]',
    '[daily-spend]',
    '11:13: job daily-spend needs itself',
    'remove it from needs',
  ],
  [
    'jobs that wait in a ring',
    'lag: 10m }',
    'needs: [daily-spend] }',
    '2:103: the jobs wait for each other: pull-logs → daily-spend → pull-logs',
    'remove one of them from needs',
  ],
  [
    'an address that is none',
    'finance@example.com',
    'finance',
    '12:18: jobs.daily-spend.mail.to[0] must be a mail address',
  ],
  [
    'a word where true or false is due',
    'timeout: 30m',
    'suspend: yes',
    '8:14: jobs.daily-spend.suspend must be true or false, not "yes"',
  ],
  [
    'a name that is none',
    '  pull-usage:',
    '  "pull usage":',
    '3:3: "pull usage" is not a valid job name',
    'use at most 64 letters',
  ],
  [
    'the name of a prototype',
    '  pull-usage:',
    '  __proto__:',
    '3:3: "__proto__" is not a valid job name',
    'use at most 64 letters',
  ],
  ['a misspelt file key', 'jobs:', 'job:', '1:1: unknown key "job"', 'did you mean "jobs"?'],
  [
    'a reference without quotes in a map',
    'since: 2025-01-01, lag',
    'since: ${SINCE}, lag',
    '2:85: a reference inside { … } or [ … ] must stand in quotes',
    'put the reference in double quotes',
  ],
  [
    'an unquoted star',
    'schedule: "0 8 * * *"',
    'schedule: * * * * *',
    '6:15: a value that starts with * must be in quotes',
    'put the value in double quotes',
  ],
  [
    'a tab',
    '    timeout: 30m',
    '\ttimeout: 30m',
    '8:1: indentation must be spaces, not tabs',
    'replace the tab with spaces',
  ],
  [
    'a key written twice',
    'period: yesterday',
    'report: showback',
    '10:5: the key "report" is written twice; the first is on line 9',
    'remove one of the two, or rename it',
  ],
  [
    'an alias of nothing',
    '30m',
    '*limit',
    '8:14: there is no anchor &limit before this',
    'put text that begins with * in quotes',
  ],
  [
    'a map that contains itself',
    '[pull-logs]',
    '&a [*a]',
    '1:1: the file is nested too deeply, or a part of it contains itself',
    'write it without & and *',
  ],
];

const check = async (files: Readonly<Record<string, string>>, file: string, [, , , fault, advice]: Case) => {
  const { faults, config } = await load(files, goodEnv);
  const shown = faults.map(({ line, column, message }) => `${line}:${column}: ${message}`);
  expect(
    shown.map((text) => text.slice(0, fault.length)),
    shown.join('\n'),
  ).toEqual([fault]);
  expect(config).toBeUndefined();
  const [found] = faults;
  expect(found?.file).toBe(file);
  expect(found?.advice ?? '').toContain(advice);
};

describe('one fault in tollkeeper.yaml', () => {
  it.each(rows(settingsCases))('is reported with its place and the next step: %s', async (...row: Case) => {
    const [, from, to] = row;
    expect(goodSettings).toContain(from);
    const text = goodSettings.replace(from, () => to);
    await check({ ...goodFiles, 'config/tollkeeper.yaml': text }, 'config/tollkeeper.yaml', row);
  });
});

describe('one fault in a job', () => {
  it.each(rows(jobCases))('is reported with its place and the next step: %s', async (...row: Case) => {
    const [, from, to] = row;
    expect(goodJobs).toContain(from);
    const text = goodJobs.replace(from, () => to);
    await check({ ...goodFiles, 'config/jobs/spend.yaml': text }, 'config/jobs/spend.yaml', row);
  });
});

describe('faults across files', () => {
  it('are all reported at once in the order of the files', async () => {
    const { faults } = await load(
      {
        'config/tollkeeper.yaml': goodSettings.replace('USD', 'EUR').replace('1GB', 'x'),
        'config/jobs/a.yaml': 'jobs: { "broken',
        'config/jobs/b.yaml': goodJobs.replace('10m', 'x').replace('[model, token]', '3'),
      },
      goodEnv,
    );
    expect(faults.map(({ file, line }) => `${file}:${line}`)).toEqual([
      'config/jobs/a.yaml:1',
      'config/jobs/b.yaml:2',
      'config/jobs/b.yaml:3',
      'config/tollkeeper.yaml:3',
      'config/tollkeeper.yaml:4',
    ]);
  });

  it('include both positions of a job that is configured twice', async () => {
    const { text } = await load(
      { ...goodFiles, 'config/jobs/zz.yaml': 'jobs:\n  pull-logs: { kind: pull-logs, since: 2025-01-01 }\n' },
      goodEnv,
    );
    expect(text).toBe(
      'config/jobs/zz.yaml:2:3: job "pull-logs" is already declared at config/jobs/spend.yaml:2:3\n' +
        '  what to do: rename one of them',
    );
  });

  it('ask for an account when there is none or several', async () => {
    const jobs = 'jobs: { a: { kind: pull-logs, since: 2025-01-01 } }';
    const none = await load({ 'config/tollkeeper.yaml': 'timezone: UTC\n', 'config/jobs/a.yaml': jobs });
    expect(none.text).toContain('config/jobs/a.yaml:1:9: job a has no account: none is configured');
    const account = '{ base_url: "https://g.example", admin_key: "${K}" }';
    const settings = `accounts:\n  one: ${account}\n  two: ${account}\n`;
    const two = await load(
      { 'config/tollkeeper.yaml': settings, 'config/jobs/a.yaml': jobs },
      { K: 'sk-admin-1' },
    );
    expect(two.text).toContain('config/jobs/a.yaml:1:9: job a does not set its account');
    expect(two.text).toContain('add account: one of one, two');
  });

  it('ask for a mail server when a job sends mail', async () => {
    const settings = goodSettings.replace(/^mail:.*\n/m, '');
    const { text } = await load({ ...goodFiles, 'config/tollkeeper.yaml': settings }, goodEnv);
    expect(text).toMatch(
      /^config\/jobs\/spend.yaml:12:5: job daily-spend sends mail, but tollkeeper.yaml has no mail server/,
    );
  });

  it('include a schedule that never fires in the zone of the job', async () => {
    const asked: string[] = [];
    const { text } = await load(goodFiles, goodEnv, {
      checkSchedule: ({ expression, zone }) => {
        asked.push(`${expression} ${zone}`);
        return expression === '20 1 * * *' ? 'it never matches' : undefined;
      },
    });
    expect(asked).toEqual(['7 * * * * Europe/Berlin', '20 1 * * * Europe/Berlin', '0 8 * * * Asia/Shanghai']);
    expect(text).toContain('spend.yaml:3:45: jobs.pull-usage.schedule "20 1 * * *": it never matches');
  });

  it('include a missing tollkeeper.yaml', async () => {
    const { text } = await load({});
    expect(text).toContain('config/tollkeeper.yaml:1:1: no tollkeeper.yaml in config');
    expect(text).toContain('point --config at the folder');
  });

  it('include a file that cannot be read', async () => {
    const { text } = await load(goodFiles, goodEnv, {
      readFile: () => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' })),
    });
    expect(text).toContain('config/tollkeeper.yaml:1:1: the file cannot be read (EACCES)');
    expect(text).toContain('config/jobs/spend.yaml:1:1: the file cannot be read (EACCES)');
  });

  it('exclude jobs for values that a broken tollkeeper.yaml leaves unknown', async () => {
    const { faults } = await load({ ...goodFiles, 'config/tollkeeper.yaml': 'a: [' }, goodEnv);
    expect(faults.map(({ file }) => file)).toEqual(['config/tollkeeper.yaml']);
  });
});
