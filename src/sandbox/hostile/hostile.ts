import type { Answer } from '../answer-shape.ts';
import type { Request } from '../request.ts';
import {
  csv,
  compressedBody,
  csvBody,
  dataOf,
  endless,
  everywhere,
  json,
  logPath,
  pages,
  profilePath,
  statisticsPath,
  usagePath,
  withCell,
  withFields,
  withFieldsOfAll,
  withHeader,
  type Behaviour,
} from './shapes.ts';

const kilobyte = 1024;
const html = 'text/html';
const plain = 'text/plain';
const logHeader = 'created_at,model_name,token_name,prompt_tokens,completion_tokens,quota\n';
const usageHeader = 'time,model,spend\n';
const controls = '\u001b[2J\u001b]0;owned\u0007\u009b31m\r\n\u202Egnp';
const plaintext = 'sk-Hostile0123456789abcdefghijklmnopqrstuvwxyzABCDE';
const poison = ['","level":"', '{"level"', '","message":"', '"time":"2', 'tollkeeper', 'landed a log window'];
const largest = '9007199254740991';

const endlessPages = { count: 100, total: 9_000_000, turns: true } as const;
const numbered = (id: number) => ({ name: `k${id}` });

const behaviours: Readonly<Record<string, Behaviour>> = {
  'error-tags': everywhere('500 and 256 KB of <', 500, html, () => '<'.repeat(256 * kilobyte)),
  'error-titles': everywhere('500 and 256 KB of <title', 500, html, () => '<title'.repeat(43 * kilobyte)),
  'error-scripts': everywhere('500 and 256 KB of <script', 500, html, () => '<script'.repeat(37 * kilobyte)),
  'error-spaces': everywhere(
    '400 and 256 KB of spaces before a word',
    400,
    plain,
    () => `${' '.repeat(256 * kilobyte)}x`,
  ),
  'error-endless': everywhere('500 and a body that never ends', 500, plain, () =>
    endless('x'.repeat(kilobyte)),
  ),
  'error-controls': everywhere('403 with control characters in its message', 403, json, () =>
    JSON.stringify({ success: false, message: controls }),
  ),
  'html-large': everywhere('200 and 7 MB of <', 200, html, () => '<'.repeat(7000 * kilobyte)),
  'json-endless': everywhere('200 and an array that never ends', 200, json, () =>
    endless('1,'.repeat(kilobyte), '{"data":['),
  ),
  'json-deep': everywhere('200 and a million nested arrays', 200, json, () => '['.repeat(1_000_000)),
  'success-text': everywhere('success as text', 200, json, () => '{"success":"true","data":{}}'),
  'retry-after': everywhere('429 and a Retry-After of 31,000 years', 429, json, () => '{}', {
    'retry-after': '999999999999',
  }),
  'redirect-self': everywhere('a redirect to the same address', 302, plain, () => '', { location: '' }),
  'redirect-other': everywhere('a redirect to another host', 307, plain, () => '', {
    location: 'http://169.254.169.254/latest/',
  }),
  'type-lies': everywhere(
    'an envelope that is declared as CSV',
    200,
    csv,
    () => '{"success":false,"message":"busy"}',
  ),
  'no-content': {
    meaning: '204 without a body',
    change: () => ({ status: 204, headers: {}, body: '' }),
  },
  'headers-large': withHeader('60 KB of headers', 'x-large', 'x'.repeat(18_000)),
  'clock-absurd': withHeader('a Date of the year 9999', 'date', 'Fri, 31 Dec 9999 23:59:59 GMT'),
  'json-numbers': dataOf('3 million numbers as data', undefined, () => `[${'1,'.repeat(3_000_000)}1]`),
  'json-long-number': dataOf(
    'a balance of a million digits',
    profilePath,
    () => `{"username":"a","balance":${'9'.repeat(1_000_000)},"used_quota":"1"}`,
  ),
  'json-exponent': dataOf(
    'amounts with the exponent 999',
    undefined,
    () => '{"username":"a","balance":"1e999","used_quota":"1e-999","quota":"1e999"}',
  ),
  'json-count': dataOf(
    'a count beyond 2^53',
    profilePath,
    () => '{"username":"a","balance":"1","used_quota":"1","request_count":1e300,"level":9007199254740993}',
  ),
  'json-prototype': dataOf(
    'fields named __proto__ and constructor',
    undefined,
    () => '{"__proto__":{"items":[]},"constructor":{"prototype":{"id":1}},"items":null}',
  ),
  'json-null': dataOf('null as data', undefined, () => 'null'),
  'json-types': dataOf(
    'strings where numbers are due, and numbers where strings are due',
    undefined,
    () => '{"items":[{"id":"1","name":7,"expired_time":"soon"}],"username":1,"balance":[],"quota":{}}',
  ),
  'statistics-amount': dataOf('statistics of 1e400', statisticsPath, () => '{"quota":1e400,"rpm":1e400}'),
  'json-surrogates': withFields('half characters and NUL in names', {
    name: String.raw`"\ud800\u0000\udfff"`,
    group: String.raw`"\u0000"`,
  }),
  'key-expired': withFields('an expired_time of 2^53 - 1', { expired_time: largest }),
  'key-created': withFields('a created_time of 2^53 - 1', { created_time: largest }),
  'key-past': withFields('times before 1970', { created_time: '-62135596800', expired_time: '-62135596800' }),
  'key-quota': withFields('a remain_quota of 1e300', { remain_quota: '"1e300"' }),
  'key-status': withFields('a status of 1e30', { status: '1e30' }),
  'key-name': withFields('a name of 500 KB', { name: `"${'n'.repeat(500 * kilobyte)}"` }),
  'key-controls': withFieldsOfAll('control characters in names', {
    name: JSON.stringify(controls),
    group: JSON.stringify(controls),
  }),
  'key-plaintext': withFieldsOfAll('the plaintext of each key', { key: `"${plaintext}"` }),
  'keys-endless': pages('pages of other keys without an end', endlessPages, numbered),
  'keys-heavy': pages('pages of 4 MB without an end', endlessPages, (id) => ({
    name: `${id}-${'x'.repeat(40_000)}`,
  })),
  'keys-repeated': pages('the same page without an end', { ...endlessPages, turns: false }, numbered),
  'keys-many': pages('18,000 keys on one page', { count: 18_000 }, numbered),
  'keys-poison': pages('5,000 parts of log lines as plaintext keys', { count: 5000 }, (id) => ({
    key: (poison[id % poison.length] ?? '') + (id <= poison.length ? '' : `${id}-padding`),
    ...numbered(id),
  })),
  'keys-secrets': pages('10,000 plaintext keys', { count: 10_000 }, (id) => ({
    name: `sk-${String(id).padStart(48, 'AbCdEfGh')}`,
  })),
  'csv-endless-row': csvBody('a row that never ends', logPath, () =>
    endless('a'.repeat(kilobyte), logHeader),
  ),
  'csv-endless-quote': csvBody('a quoted cell that never ends', logPath, () =>
    endless('a\n'.repeat(kilobyte), `${logHeader}"`),
  ),
  'csv-endless-header': csvBody('a header that never ends', logPath, () => endless('a,'.repeat(kilobyte))),
  'csv-columns': csvBody(
    'a header of 20,000 columns',
    logPath,
    () => `${logHeader.trim()},${Array.from({ length: 20_000 }, (_, at) => `c${at}`).join(',')}\n`,
  ),
  'csv-quotes': csvBody(
    'rows of nothing but quotes',
    logPath,
    () => `${logHeader}${`${'"'.repeat(1001)}\n`.repeat(500)}`,
  ),
  'csv-nul': csvBody('NUL in rows', logPath, () => `${logHeader}${'\0,\0,\0,\0,\0,\0\n'.repeat(1000)}`),
  'csv-utf16': csvBody('UTF-16', logPath, () => logHeader.replaceAll(/./g, '$&\0')),
  'csv-empty-lines': compressedBody('empty lines without an end, compressed', logPath, () =>
    endless('\n'.repeat(64 * kilobyte), logHeader),
  ),
  'csv-bomb': compressedBody('a gigabyte in a megabyte', logPath, () => endless('0'.repeat(64 * kilobyte))),
  'usage-records': compressedBody('usage records without an end, compressed', usagePath, () =>
    endless('1,a,1\n'.repeat(8 * kilobyte), usageHeader),
  ),
  'usage-columns': csvBody(
    'a usage header of a million columns',
    usagePath,
    () => `time,${'c,'.repeat(1_000_000)}c\n`,
  ),
  'usage-endless-row': csvBody('a usage row that never ends', usagePath, () =>
    endless('a'.repeat(kilobyte), usageHeader),
  ),
  'usage-amount': csvBody('usage amounts of 1e400', usagePath, () => `${usageHeader}1767225600000,a,1e400\n`),
  'usage-time': csvBody(
    'usage times beyond any calendar',
    usagePath,
    () => `${usageHeader}${largest}000,a,1\n`,
  ),
  'csv-formula': withCell(
    'formulas and control characters as names',
    'model_name',
    `"=cmd|' /C calc'!A0${controls.replaceAll('\r\n', '')}"`,
  ),
  'csv-amount': withCell('a quota of 1e400', 'quota', '1e400'),
  'csv-tokens': withCell('token counts of 40 digits', 'prompt_tokens', '9'.repeat(40)),
  'csv-time': withCell('a created_at of 9e15', 'created_at', largest),
  'csv-plaintext': withCell('plaintext keys as key names', 'token_name', plaintext),
};

export const hostileNames: readonly string[] = Object.keys(behaviours);

/** @throws RangeError naming an unknown behaviour. */
export const checkHostile = (name: string): string => {
  if (name !== 'none' && !Object.hasOwn(behaviours, name))
    throw new RangeError(`unknown hostile behaviour "${name}"; it can be none, ${hostileNames.join(', ')}`);
  return name;
};

export const hostileAnswer = (name: string, answer: Answer, request: Request): Answer =>
  behaviours[name]?.change(answer, request) ?? answer;

export const hostileHelp = (): string =>
  Object.entries(behaviours)
    .map(([name, { meaning }]) => `  ${name.padEnd(20)}${meaning}`)
    .join('\n');
