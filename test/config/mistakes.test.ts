import { expect, it } from 'vitest';
import { approved, titled } from '../support/approved.ts';
import { check, files, read, type Change } from './support/mistakes.ts';

const s = (from: string, to: string): Change => ['settings', from, to];
const p = (from: string, to: string): Change => ['pulls', from, to];
const r = (from: string, to: string): Change => ['reports', from, to];
const k = (from: string, to: string): Change => ['keys', from, to];

type Mistake = readonly [
  name: string,
  changes: readonly Change[],
  vars?: Readonly<Record<string, string | undefined>>,
];

/** Each changes a good config by one mistake. */
const mistakes: readonly Mistake[] = [
  ['a list in tollkeeper.yaml that is not closed', [s('  memory_limit: 1GB', '  memory_limit: [1GB')]],
  [
    'a text in quotes that is not closed, in a file whose jobs others need',
    [p('    lag: 10m', '    lag: "10m')],
  ],
  ['a map that is not closed, in a file whose jobs others need', [p('{ limit: 5 }', '{ limit: 5')]],
  ['a list of recipients that is not closed', [r('[finance@example.com]', '[finance@example.com')]],
  ['a list of windows that is not closed', [k('[{ days: [mon]', '[{ days: [mon')]],
  ['a tab as indentation', [p('    lag: 10m', '\tlag: 10m')]],
  ['a line that is indented too deep', [p('    lag: 10m', '      lag: 10m')]],
  ['a line that is indented too little', [p('    lag: 10m', '   lag: 10m')]],
  ['a job at the margin, beside `jobs:`', [p('  pull-logs:\n', 'pull-logs:\n')]],
  ['no space after a colon', [p('lag: 10m', 'lag:10m')]],
  ['no colon after a key', [p('lag: 10m', 'lag 10m')]],
  ['an unquoted @daily', [p('"7 * * * *"', '@daily')]],
  ['an unquoted cron expression that begins with *', [p('"7 * * * *"', '* * * * *')]],
  ['an unquoted %', [s('reports@example.com', '%reports')]],
  ['an unquoted pattern that begins with *', [s('["growth-*"]', '[*growth]')]],
  ['an unquoted reference within { }', [s('{ url: "${SLACK_URL}" }', '{ url: ${SLACK_URL} }')]],
  ['an unquoted backtick', [s('reports@example.com', '`reports`')]],
  ['a key written twice', [p('    lag: 10m', '    lag: 10m\n    lag: 20m')]],
  ['a key written twice within { }', [s('{ month: 30000 }', '{ month: 30000, month: 2 }')]],
  ['an alias of nothing', [p('lag: 10m', 'lag: *lag')]],
  ['two documents in one file', [p('jobs:\n', 'jobs: {}\n---\njobs:\n')]],
  ['an empty tollkeeper.yaml', [['settings', '']]],
  ['a tollkeeper.yaml with comments alone', [['settings', '# nothing\n']]],
  ['an empty file of jobs', [['pulls', '']]],
  ['a file of jobs with comments alone', [['pulls', '# nothing\n']]],
  [
    'jobs without the key `jobs` above them',
    [['pulls', files.pulls.replace('jobs:\n', '').replace(/^ {2}/gm, '')]],
  ],
  ['a list of jobs', [['pulls', 'jobs:\n  - kind: pull-logs\n    since: 2026-01-01\n']]],
  ['a file of jobs that is a sentence', [['pulls', 'hello\n']]],
  ['a file of jobs that is a list', [['pulls', '- kind: pull-logs\n']]],
  ['a tollkeeper.yaml that is a list', [['settings', '- timezone: UTC\n']]],
  ['a file in UTF-16 with a byte order mark', [['pulls', Buffer.from('\ufeff' + files.pulls, 'utf16le')]]],
  ['a file in UTF-16 without a byte order mark', [['pulls', Buffer.from(files.pulls, 'utf16le')]]],
  ['a file in UTF-16, big endian', [['pulls', Buffer.from('\ufeff' + files.pulls, 'utf16le').swap16()]]],
  ['a NUL character', [p('lag: 10m', 'lag: 10m\0')]],
  ['an Admin Key by $NAME without braces', [s('"${GATEWAY_ADMIN_KEY}"', '$GATEWAY_ADMIN_KEY')]],
  ['an address by $NAME without braces', [s('"${GATEWAY_BASE_URL}"', '$GATEWAY_BASE_URL')]],
  ['a mail server by $NAME without braces', [s('"${SMTP_URL}"', '$SMTP_URL')]],
  ['an address of a chat by $NAME without braces', [s('"${SLACK_URL}"', '"$SLACK_URL"')]],
  ['operators by $NAME without braces', [s('[ops@example.com, ops-chat]', '[$OPS]')]],
  ['a reference in the form of another tool', [s('"${GATEWAY_ADMIN_KEY}"', '"{{ GATEWAY_ADMIN_KEY }}"')]],
  ['a reference with a default', [s('"${GATEWAY_ADMIN_KEY}"', '"${GATEWAY_ADMIN_KEY:-x}"')]],
  ['a reference with env:', [s('"${GATEWAY_ADMIN_KEY}"', '"${env:GATEWAY_ADMIN_KEY}"')]],
  ['a variable that is not set', [], { GATEWAY_ADMIN_KEY: undefined }],
  ['a variable that is empty', [], { SMTP_URL: '' }],
  ['a secret file that does not exist', [s('"${GATEWAY_ADMIN_KEY}"', '"${file:/nowhere/key}"')]],
  ['an Admin Key in plain text', [s('"${GATEWAY_ADMIN_KEY}"', 'sk-admin-abc')]],
  ['a mail password in plain text', [s('"${SMTP_URL}"', 'smtp://me:hunter22@mail.example.com:587')]],
  ['an address of a chat in plain text', [s('"${SLACK_URL}"', 'https://hooks.slack.com/services/T/B/x')]],
  ['a port above 65535', [s('port: 8081', 'port: 80810')]],
  ['a negative port', [s('port: 8081', 'port: -1')]],
  ['a port in quotes', [s('port: 8081', 'port: "8081"')]],
  ['a port with its host', [s('port: 8081', 'port: 127.0.0.1:8081')]],
  ['a port of the mail server above 65535', [s('"${SMTP_URL}"', 'smtp://mail.example.com:70000')]],
  ['a port above 65535 in a variable', [], { SMTP_URL: 'smtp://mail.example.com:70000' }],
  ['a port of the gateway above 65535', [s('"${GATEWAY_BASE_URL}"', 'https://gateway.example.com:70000')]],
  ['the zone PST', [s('timezone: Europe/Berlin', 'timezone: PST')]],
  ['the zone EST', [s('timezone: Europe/Berlin', 'timezone: EST')]],
  ['the zone CST, which is two', [s('timezone: Europe/Berlin', 'timezone: CST')]],
  ['an offset as zone', [s('timezone: Europe/Berlin', 'timezone: "+01:00"')]],
  ['the zone UTC+1', [s('timezone: Europe/Berlin', 'timezone: UTC+1')]],
  ['a city as zone', [s('timezone: Europe/Berlin', 'timezone: Berlin')]],
  ['a misspelt zone', [s('timezone: Europe/Berlin', 'timezone: Europe/Berln')]],
  ['the zone PST of a job', [p('lag: 10m', 'timezone: PST')]],
  ['a first day in the future', [p('2026-01-01', '2027-01-01')]],
  ['a date with points', [p('2026-01-01', '01.01.2026')]],
  ['a date with slashes', [p('2026-01-01', '01/31/2026')]],
  ['a date without dashes', [p('2026-01-01', '20260101')]],
  ['a day that does not exist', [p('2026-01-01', '2026-02-30')]],
  ['a date with a time', [p('2026-01-01', '2026-01-01T00:00:00Z')]],
  ['an address that ends in /api', [s('"${GATEWAY_BASE_URL}"', 'https://gateway.example.com/api')]],
  ['an address that ends in /v1', [s('"${GATEWAY_BASE_URL}"', 'https://gateway.example.com/v1')]],
  [
    'an address that ends in an API path, in a variable',
    [],
    { GATEWAY_BASE_URL: 'https://gateway.example.com/v1/chat/completions' },
  ],
  ['an address without https://', [s('"${GATEWAY_BASE_URL}"', 'gateway.example.com')]],
  ['an address with http://', [s('"${GATEWAY_BASE_URL}"', 'http://gateway.example.com')]],
  ['an address with a query', [s('"${GATEWAY_BASE_URL}"', 'https://gateway.example.com/?a=1')]],
  ['`retries: 5`', [p('{ limit: 5 }', '5')]],
  ['`retries: true`', [p('{ limit: 5 }', 'true')]],
  ['`budget: 30000`', [s('{ month: 30000 }', '30000')]],
  ['a budget with a currency', [s('{ month: 30000 }', '30000 USD')]],
  ['an amount with a thousands separator', [s('month: 30000', 'month: "30,000"')]],
  [
    'the budget of a team as a number',
    [s('mail: [growth@example.com] }', 'mail: [growth@example.com], budget: 500 }')],
  ],
  [
    'an address in place of the mail section',
    [r('{ to: [finance@example.com], attach: [csv] }', 'finance@example.com')],
  ],
  [
    'a list of addresses in place of the mail section',
    [r('{ to: [finance@example.com], attach: [csv] }', '[finance@example.com]')],
  ],
  ['one address in place of a list', [r('[finance@example.com]', 'finance@example.com')]],
  ['a route in place of the post section', [r('{ to: [ops-chat] }', 'ops-chat')]],
  ['an attachment form that is not known', [r('[csv]', '[pdf]')]],
  ['an operator without @', [s('[ops@example.com, ops-chat]', '[ops.example.com]')]],
  ['the name of a person as operator', [s('[ops@example.com, ops-chat]', '[anna]')]],
  ['a misspelt route as operator', [s('[ops@example.com, ops-chat]', '[ops-caht]')]],
  ['one operator in place of a list', [s('[ops@example.com, ops-chat]', 'ops@example.com')]],
  ['a recipient of notices without @', [p('lag: 10m', 'notify_to: [ops.example.com]')]],
  ['two addresses in one text', [s('reports@example.com', 'a@example.com, b@example.com')]],
  ['an unknown sink', [k('file: { path: "{service}.env", variable: API_KEY }', 'gcp: { secret: x }')]],
  ['a sink without settings', [k('- file: { path: "{service}.env", variable: API_KEY }', '- file')]],
  ['a misspelt key of a sink', [k('variable: API_KEY', 'varable: API_KEY')]],
  ['yes in place of true', [p('lag: 10m', 'suspend: yes')]],
  ['true in quotes', [p('lag: 10m', 'suspend: "true"')]],
  ['a time as 2am', [k('from: "02:00"', 'from: 2am')]],
  ['a time that does not exist', [k('from: "02:00"', 'from: "25:00"')]],
  ['a cron expression of four fields', [p('"7 * * * *"', '"7 * * *"')]],
  ['a cron expression of seven fields', [p('"7 * * * *"', '"0 7 * * * * 2026"')]],
  ['a minute that does not exist', [p('"7 * * * *"', '"61 * * * *"')]],
  ['a schedule that never fires', [p('"7 * * * *"', '"0 0 30 2 *"')]],
  ['a schedule with both day fields', [p('"7 * * * *"', '"0 8 1 * mon"')]],
  ['a schedule in words', [p('"7 * * * *"', 'every hour')]],
  ['a misspelt @hourly', [p('"7 * * * *"', '"@hourli"')]],
  ['a schedule as a map', [p('"7 * * * *"', '{ every: 1h }')]],
  ['a schedule as a number', [p('"7 * * * *"', '7')]],
  ['a duration as a number', [p('lag: 10m', 'lag: 600')]],
  ['a duration without a unit', [p('lag: 10m', 'lag: "10"')]],
  ['a duration in words', [p('lag: 10m', 'lag: 10 minutes')]],
  ['a duration in months', [k('every: 30d', 'every: 1M')]],
  ['a duration of nothing', [k('every: 30d', 'every: 0d')]],
  ['a choice in lower case', [s('currency: USD', 'currency: usd')]],
  ['a choice that there is not', [s('currency: USD', 'currency: EUR')]],
  ['a misspelt choice', [p('lag: 10m', 'catchup: latets')]],
  ['a text in place of a list', [r('needs: [pull-logs]', 'needs: pull-logs')]],
  ['a list in place of a kind', [p('kind: pull-logs', 'kind: [pull-logs]')]],
  ['a list in place of a text', [r('report: spend-summary', 'report: [spend-summary]')]],
  ['a misspelt key that is required', [p('since:', 'sinse:')]],
  ['a key with hyphens', [k('every: 30d', 'every: 30d\n    max-per-run: 1')]],
  ['a key in upper case', [p('lag: 10m', 'Lag: 10m')]],
  ['a key in camel case', [p('lag: 10m', 'notifyTo: [ops@example.com]')]],
  ['an unknown key', [p('lag: 10m', 'colour: red')]],
  ['a key of another kind', [p('lag: 10m', 'report: spend-summary')]],
  ['a key of tollkeeper.yaml in a file of jobs', [p('jobs:\n', 'timezone: UTC\njobs:\n')]],
  ['a misspelt kind', [p('kind: pull-logs', 'kind: pull-log')]],
  ['an unknown kind', [p('kind: pull-logs', 'kind: cleanup')]],
  ['a kind in upper case', [p('kind: pull-logs', 'kind: Pull-Logs')]],
  ['a job without a kind', [p('    kind: pull-logs\n', '')]],
  ['a job without keys', [['pulls', 'jobs:\n  pull-logs:\n']]],
  ['a pull without a first day', [p('    since: 2026-01-01\n', '')]],
  ['a report job without a report', [r('    report: spend-summary\n', '')]],
  ['a misspelt report', [r('report: spend-summary', 'report: spend-sumary')]],
  ['a misspelt job in needs', [r('needs: [pull-logs]', 'needs: [pull-log]')]],
  ['a job that needs itself', [r('needs: [pull-logs]', 'needs: [daily-spend]')]],
  ['jobs that need one another', [p('lag: 10m', 'needs: [daily-spend]')]],
  [
    'jobs that need one another beside a job that needs none',
    [
      p(
        'lag: 10m\n    retries: { limit: 5 }\n',
        'needs: [more, daily-spend]\n  more: { kind: pull-logs, schedule: "9 * * * *", since: 2026-01-01 }\n',
      ),
    ],
  ],
  ['a misspelt account', [p('lag: 10m', 'account: mian')]],
  ['a misspelt team', [r('period: yesterday', 'team: groth')]],
  ['a misspelt route', [r('[ops-chat]', '[ops-caht]')]],
  ['an unknown period', [r('period: yesterday', 'period: last-year')]],
  ['a misspelt period', [r('period: yesterday', 'period: yesturday')]],
  ['a job name with a space', [p('  pull-logs:\n', '  pull logs:\n')]],
  ['an account name with a space', [s('  main:\n', '  "my account":\n')]],
  ['no mail section', [['settings', files.settings.replace(/mail:\n {2}smtp[^]*?routes/, 'routes')]]],
  ['a size in words', [s('1GB', '1 gig')]],
  ['a size as a number', [s('1GB', '1024')]],
  ['no thread at all', [s('threads: 2', 'threads: 0')]],
  ['a fraction of a thread', [s('threads: 2', 'threads: 1.5')]],
  ['a key without a value', [s('from: reports@example.com', 'from:')]],
  ['an unquoted colon', [r('report: spend-summary', 'report: spend: summary')]],
  ['a value that becomes a comment', [s('memory_limit: 1GB', 'memory_limit: #1GB')]],
  ['a reference whose quotes are not closed', [s('"${SMTP_URL}"', '"${SMTP_URL}')]],
  ['typographic quotes', [p('"7 * * * *"', '“7 * * * *”')]],
  ['a non-breaking space after a colon', [p('    lag: 10m', '    lag:\u00a010m')]],
  ['a non-breaking space as indentation', [p('    lag: 10m', '\u00a0\u00a0\u00a0\u00a0lag: 10m')]],
  ['no space after a dash', [k('      - file:', '      -file:')]],
  ['permissions without quotes', [k('variable: API_KEY }', 'variable: API_KEY, mode: 0600 }')]],
  ['permissions for everybody', [k('variable: API_KEY }', 'variable: API_KEY, mode: "0644" }')]],
  [
    'an unquoted sender with a colon',
    [s('from: reports@example.com', 'from: Reports: <reports@example.com>')],
  ],
  ['a pattern in place of a list of patterns', [s('["growth-*"]', 'growth-*')]],
  ['a misspelt mail section', [s('\nmail:\n', '\nmial:\n')]],
  ['a misspelt routes section', [s('routes:', 'rutes:')]],
  ['a misspelt accounts section', [s('accounts:', 'acounts:')]],
  ['a misspelt schedule', [p('schedule:', 'shedule:')]],
  ['a tag', [s('reports@example.com', '!reports')]],
  ['a backslash in double quotes', [s('"growth-*"', '"growth\\d"')]],
  ['a month that does not exist in period', [r('period: yesterday', 'period: 2026-13')]],
  ['a budget on an unknown team', [s('teams:', 'budgets:\n  b: { team: grwoth, amount: 5 }\nteams:')]],
  ['a budget with two scopes', [s('teams:', 'budgets:\n  b: { model: "x*", keys: "y", amount: 5 }\nteams:')]],
  [
    'a threshold out of order',
    [s('teams:', 'budgets:\n  b: { amount: 5, thresholds: ["100%", "80%"] }\nteams:')],
  ],
  [
    'an amount as threshold that is below the percentage before it',
    [s('teams:', 'budgets:\n  b: { amount: 5, thresholds: ["80%", 4] }\nteams:')],
  ],
  [
    'a threshold that is neither a percentage nor an amount',
    [s('teams:', 'budgets:\n  b: { amount: 5, thresholds: ["80 percent"] }\nteams:')],
  ],
  [
    'an anchor day that not every month has',
    [s('teams:', 'budgets:\n  b: { amount: 5, anchor_day: 31 }\nteams:')],
  ],
  [
    'an anchor day of a week',
    [s('teams:', 'budgets:\n  b: { amount: 5, anchor_day: 15, period: week }\nteams:')],
  ],
  [
    'a budget in a currency that the account does not have',
    [s('teams:', 'budgets:\n  b: { amount: 5, currency: CNY }\nteams:')],
  ],
  ['a budget of an unknown account', [s('teams:', 'budgets:\n  b: { amount: 5, account: mian }\nteams:')]],
  ['an owner that is no route', [s('teams:', 'budgets:\n  b: { amount: 5, owner: [ops-chta] }\nteams:')]],
  [
    'a budget with two tags',
    [s('teams:', 'budgets:\n  b: { amount: 5, tag: { environment: x, product: y } }\nteams:')],
  ],
  [
    'a budget with the name of one in short form',
    [s('teams:', 'budgets:\n  account-main: { amount: 5 }\nteams:')],
  ],
  ['a budget with a reserved name', [s('teams:', 'budgets:\n  data: { amount: 5 }\nteams:')]],
  [
    'an alert job on an unknown budget',
    [
      p(
        '    retries: { limit: 5 }',
        '    retries: { limit: 5 }\n  alerts:\n    kind: alert\n    needs: [pull-logs]\n    budgets: [accuont-main]',
      ),
    ],
  ],
  [
    'an alert job that does not wait for the call log',
    [p('    retries: { limit: 5 }', '    retries: { limit: 5 }\n  alerts:\n    kind: alert')],
  ],
  [
    'an alert job whose lag is that of the pull',
    [
      p(
        '    retries: { limit: 5 }',
        '    retries: { limit: 5 }\n  alerts:\n    kind: alert\n    needs: [pull-logs]\n    lag: 10m',
      ),
    ],
  ],
  [
    'a budget on a tag that no key has',
    [
      s(
        'teams:',
        'tags:\n  "prod-*": { environment: production }\nbudgets:\n  b: { tag: { environment: prodction }, amount: 5 }\nteams:',
      ),
    ],
  ],
  [
    'a filter on a tag that no key has',
    [
      r(
        '    post: { to: [ops-chat] }',
        '    post: { to: [ops-chat] }\n    filters: { tags: { product: [serch] } }',
      ),
    ],
  ],
  ['an unknown tag', [s('teams:', 'tags:\n  "prod-*": { env: production }\nteams:')]],
  ['a header in a mail address', [s('[ops@example.com, ops-chat]', '["ops@example.com\\r\\nBcc: x@y.z"]')]],
  ['an address of a mail server without a scheme', [s('"${SMTP_URL}"', 'mail.example.com:25')]],
  ['an amount below zero', [s('30000', '-500')]],
  ['a number where a path is due', [s('  memory_limit: 1GB', '  path: 7')]],
  ['an empty list', [s('["growth-*"]', '[]')]],
  ['a name with a space', [s('  growth:', '  "gro wth":')]],
  ['a port out of range', [s('port: 8081', 'port: 70000')]],
  ['a certificate that does not exist', [s('currency: USD', 'currency: USD\n    tls: { ca: no.pem }')]],
  ['a wrong entry of a list', [p('kind: pull-logs', 'kind: pull-usage\n    group_by: [model, tokn]')]],
  ['the name of a prototype', [r('  daily-spend:', '  __proto__:')]],
  ['the name of a job with a space', [r('  daily-spend:', '  "daily spend":')]],
  ['a map that contains itself', [r('needs: [pull-logs]', 'needs: &a [*a]')]],
];

it('`check` reports each mistake as one fault, with its position and what to do', async () => {
  const reported: [name: string, fault: string][] = [];
  for (const [name, changes, vars] of mistakes) {
    const faults = await check(changes, vars);
    expect([name, faults.length]).toEqual([name, 1]);
    for (const { at, message, advice } of faults) reported.push([name, `${at}: ${message}\n${advice}`]);
  }
  expect(new Set(reported.map(([name]) => name)).size).toBe(mistakes.length);
  await expect(titled(reported)).toMatchFileSnapshot(approved('config/mistakes'));
});

/** What looks odd and is right. */
const right: readonly (readonly [
  name: string,
  changes: readonly Change[],
  vars?: Readonly<Record<string, string>>,
])[] = [
  ['nothing changed', []],
  ['lines that end as on Windows', [['pulls', files.pulls.replaceAll('\n', '\r\n')]]],
  ['a byte order mark in UTF-8', [['pulls', `\ufeff${files.pulls}`]]],
  ['letters beyond ASCII in UTF-8', [s('from: reports@example.com', 'from: "Büro <reports@example.com>"')]],
  ['a cron expression with seconds', [p('"7 * * * *"', '"0 7 * * * *"')]],
  ['a time without quotes', [k('from: "02:00"', 'from: 02:00')]],
  ['a section with nothing below it', [s('status:\n  port: 8081\n', 'status:\n')]],
  ['an address with a slash at its end', [], { GATEWAY_BASE_URL: 'https://gateway.example.com/' }],
  ['an address with a path of a proxy', [], { GATEWAY_BASE_URL: 'https://example.com/gateway' }],
  ['a zone in lower case', [s('timezone: Europe/Berlin', 'timezone: europe/berlin')]],
  ['the zone GMT', [s('timezone: Europe/Berlin', 'timezone: GMT')]],
  ['today as the first day', [p('2026-01-01', '2026-11-22')]],
  ['an alias of a value', [p('lag: 10m', 'lag: &ten 10m\n    timeout: *ten')]],
];

it.each(right.map((one) => [one[0], one] as const))(
  'the config has no fault: %s',
  async (_, [, changes, vars]) => {
    expect(await read(changes, vars)).toEqual([]);
  },
);

it('`check` finds no fault in the config before the mistakes are made', async () => {
  expect(await check([])).toEqual([]);
});

it('a job without an account is reported once per job when several accounts are configured', async () => {
  const second =
    '    currency: USD\n  second:\n    base_url: "${GATEWAY_BASE_URL}"\n    admin_key: "${GATEWAY_ADMIN_KEY}"\n';
  const reported = await check([s('    currency: USD\n', second)]);
  expect(reported.map(({ at }) => at)).toEqual([
    'jobs/keys.yaml:2:3',
    'jobs/pulls.yaml:2:3',
    'jobs/reports.yaml:2:3',
  ]);
  for (const { advice } of reported) expect(advice).toContain('one of main, second');
});
