import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { interval, silentLog, type Log } from '../../../src/core/index.ts';
import { pullLogs, type LogPull, type LogPullDeps } from '../../../src/ingest/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';
import { chunksOf, csvOf, plainStyle, seconds, type SourceRow, type SourceStyle } from './log-source.ts';
import { base, pullOf, openNew } from '../support.ts';
import type { TestFolder } from '../../warehouse/support.ts';

const hour = 3600;
const whole = interval(seconds(0), seconds(4_000_000_000));

/** Ten calls ten seconds apart, the first on line 2 of an export of the first hour. */
const calls: readonly SourceRow[] = Array.from({ length: 10 }, (_, index) => ({
  at: base + index * 10,
  model: 'gpt-4o',
  token: 'growth-1',
  prompt: 7,
  quota: '0.5',
}));

type Spoil = (body: string) => string | Buffer;

const onLine =
  (line: number, change: (text: string) => string): Spoil =>
  (body) =>
    body
      .split('\n')
      .map((text, index) => (index === line - 1 ? change(text) : text))
      .join('\n');

/** A pull of the first hour from a gateway that spoils each export of rows. */
const pullHour = async (
  folder: TestFolder,
  warehouse: Warehouse,
  spoil: Spoil,
  change: Partial<LogPull & LogPullDeps> = {},
  style: Partial<SourceStyle> = {},
) => {
  const written = { ...plainStyle, ...style };
  const fetchLogs: LogPullDeps['fetchLogs'] = async ({ start, end, columns }) => {
    const body = csvOf(
      calls.filter(({ at }) => at >= start && at <= end),
      written,
    );
    return { body: chunksOf(columns.length === 0 ? body : spoil(body), 100) };
  };
  const outcome = await pullLogs(
    pullOf(
      folder,
      warehouse,
      { fetchLogs },
      { until: seconds(base + hour), windowSeconds: hour, badRows: 'quarantine', ...change },
    ),
  ).catch((error: unknown) => error);
  expect(await readdir(folder.spool)).toEqual([]);
  return outcome;
};

describe('bad rows in quarantine', () => {
  it.each<[string, string, RegExp, (text: string) => string]>([
    ['a short row', 'cells', /^6 cells where the header has 7$/, (text) => text.slice(0, -1)],
    ['a long row', 'cells', /^8 cells where the header has 7$/, (text) => `${text},x`],
    ['a time in words', 'time', /^created_at is "soon"/, (text) => text.replace(/^\d+/, 'soon')],
    ['a time of another year', 'time', /far outside/, (text) => text.replace(/^\d+/, '1500000000')],
    ['an amount in words', 'amount', /^the amount "free" /, (text) => text.replace('0.5', 'free')],
    ['an amount too large', 'amount', /too large/, (text) => text.replace('0.5', '1'.repeat(20))],
    ['no amount', 'amount', /has no amount/, (text) => text.replace('0.5', '')],
    ['too many decimals', 'amount', /12 decimals/, (text) => text.replace('0.5', '0.0123456789012')],
    [
      'a count with a fraction',
      'count',
      /"7.5", which is not a count/,
      (text) => text.replace(',7,', ',7.5,'),
    ],
    ['a count too large', 'count', /not a count/, (text) => text.replace(',7,', `,${'9'.repeat(19)},`)],
    ['a quote in the middle', 'quote', /Invalid Closing Quote/, (text) => text.replace('gpt-4o', '"g"pt')],
  ])('%s is quarantined with its reason, and the other rows land', async (_, kind, reason, change) => {
    const { folder, warehouse } = await openNew();
    const warned: unknown[] = [];
    const log: Log = { ...silentLog, warn: (message, fields) => void warned.push({ message, ...fields }) };
    expect(await pullHour(folder, warehouse, onLine(5, change), { log })).toMatchObject({
      rows: 9,
      quota: '4.5',
      quarantined: 1,
    });
    expect(await warehouse.spend('main', whole)).toMatchObject({ net: '4.5', calls: 9 });
    const reported = { line: 5, reason: expect.stringMatching(reason) as string };
    expect(warned).toContainEqual(expect.objectContaining({ rows: 1, ...reported }));
    const [row, ...others] = await warehouse.logs.quarantined('main');
    expect(others).toEqual([]);
    const text = change(`${base + 30},gpt-4o,growth-1,7,0.5,,`);
    const ownSecond = interval(seconds(base + 30), seconds(base + 31));
    const hourRange = interval(seconds(base), seconds(base + hour));
    const range = kind === 'amount' || kind === 'count' ? ownSecond : hourRange;
    expect(row).toMatchObject({ ...reported, text, window: hourRange, range });
    expect((await warehouse.logs.windows('main')).map(({ quarantined }) => quarantined)).toEqual([1]);
  });

  it('are removed by a valid pull of the same time, in any windows', async () => {
    const { folder, warehouse } = await openNew();
    await pullHour(folder, warehouse, (body) =>
      onLine(3, (text) => text.replace('0.5', 'x'))(String(onLine(8, (text) => `${text},`)(body))),
    );
    const left = async () => (await warehouse.logs.quarantined('main')).map(({ line }) => line);
    expect(await left()).toEqual([3, 8]);
    const again = async (from: number, to: number) =>
      pullHour(folder, warehouse, (body) => body, { from: seconds(base + from), to: seconds(base + to) });
    await again(20, 60);
    expect(await left()).toEqual([3, 8]);
    await again(0, 60);
    expect(await left()).toEqual([8]);
    await again(60, hour);
    expect(await left()).toEqual([]);
    expect(await warehouse.spend('main', whole)).toMatchObject({ net: '5', calls: 10 });
  });

  it('are the same when the window is pulled twice, and are identified by the second they may belong to', async () => {
    const { folder, warehouse } = await openNew();
    const spoil = onLine(3, (text) => text.replace('0.5', 'x'));
    await pullHour(folder, warehouse, spoil);
    await pullHour(folder, warehouse, spoil, { from: seconds(base) });
    expect(await warehouse.logs.quarantined('main')).toHaveLength(1);
    const within = async (from: number, to: number) =>
      warehouse.logs.quarantined('main', interval(seconds(base + from), seconds(base + to)));
    expect([await within(0, 10), await within(11, 60)]).toEqual([[], []]);
    expect(await within(10, 11)).toHaveLength(1);
    expect(await warehouse.logs.quarantined('other')).toEqual([]);
  });

  it('are left to the neighbouring window when they lie in the overlap', async () => {
    const { folder, warehouse } = await openNew();
    const spoil: Spoil = (body) =>
      body.replace(new RegExp(`^${base + 30}.*$`, 'm'), (line) => line.replace('0.5', 'x'));
    const summary = await pullHour(folder, warehouse, spoil, {
      until: seconds(base + 120),
      windowSeconds: 30,
    });
    expect(summary).toMatchObject({ rows: 9, quarantined: 1 });
    expect((await warehouse.logs.quarantined('main')).map(({ line }) => line)).toEqual([2]);
  });

  it('keep the parts of a row broken in two, limited by its text', async () => {
    const { folder, warehouse } = await openNew();
    const spoil = onLine(4, (text) => text.replace('gpt-4o', `gpt\0${'-4o'.repeat(2000)},`));
    expect(await pullHour(folder, warehouse, spoil)).toMatchObject({ rows: 9, quarantined: 1 });
    const [row] = await warehouse.logs.quarantined('main');
    expect(row?.text).toHaveLength(2000);
    expect(row?.text).toContain('gpt\uFFFD-4o');
  });

  it('compare the total line with all rows that could be read (G6.13)', async () => {
    const { folder, warehouse } = await openNew();
    const total = { total: true };
    const count = (text: string) => text.replace(',7,', ',7.5,');
    expect(await pullHour(folder, warehouse, onLine(5, count), {}, total)).toMatchObject({ rows: 9 });
    const andLess: Spoil = (body) => String(onLine(5, count)(body)).split('\n').toSpliced(6, 3).join('\n');
    expect(await pullHour(folder, warehouse, andLess, { from: seconds(base) }, total)).toMatchObject({
      code: 'export-truncated',
    });
  });

  it.each<[string, string, RegExp, Spoil, Partial<SourceStyle>]>([
    [
      'an export that breaks off in its last row',
      'export-truncated',
      /last row, line 11/,
      (body) => body.slice(0, -12),
      { endsLines: false, order: [...plainStyle.order.slice(1), 'created_at'] },
    ],
    [
      'a quote that swallows rows',
      'export-row-invalid',
      /line 4 .*(Invalid|cells)/,
      (body) =>
        onLine(4, (text) => text.replace('gpt', '"gpt'))(
          onLine(8, (text) => text.replace('gpt', '"gpt'))(body) as string,
        ),
      {},
    ],
    [
      'times none of which is read',
      'export-timestamp-unreadable',
      /created_at is written "soon", /,
      (body) => body.replaceAll(/^\d+/gm, 'soon'),
      {},
    ],
  ])('a quarantined row does not hide %s', async (_, code, message, spoil, style) => {
    const { folder, warehouse } = await openNew();
    const outcome = await pullHour(folder, warehouse, spoil, {}, style);
    expect(outcome).toMatchObject({ code, message: expect.stringMatching(message) as string });
    expect(await warehouse.logs.windows('main')).toEqual([]);
    expect(await warehouse.logs.quarantined('main')).toEqual([]);
  });

  it('stop at a thousand bad rows', async () => {
    const { folder, warehouse } = await openNew();
    const bad =
      (count: number): Spoil =>
      (body) =>
        `${body}${`${base},m,k,7,x,,\n`.repeat(count)}`;
    expect(await pullHour(folder, warehouse, bad(1000))).toMatchObject({ rows: 10, quarantined: 1000 });
    expect(await pullHour(folder, warehouse, bad(1001), { from: seconds(base) })).toMatchObject({
      code: 'export-row-invalid',
      message: expect.stringMatching(/more than 1000 rows .* line 1012/) as string,
    });
    expect(await warehouse.logs.quarantined('main')).toHaveLength(1000);
  });
});

it.each<[string, string, RegExp]>([
  ['naive', '2026-02-30 00:00:10', /not a valid time/],
  ['rfc3339', '2026-13-01T00:00:10Z', /not a valid time/],
])('a date that does not exist is not a time: %s', async (form, written, reason) => {
  const { folder, warehouse } = await openNew();
  const iso = (at: number) => new Date(at * 1000).toISOString().slice(0, 19);
  const time = (at: number) => (form === 'naive' ? iso(at).replace('T', ' ') : `${iso(at)}Z`);
  const spoil = onLine(3, (text) => text.replace(/^[^,]+/, written));
  expect(await pullHour(folder, warehouse, spoil, {}, { time })).toMatchObject({ rows: 9, quarantined: 1 });
  const [row] = await warehouse.logs.quarantined('main');
  expect(row?.reason).toMatch(reason);
});
