import { expect, it } from 'vitest';
import { approved, titled } from '../support/approved.ts';
import { check, files, read, warningsOf, type Change } from './support/mistakes.ts';

const s = (from: string, to: string): Change => ['settings', from, to];
const p = (from: string, to: string): Change => ['pulls', from, to];
const r = (from: string, to: string): Change => ['reports', from, to];
const k = (from: string, to: string): Change => ['keys', from, to];
/** Sections beside the others. */
const section = (text: string): Change => s('status:\n', `${text}\nstatus:\n`);
const route = (text: string): Change => s('routes:\n', `routes:\n  ${text}\n`);
/** Metrics at an address that others reach. */
const metrics = (host: string, more = ''): Change =>
  section(`metrics: { enabled: true, host: "${host}"${more} }`);
const token = ', token: "${METRICS_TOKEN}"';
/** A budget beside that of the account, and an alert job beside the pull. */
const budget = (fields: string, name = 'b'): Change =>
  s('teams:', `budgets:\n  ${name}: { amount: 5${fields} }\nteams:`);
const archive = (fields: string): Change => p('jobs:\n', `jobs:\n  archive: { kind: archive, ${fields} }\n`);
const alerts = (fields: string): Change =>
  p('    retries: { limit: 5 }', `    retries: { limit: 5 }\n  alerts:\n    kind: alert${fields}`);

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
  ['a tab as indentation', [p('    lag: 10m', '\tlag: 10m')]],
  ['a line that is indented too deep', [p('    lag: 10m', '      lag: 10m')]],
  ['a line that is indented too little', [p('    lag: 10m', '   lag: 10m')]],
  ['a job at the margin, beside `jobs:`', [p('  pull-logs:\n', 'pull-logs:\n')]],
  ['no space after a colon', [p('lag: 10m', 'lag:10m')]],
  ['no colon after a key', [p('lag: 10m', 'lag 10m')]],
  ['an unquoted @daily', [p('"7 * * * *"', '@daily')]],
  ['an unquoted cron expression that begins with *', [p('"7 * * * *"', '* * * * *')]],
  ['an unquoted pattern that begins with *', [s('["growth-*"]', '[*growth]')]],
  ['an unquoted reference within { }', [s('{ url: "${SLACK_URL}" }', '{ url: ${SLACK_URL} }')]],
  ['a key written twice', [p('    lag: 10m', '    lag: 10m\n    lag: 20m')]],
  ['two documents in one file', [p('jobs:\n', 'jobs: {}\n---\njobs:\n')]],
  ['an empty tollkeeper.yaml', [['settings', '']]],
  ['an empty file of jobs', [['pulls', '']]],
  [
    'jobs without the key `jobs` above them',
    [['pulls', files.pulls.replace('jobs:\n', '').replace(/^ {2}/gm, '')]],
  ],
  ['a list of jobs', [['pulls', 'jobs:\n  - kind: pull-logs\n    since: 2026-01-01\n']]],
  ['a file of jobs that is a sentence', [['pulls', 'hello\n']]],
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
  ['a variable that is not set', [], { GATEWAY_ADMIN_KEY: undefined }],
  ['a variable that is empty', [], { SMTP_URL: '' }],
  ['a secret file that does not exist', [s('"${GATEWAY_ADMIN_KEY}"', '"${file:/nowhere/key}"')]],
  ['an Admin Key in plain text', [s('"${GATEWAY_ADMIN_KEY}"', 'sk-admin-abc')]],
  ['a misspelt column', [s('    currency: USD', '    gateway: { columns: { qota: charge } }')]],
  ['an unknown kind of row', [s('    currency: USD', '    gateway: { kinds: { 扣费: spend } }')]],
  ['a number as an Admin Key', [s('"${GATEWAY_ADMIN_KEY}"', '1234567')]],
  ['a mail password in plain text', [s('"${SMTP_URL}"', 'smtp://me:hunter22@mail.example.com:587')]],
  ['an address of a chat in plain text', [s('"${SLACK_URL}"', 'https://hooks.slack.com/services/T/B/x')]],
  ['a port above 65535', [s('port: 8081', 'port: 80810')]],
  ['a negative port', [s('port: 8081', 'port: -1')]],
  ['a port in quotes', [s('port: 8081', 'port: "8081"')]],
  ['a port with its host', [s('port: 8081', 'port: 127.0.0.1:8081')]],
  ['a port above 65535 in a variable', [], { SMTP_URL: 'smtp://mail.example.com:70000' }],
  ['a mail server with a folder', [], { SMTP_URL: 'smtp://mail.example.com/reports' }],
  ['a mail server with a query', [], { SMTP_URL: 'smtp://mail.example.com?tls=off' }],
  ['a mail server without a host', [], { SMTP_URL: 'smtp://' }],
  ['a port of the gateway above 65535', [s('"${GATEWAY_BASE_URL}"', 'https://gateway.example.com:70000')]],
  ['the zone PST', [s('timezone: Europe/Berlin', 'timezone: PST')]],
  ['the zone CST, which is two', [s('timezone: Europe/Berlin', 'timezone: CST')]],
  ['an offset as zone', [s('timezone: Europe/Berlin', 'timezone: "+01:00"')]],
  ['the zone UTC+1', [s('timezone: Europe/Berlin', 'timezone: UTC+1')]],
  ['a city as zone', [s('timezone: Europe/Berlin', 'timezone: Berlin')]],
  ['a misspelt zone', [s('timezone: Europe/Berlin', 'timezone: Europe/Berln')]],
  ['a first day in the future', [p('2026-01-01', '2027-01-01')]],
  ['a date with points', [p('2026-01-01', '01.01.2026')]],
  ['a date without dashes', [p('2026-01-01', '20260101')]],
  ['a day that does not exist', [p('2026-01-01', '2026-02-30')]],
  ['a date with a time', [p('2026-01-01', '2026-01-01T00:00:00Z')]],
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
    'an address in place of the mail section',
    [r('{ to: [finance@example.com], attach: [csv] }', 'finance@example.com')],
  ],
  [
    'a list of addresses in place of the mail section',
    [r('{ to: [finance@example.com], attach: [csv] }', '[finance@example.com]')],
  ],
  ['one address in place of a list', [r('[finance@example.com]', 'finance@example.com')]],
  ['a route in place of the post section', [r('{ to: [ops-chat] }', 'ops-chat')]],
  ['an attachment form that is not known', [r('[csv]', '[docx]')]],
  ['an operator without @', [s('[ops@example.com, ops-chat]', '[ops.example.com]')]],
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
  ['a fraction of a thread', [s('threads: 2', 'threads: 1.5')]],
  ['a key without a value', [s('from: reports@example.com', 'from:')]],
  ['an unquoted colon', [r('report: spend-summary', 'report: spend: summary')]],
  ['a value that becomes a comment', [s('memory_limit: 1GB', 'memory_limit: #1GB')]],
  ['typographic quotes', [p('"7 * * * *"', '“7 * * * *”')]],
  ['a non-breaking space after a colon', [p('    lag: 10m', '    lag:\u00a010m')]],
  ['no space after a dash', [k('      - file:', '      -file:')]],
  ['permissions without quotes', [k('variable: API_KEY }', 'variable: API_KEY, mode: 0600 }')]],
  ['permissions for everybody', [k('variable: API_KEY }', 'variable: API_KEY, mode: "0644" }')]],
  ['a pattern in place of a list of patterns', [s('["growth-*"]', 'growth-*')]],
  ['a misspelt mail section', [s('\nmail:\n', '\nmial:\n')]],
  ['a misspelt routes section', [s('routes:', 'rutes:')]],
  ['a misspelt accounts section', [s('accounts:', 'acounts:')]],
  ['a tag', [s('reports@example.com', '!reports')]],
  ['a backslash in double quotes', [s('"growth-*"', '"growth\\d"')]],
  ['a month that does not exist in period', [r('period: yesterday', 'period: 2026-13')]],
  ['a budget on an unknown team', [budget(', team: grwoth')]],
  ['a budget with two scopes', [budget(', model: "x*", keys: "y"')]],
  ['a threshold out of order', [budget(', thresholds: ["100%", "80%"]')]],
  ['an amount as threshold that is below the percentage before it', [budget(', thresholds: ["80%", 4]')]],
  ['a threshold that is neither a percentage nor an amount', [budget(', thresholds: ["80 percent"]')]],
  ['an anchor day that not every month has', [budget(', anchor_day: 31')]],
  ['an anchor day of a week', [budget(', anchor_day: 15, period: week')]],
  ['a budget in a currency that the account does not have', [budget(', currency: CNY')]],
  ['a budget of an unknown account', [budget(', account: mian')]],
  ['an owner that is no route', [budget(', owner: [ops-chta]')]],
  ['a budget with two tags', [budget(', tag: { environment: x, product: y }')]],
  ['a budget with the name of one in short form', [budget('', 'account-main')]],
  ['a budget with a reserved name', [budget('', 'data')]],
  ['an alert job on an unknown budget', [alerts('\n    needs: [pull-logs]\n    budgets: [accuont-main]')]],
  ['an alert job that does not wait for the call log', [alerts('')]],
  ['an alert job whose lag is that of the pull', [alerts('\n    needs: [pull-logs]\n    lag: 10m')]],
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
  ['a certificate that does not exist', [s('currency: USD', 'currency: USD\n    tls: { ca: no.pem }')]],
  ['a database that is no PostgreSQL', [section('database: "mysql://keeper@db/spend"')]],
  ['a database without a scheme', [section('database: "pg.example.com:5432"')]],
  ['a database without a user', [section('database: "postgres://db.example.com/spend"')]],
  ['a database without a name', [section('database: "postgres://keeper@db.example.com"')]],
  ['a database with two names', [section('database: "postgres://keeper@db.example.com/one/two"')]],
  ['a database with a password in plain text', [section('database: "postgres://keeper:hunter22@db/spend"')]],
  [
    'a database with a password as a parameter',
    [section('database: "postgres://keeper@db/spend?password=${PASSWORD}"')],
    { PASSWORD: 'hunter22' },
  ],
  ...['0.0.0.0', '::', '10.0.0.7', 'metrics.example.com', '127.0.0.1.example.com'].map(
    (host) => [`metrics at ${host} without a token`, [metrics(host)]] as const,
  ),
  ['a metrics token in plain text', [metrics('0.0.0.0', ', token: 0123456789abcdef')]],
  ...['short', 'has a space in its middle', 'ключ-для-отчётов-и-метрик'].map(
    (value, at) =>
      [
        `a metrics token that no client can send, ${at + 1}`,
        [metrics('::', token)],
        { METRICS_TOKEN: value },
      ] as const,
  ),
  ['a metrics token that is not set', [metrics('0.0.0.0', token)]],
  ['the name of a host of metrics with a port', [section('metrics: { names: ["tollkeeper:9464"] }')]],
  ['a route without a channel', [route('a: {}')]],
  [
    'a route with two channels',
    [route('a: { slack: { url: "${SLACK_URL}" }, teams: { url: "${SLACK_URL}" } }')],
  ],
  ['a webhook without a secret', [route('a: { webhook: { url: "https://x.example" } }')]],
  [
    'a webhook with http://',
    [route('a: { webhook: { url: "http://x.example", secret: "${GATEWAY_ADMIN_KEY}" } }')],
  ],
  [
    'a webhook with a short secret',
    [route('a: { webhook: { url: "https://x.example", secret: "${SHORT}" } }')],
    { SHORT: 'fifteen-letters' },
  ],
  ['a route with the name of mail', [route('mail: { slack: { url: "${SLACK_URL}" } }')]],
  ['an address of a chat with http://', [], { SLACK_URL: 'http://chat.example/secret-path-1' }],
  ['a scheduler that runs nothing', [section('scheduler: { max_running: 0 }')]],
  ['a scheduler without grace', [section('scheduler: { grace: 0s }')]],
  ['runs that are kept for a number', [section('scheduler: { keep_runs: 30 }')]],
  ['a lease of one second', [section('scheduler: { lease: 1s }')]],
  ['a pull beside itself', [p('lag: 10m', 'concurrency: queue')]],
  ['an archive that settles longer than it retains', [archive('settle: 10d, retain: 3d')]],
  ['the name of a prototype', [r('  daily-spend:', '  __proto__:')]],
  ['a map that contains itself', [r('needs: [pull-logs]', 'needs: &a [*a]')]],
];

it('`check` reports each mistake as one fault, with its position and what to do', async () => {
  const reported: [name: string, fault: string][] = [];
  for (const [name, changes, vars] of mistakes) {
    const faults = await check(changes, vars);
    expect([name, faults.length]).toEqual([name, 1]);
    for (const { at, message, advice } of faults) reported.push([name, `${at}: ${message}\n${advice ?? ''}`]);
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
  ...['127.0.0.1', '127.8.0.1', 'localhost', '::1'].map(
    (host) => [`metrics at ${host} without a token`, [metrics(host)]] as const,
  ),
  ['metrics at any address with a token', [metrics('0.0.0.0', token)], { METRICS_TOKEN: '0123456789abcdef' }],
  ...['settle: 10d, retain: 10d', 'retain: 3d', 'settle: 10d'].map(
    (fields) => [`an archive with ${fields}`, [archive(fields)]] as const,
  ),
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

const budgets = `budgets:
  launch: { amount: "500", thresholds: [80, 100], forecast_thresholds: [100] }
  small: { amount: "120", thresholds: [100] }
  usual: { amount: "500", thresholds: ["80%", 450] }
teams:`;

const tags = `tags:
  "prod-*": { environment: production, product: search }
  "*-batch": { environment: batch }
  "ci-*": { environment: ci }
  "prod-search": { product: search }
teams:`;

it('`check` warns of amounts that look like percentages, budgets without an alert job, and tags that disagree', async () => {
  const found = [
    ...(await warningsOf([['settings', 'teams:', budgets]])),
    ...(await warningsOf([['settings', 'teams:', tags]])),
  ];
  const shown = found.map(({ at, message, advice }) => [at, `${message}\n${advice ?? ''}`] as const);
  await expect(titled(shown)).toMatchFileSnapshot(approved('config/warnings'));
});

it('`check` warns of each budget that no job of kind alert evaluates', async () => {
  const unwatched = async (fields: string) => {
    const alerts = `jobs:\n  alerts: { kind: alert, needs: [pull-logs]${fields} }\n`;
    const found = await warningsOf([
      ['settings', 'teams:', budgets],
      ['pulls', 'jobs:\n', alerts],
    ]);
    return found.flatMap(
      ({ message }) => /of kind alert evaluates the budget ([\w-]+)/.exec(message)?.[1] ?? [],
    );
  };
  expect(await unwatched('')).toEqual([]);
  expect(await unwatched(', budgets: [launch]')).toEqual(['account-main', 'small', 'usual']);
});
