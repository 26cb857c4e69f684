import {
  at,
  csv,
  csvBody,
  data,
  endless,
  everywhere,
  json,
  key,
  keysPath,
  kilobyte,
  logPath,
  numbered,
  page,
  pageOf,
  profilePath,
  statisticsPath,
  text,
  usagePath,
  withCell,
  withFields,
  type Behaviour,
} from './shapes.ts';

const logHeader = 'created_at,model_name,token_name,prompt_tokens,completion_tokens,quota\n';
const controls = '\u001b[2J\u001b]0;owned\u0007\u009b31m\r\n\u202Egnp';
const poison = ['","level":"', '{"level"', '","message":"', '"time":"2', 'tollkeeper', 'landed a log window'];

export const behaviours: Readonly<Record<string, readonly [meaning: string, behaviour: Behaviour]>> = {
  'error-tags': ['500 and 256 KB of <', everywhere(() => text(500, 'text/html', '<'.repeat(256 * kilobyte)))],
  'error-titles': [
    '500 and 256 KB of <title',
    everywhere(() => text(500, 'text/html', '<title'.repeat(43 * kilobyte))),
  ],
  'error-scripts': [
    '500 and 256 KB of <script',
    everywhere(() => text(500, 'text/html', '<script'.repeat(37 * kilobyte))),
  ],
  'error-spaces': [
    '400 and 256 KB of spaces before a word',
    everywhere(() => text(400, 'text/plain', `${' '.repeat(256 * kilobyte)}x`)),
  ],
  'error-endless': [
    '500 and a body that never ends',
    everywhere(() => text(500, 'text/plain', endless('x'.repeat(kilobyte)))),
  ],
  'error-controls': [
    '403 with control characters in its message',
    everywhere(() => text(403, json, JSON.stringify({ success: false, message: controls }))),
  ],
  'html-large': ['200 and 7 MB of <', everywhere(() => text(200, 'text/html', '<'.repeat(7000 * kilobyte)))],
  'json-endless': [
    '200 and an array that never ends',
    everywhere(() => text(200, json, endless('1,'.repeat(kilobyte), '{"data":['))),
  ],
  'json-deep': ['200 and a million nested arrays', everywhere(() => text(200, json, '['.repeat(1_000_000)))],
  'json-numbers': ['3 million numbers as data', everywhere(() => data(`[${'1,'.repeat(3_000_000)}1]`))],
  'json-long-number': [
    'a balance of a million digits',
    at(profilePath, () => data(`{"username":"a","balance":${'9'.repeat(1_000_000)},"used_quota":"1"}`)),
  ],
  'json-exponent': [
    'amounts with the exponent 999',
    everywhere(() => data('{"username":"a","balance":"1e999","used_quota":"1e-999","quota":"1e999"}')),
  ],
  'json-count': [
    'a count beyond 2^53',
    at(profilePath, () =>
      data('{"username":"a","balance":"1","used_quota":"1","request_count":1e300,"level":9007199254740993}'),
    ),
  ],
  'json-prototype': [
    'fields named __proto__ and constructor',
    everywhere(() => data('{"__proto__":{"items":[]},"constructor":{"prototype":{"id":1}},"items":null}')),
  ],
  'json-null': ['null as data', everywhere(() => data('null'))],
  'json-types': [
    'strings where numbers are due, and numbers where strings are due',
    everywhere(() =>
      data('{"items":[{"id":"1","name":7,"expired_time":"soon"}],"username":1,"balance":[],"quota":{}}'),
    ),
  ],
  'json-surrogates': [
    'half characters and NUL in names',
    withFields({ name: String.raw`"\ud800\u0000\udfff"`, group: String.raw`"\u0000"` }),
  ],
  'success-text': ['success as text', everywhere(() => text(200, json, '{"success":"true","data":{}}'))],
  'keys-endless': [
    'pages of other keys without an end',
    at(keysPath, (_, request) =>
      page(
        numbered(pageOf(request) * 1000, 100, (id) => `k${id}`),
        9_000_000,
      ),
    ),
  ],
  'keys-heavy': [
    'pages of 4 MB without an end',
    at(keysPath, (_, request) =>
      page(
        numbered(pageOf(request) * 1000, 100, (id) => `${id}-${'x'.repeat(40_000)}`),
        9_000_000,
      ),
    ),
  ],
  'keys-repeated': [
    'the same page without an end',
    at(keysPath, () =>
      page(
        numbered(1, 100, (id) => `k${id}`),
        9_000_000,
      ),
    ),
  ],
  'keys-many': [
    '18,000 keys on one page',
    at(keysPath, () =>
      page(
        numbered(1, 18_000, (id) => `k${id}`),
        18_000,
      ),
    ),
  ],
  'key-expired': ['an expired_time of 2^53 - 1', withFields({ expired_time: '9007199254740991' })],
  'key-created': ['a created_time of 2^53 - 1', withFields({ created_time: '9007199254740991' })],
  'key-past': [
    'times before 1970',
    withFields({ created_time: '-62135596800', expired_time: '-62135596800' }),
  ],
  'key-quota': ['a remain_quota of 1e300', withFields({ remain_quota: '"1e300"' })],
  'key-status': ['a status of 1e30', withFields({ status: '1e30' })],
  'key-name': ['a name of 500 KB', withFields({ name: `"${'n'.repeat(500 * kilobyte)}"` })],
  'key-controls': [
    'control characters in names',
    withFields({ name: JSON.stringify(controls), group: JSON.stringify(controls) }, true),
  ],
  'key-plaintext': [
    'the plaintext of each key',
    withFields({ key: '"sk-Hostile0123456789abcdefghijklmnopqrstuvwxyzABCDE"' }, true),
  ],
  'keys-poison': [
    '5,000 parts of log lines as plaintext keys',
    at(keysPath, () =>
      page(
        Array.from({ length: 5000 }, (_, id) =>
          key(id + 1, `k${id}`).replace(
            '{',
            () =>
              `{"key":${JSON.stringify((poison[id % poison.length] ?? '') + (id < poison.length ? '' : `${id}-padding`))},`,
          ),
        ),
        5000,
      ),
    ),
  ],
  'keys-secrets': [
    '10,000 plaintext keys',
    at(keysPath, () =>
      page(
        Array.from({ length: 10_000 }, (_, id) => key(id + 1, `sk-${String(id).padStart(48, 'AbCdEfGh')}`)),
        10_000,
      ),
    ),
  ],
  'csv-endless-row': [
    'a row that never ends',
    csvBody(logPath, () => endless('a'.repeat(kilobyte), logHeader)),
  ],
  'csv-endless-quote': [
    'a quoted cell that never ends',
    csvBody(logPath, () => endless('a\n'.repeat(kilobyte), `${logHeader}"`)),
  ],
  'csv-endless-header': ['a header that never ends', csvBody(logPath, () => endless('a,'.repeat(kilobyte)))],
  'csv-columns': [
    'a header of 20,000 columns',
    csvBody(
      logPath,
      () => `${logHeader.trim()},${Array.from({ length: 20_000 }, (_, at) => `c${at}`).join(',')}\n`,
    ),
  ],
  'csv-quotes': [
    'rows of nothing but quotes',
    csvBody(logPath, () => `${logHeader}${`${'"'.repeat(1001)}\n`.repeat(500)}`),
  ],
  'csv-nul': ['NUL in rows', csvBody(logPath, () => `${logHeader}${'\0,\0,\0,\0,\0,\0\n'.repeat(1000)}`)],
  'csv-utf16': ['UTF-16', csvBody(logPath, () => logHeader.replaceAll(/./g, '$&\0'))],
  'csv-empty-lines': [
    'empty lines without an end, compressed',
    csvBody(logPath, () => endless('\n'.repeat(64 * kilobyte), logHeader), true),
  ],
  'csv-bomb': ['a gigabyte in a megabyte', csvBody(logPath, () => endless('0'.repeat(64 * kilobyte)), true)],
  'csv-formula': [
    'formulas and control characters as names',
    withCell(logPath, 'model_name', `"=cmd|' /C calc'!A0${controls.replaceAll('\r\n', '')}"`),
  ],
  'csv-amount': ['a quota of 1e400', withCell(logPath, 'quota', '1e400')],
  'csv-tokens': ['token counts of 40 digits', withCell(logPath, 'prompt_tokens', '9'.repeat(40))],
  'csv-time': ['a created_at of 9e15', withCell(logPath, 'created_at', '9007199254740991')],
  'csv-plaintext': [
    'plaintext keys as key names',
    withCell(logPath, 'token_name', 'sk-Hostile0123456789abcdefghijklmnopqrstuvwxyzABCDE'),
  ],
  'usage-records': [
    'usage records without an end, compressed',
    csvBody(usagePath, () => endless('1,a,1\n'.repeat(8 * kilobyte), 'time,model,spend\n'), true),
  ],
  'usage-columns': [
    'a usage header of a million columns',
    csvBody(usagePath, () => `time,${'c,'.repeat(1_000_000)}c\n`),
  ],
  'usage-endless-row': [
    'a usage row that never ends',
    csvBody(usagePath, () => endless('a'.repeat(kilobyte), 'time,model,spend\n')),
  ],
  'usage-amount': [
    'usage amounts of 1e400',
    csvBody(usagePath, () => 'time,model,spend\n1767225600000,a,1e400\n'),
  ],
  'usage-time': [
    'usage times beyond any calendar',
    csvBody(usagePath, () => 'time,model,spend\n9007199254740991000,a,1\n'),
  ],
  'statistics-amount': ['statistics of 1e400', at(statisticsPath, () => data('{"quota":1e400,"rpm":1e400}'))],
  'headers-large': [
    '60 KB of headers',
    (answer) => ({ ...answer, headers: { ...answer.headers, 'x-large': 'x'.repeat(18_000) } }),
  ],
  'retry-after': [
    '429 and a Retry-After of 31,000 years',
    everywhere(() => text(429, json, '{}', { 'retry-after': '999999999999' })),
  ],
  'clock-absurd': [
    'a Date of the year 9999',
    (answer) => ({ ...answer, headers: { ...answer.headers, date: 'Fri, 31 Dec 9999 23:59:59 GMT' } }),
  ],
  'redirect-self': [
    'a redirect to the same address',
    everywhere(() => text(302, 'text/plain', '', { location: '' })),
  ],
  'redirect-other': [
    'a redirect to another host',
    everywhere(() => text(307, 'text/plain', '', { location: 'http://169.254.169.254/latest/' })),
  ],
  'no-content': ['204 without a body', everywhere(() => ({ status: 204, headers: {}, body: '' }))],
  'type-lies': [
    'an envelope that is declared as CSV',
    everywhere(() => text(200, csv, '{"success":false,"message":"busy"}')),
  ],
};
