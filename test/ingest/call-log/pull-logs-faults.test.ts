import { chmod, readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { fault, interval, unknownGateway } from '../../../src/core/index.ts';
import { pullLogs, type LogPull, type LogPullDeps, type LogQuery } from '../../../src/ingest/index.ts';
import { approved, titled } from '../../support/approved.ts';
import { chunksOf, logSource, seconds, type SourceRow, type SourceStyle } from './log-source.ts';
import { base, openIn, pullOf, testFolder, openNew } from '../support.ts';

const whole = interval(seconds(0), seconds(4_000_000_000));

const calls = (count: number, change: Partial<SourceRow> = {}): readonly SourceRow[] =>
  Array.from({ length: count }, (_, index) => ({
    at: base + index,
    model: 'gpt-4o',
    token: 'growth-1',
    prompt: 7,
    quota: '0.01234567',
    ...change,
  }));

type Set = {
  readonly rows?: readonly SourceRow[];
  readonly style?: Partial<SourceStyle>;
  readonly change?: Partial<LogPull & LogPullDeps>;
  readonly spoil?: (body: string, query: LogQuery, call: number) => string | Buffer;
};

/** Pulls ten good rows first, then what the test makes of it: whatever happens, the ten must stay and the spool be empty. */
const pullSpoiled = async (set: Set): Promise<unknown> => {
  await using folder = await testFolder();
  await using warehouse = await openIn(folder);
  const good = logSource(calls(10), set.style);
  await pullLogs(pullOf(folder, warehouse, good, { until: seconds(base + 3600) }));
  const before = await warehouse.spend('main', whole);
  const source = logSource(set.rows ?? calls(10), set.style, set.spoil);
  const request = pullOf(folder, warehouse, source, { from: seconds(base), ...set.change });
  const outcome = await pullLogs(request).then(
    () => 'landed',
    (error: unknown) => error,
  );
  expect(await readdir(folder.spool)).toEqual([]);
  expect(await warehouse.spend('main', whole)).toEqual(before);
  return outcome;
};

/** Only the windows, not the question for the header. */
const inWindows =
  (change: (body: string) => string) =>
  (body: string, query: LogQuery): string =>
    query.columns.length === 0 ? body : change(body);

const lineOf = (change: (line: string) => string) =>
  inWindows((body) =>
    body
      .split('\n')
      .map((line, index) => (index === 4 ? change(line) : line))
      .join('\n'),
  );

const timeFirst = ['created_at', 'model_name', 'token_name', 'prompt_tokens', 'quota'];
const timeLast = ['quota', 'model_name', 'token_name', 'prompt_tokens', 'created_at'];

/** Adds a column to each line; of the first its name. */
const wider = (body: string): string =>
  body.replaceAll(/^.+$/gm, (line, at: number) => line + (at === 0 ? ',c' : ',1').repeat(1000));

/** What is done to each answer but that to the question for the header. */
const spoiled: readonly (readonly [
  title: string,
  code: string,
  change: (body: string) => string,
  style?: Partial<SourceStyle>,
])[] = [
  ['HTML', 'export-not-csv', () => '<html><body>busy</body></html>'],
  ['more than 1,000 columns', 'export-not-csv', wider],
  ['words', 'export-column-missing', () => 'internal error\n'],
  ['lines that end with CR alone', 'export-not-csv', (body) => body.replaceAll('\n', '\r')],
  ['a quote in the header that is not closed', 'export-column-missing', (body) => body.replace(',', ',"')],
  [
    'a header that holds everything',
    'export-not-csv',
    (body) => body.replace('\n', `${'x'.repeat(20_000)}\n`),
  ],
  ['semicolons', 'export-not-csv', (body) => body.replaceAll(',', ';')],
  ['tabs', 'export-not-csv', (body) => body.replaceAll(',', '\t')],
  ['UTF-16', 'export-not-csv', (body) => body.split('').join('\0')],
  ['an empty body', 'export-truncated', () => ''],
  ['a header cut off', 'export-truncated', (body) => body.slice(0, 30)],
  ['a row cut off', 'export-truncated', (body) => body.slice(0, -9)],
  ['a number cut off', 'export-truncated', (body) => body.slice(0, -4), { order: timeFirst }],
  [
    'a time cut off, where lines are not ended',
    'export-timestamp-unreadable',
    (body) => body.slice(0, -3),
    { endsLines: false, order: timeLast, time: (at) => new Date(at * 1000).toISOString() },
  ],
  [
    'rows missing under a total line',
    'export-truncated',
    (body) => body.split('\n').toSpliced(3, 1).join('\n'),
    { total: true },
  ],
  [
    'a total line missing',
    'export-truncated',
    (body) => `${body.split('\n').slice(0, 4).join('\n')}\n`,
    { total: true },
  ],
];

/** What is done to one line of an answer. */
const spoiledLine: readonly (readonly [title: string, code: string, change: (line: string) => string])[] = [
  ['a long row', 'export-row-invalid', (line) => `${line},x`],
  ['a blank cell too many', 'export-row-invalid', (line) => `${line},`],
  ['a short row', 'export-row-invalid', (line) => line.replace(/,$/, '')],
  ['an open quote', 'export-truncated', (line) => `"${line}`],
  ['a wrong quote', 'export-row-invalid', (line) => line.replace('gpt-4o', '"g"pt')],
  ['a broken count', 'export-row-invalid', (line) => line.replace(',7,', ',7.5,')],
  ['an amount in words', 'export-row-invalid', (line) => line.replace('0.01234567', 'free')],
  ['too many decimals', 'export-amount-inexact', (line) => line.replace('0.01234567', '0.0123456789012')],
  ['a time in words', 'export-timestamp-unreadable', (line) => line.replace(/^\d+/, 'soon')],
  ['a time of another unit', 'export-timestamp-unreadable', (line) => line.replace(/^\d+/, '$&000')],
  ['a time of another year', 'export-timestamp-unreadable', (line) => line.replace(/^\d+/, '1500000000')],
];

const noUtf8 = lineOf((line) => line.replace('gpt-4o', 'gpt-\u00FF'));

const broken: readonly (readonly [title: string, code: string, Set])[] = [
  ['JSON', 'export-not-csv', { spoil: () => '{"success":false,"message":"no permission"}' }],
  ...spoiled.map(
    ([title, code, change, style]) =>
      [title, code, { spoil: inWindows(change), ...(style && { style }) }] as const,
  ),
  ['no row at all, where there were some', 'export-emptied', { rows: [] }],
  [
    'amounts of another currency than was asked for',
    'export-currency-changed',
    {
      style: { names: { quota: 'cost_usd' } },
      spoil: inWindows((body) => body.replace('cost_usd', 'cost_cny')),
    },
  ],
  [
    'an amount cut off at the very end, where lines are not ended',
    'export-truncated',
    {
      style: { endsLines: false, order: timeFirst },
      spoil: (body, query, call) => (query.columns.length === 0 ? body : body.slice(0, -1 - (call % 2))),
    },
  ],
  [
    'a row cut off that looks like a total line',
    'export-truncated',
    {
      rows: calls(1, { token: 'total', quota: '0' }),
      style: { endsLines: false, order: timeFirst },
      spoil: inWindows((body) => body.slice(0, -4)),
    },
  ],
  ['no amounts', 'export-column-missing', { spoil: (body) => body.replace('quota', 'price') }],
  ['no names', 'export-column-missing', { spoil: (body) => body.replace('model_name', 'm') }],
  ...spoiledLine.map(([title, code, change]) => [title, code, { spoil: lineOf(change) }] as const),
  [
    'bytes that are no UTF-8',
    'export-row-invalid',
    { spoil: (body, query) => Buffer.from(noUtf8(body, query), 'latin1'), style: { bom: false } },
  ],
];

describe('a broken export lands nothing', () => {
  it('and is named with its fault', async () => {
    const texts: [string, string][] = [];
    for (const [title, code, set] of broken) {
      const outcome = await pullSpoiled(set);
      expect([title, outcome]).toMatchObject([title, { code }]);
      texts.push([title, (outcome as Error).message]);
    }
    await expect(titled(texts)).toMatchFileSnapshot(approved('ingest/broken-exports'));
  });

  it('because the stream breaks', async () => {
    const outcome = await pullSpoiled({
      change: {
        fetchLogs: async () => ({
          body: (async function* () {
            yield* chunksOf('created_at,model_name,token_name,quota\n1767225600,m', 9);
            throw fault('gateway-connection-lost', 'the connection broke');
          })(),
        }),
      },
    });
    expect(outcome).toMatchObject({ code: 'gateway-connection-lost' });
  });

  it('because the disk is full', async () => {
    const outcome = await pullSpoiled({
      change: {
        openFile: async () => {
          throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
        },
      },
    });
    expect(outcome).toMatchObject({ code: 'disk-full' });
  });

  it('because the currency changes', async () => {
    expect(await pullSpoiled({ change: { currency: 'CNY' } })).toMatchObject({
      code: 'export-currency-changed',
    });
  });

  it('because amounts change from currency to implausible units', async () => {
    const units = calls(30).map((row, index) => ({ ...row, quota: String(5_000_000_000 + index) }));
    expect(await pullSpoiled({ rows: units })).toMatchObject({ code: 'export-amounts-changed' });
  });
});

it('an export that is empty without rows is believed when it comes twice', async () => {
  const { folder, warehouse } = await openNew();
  const rows = [{ at: base + 90_000, model: 'm', token: 'k', prompt: 1, quota: '0.5' }];
  const empty = (body: string): string => (body.trim().includes('\n') ? body : '');
  const source = logSource(rows, {}, empty);
  await pullLogs(pullOf(folder, warehouse, source, { windowSeconds: 86_400 }));
  expect(source.queries).toHaveLength(4);
  const once = logSource(rows, {}, (body, _, call) => (call === 3 ? '' : empty(body)));
  const next = pullOf(folder, warehouse, once, { until: seconds(base + 2 * 86_400), windowSeconds: 86_400 });
  expect(await pullLogs(next)).toMatchObject({ rows: 1, quota: '0.5' });
});

it.each([
  ['in words', 'Total: 0.1234567'],
  ['alone', '0.1234567'],
])('a total line whose amount comes first (%s) is recognised', async (_, cell) => {
  const { folder, warehouse } = await openNew();
  const style = { order: timeLast };
  const source = logSource(
    calls(10),
    style,
    inWindows((body) => `${body}${cell},,,,\n`),
  );
  const until = seconds(base + 3600);
  expect(await pullLogs(pullOf(folder, warehouse, source, { until }))).toMatchObject({
    rows: 10,
    quota: '0.1234567',
  });
});

describe('hidden caps', () => {
  it('that a single second reaches are an error', async () => {
    const rows = calls(10_000).map((row) => ({ ...row, at: base }));
    const outcome = await pullSpoiled({ rows, style: { chunk: 65_536 } });
    expect(outcome).toMatchObject({ code: 'export-capped' });
  });
});

describe('amounts in units', () => {
  const units = calls(30).map((row, index) => ({ ...row, quota: String(12_345 + index) }));

  it('are detected, stored as served and read as currency (G6.8)', async () => {
    const { folder, warehouse } = await openNew();
    const summary = await pullLogs(pullOf(folder, warehouse, logSource(units)));
    expect(summary.quota).toBe('370785');
    const spend = await warehouse.spend('main', whole);
    expect(spend).toMatchObject({ net: '0.74157', served: '370785', amounts: 'units' });
    expect((await warehouse.logs.windows('main'))[0]?.amounts).toBe('units');
    const mixed = units.map((row, index) => (index === 3 ? { ...row, quota: '0.5' } : row));
    await expect(
      pullLogs(pullOf(folder, warehouse, logSource(mixed), { from: seconds(base) })),
    ).rejects.toMatchObject({ code: 'export-amounts-changed' });
  });

  it('follow the configured export format', async () => {
    const { folder, warehouse } = await openNew();
    const profile = { ...unknownGateway, amounts: 'units' as const, unitsPerCurrency: 1000 };
    await pullLogs(pullOf(folder, warehouse, logSource(calls(2, { quota: '5' })), { profile }));
    expect(await warehouse.spend('main', whole)).toMatchObject({ net: '0.01', amounts: 'units' });
    const odd = { ...profile, unitsPerCurrency: 7 };
    await expect(
      pullLogs(pullOf(folder, warehouse, logSource([]), { profile: odd, from: seconds(base) })),
    ).rejects.toMatchObject({ code: 'wrong-use' });
  });
});

describe('the spool folder', () => {
  it('that is missing or not writable is named in the error', async () => {
    const { folder, warehouse } = await openNew();
    const request = pullOf(folder, warehouse, logSource(calls(1)), {
      spoolDirectory: `${folder.spool}/missing`,
    });
    await expect(pullLogs(request)).rejects.toMatchObject({ code: 'path-unwritable' });
    await chmod(folder.spool, 0o700);
  });
});
