import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { interval, systemClock, unixMillis, type Clock } from '../../../src/core/index.ts';
import { pullLogs } from '../../../src/ingest/index.ts';
import { seconds, type SourceRow, logSource } from './log-source.ts';
import { base, pullOf, setUp, testFolder, openNew } from '../support.ts';
import { openWarehouse } from '../../support/postgres-warehouse.ts';
import { optionsIn } from '../../warehouse/support.ts';

const call = (at: number, quota: string, change: Partial<SourceRow> = {}): SourceRow => ({
  at: base + at,
  model: 'gpt-4o',
  token: 'growth-1',
  prompt: 100,
  quota,
  ...change,
});

const whole = interval(seconds(0), seconds(4_000_000_000));

it('a pull lands what the gateway served, and a second pull changes no row', async () => {
  const rows = [
    call(0, '0.00001234'),
    call(21_599, '0.5'),
    call(21_600, '0.5'),
    call(21_600, '0.5'),
    call(50_000, '-0.25', { token: '', kind: 'Refund', extra: 'a "note", with\nlines' }),
    call(86_399, '1.00000001'),
    call(86_400, '9'),
  ];
  await using set = await setUp(rows);
  const summary = await pullLogs(pullOf(set.folder, set.warehouse, set.source));
  expect(summary).toMatchObject({ windows: 4, rows: 6, quota: '2.25001235', watermark: base + 86_400 });
  expect(summary.columns).toContain('cached_tokens');
  expect(set.source.queries[0]?.columns).toEqual([]);
  expect(set.source.queries[1]?.columns).toEqual(summary.columns);
  const spend = await set.warehouse.spend('main', whole);
  expect(spend).toMatchObject({ consumption: '2.50001235', refunds: '0.25', net: '2.25001235', calls: 5 });
  const again = await pullLogs(pullOf(set.folder, set.warehouse, set.source));
  expect(again).toMatchObject({ windows: 0, rows: 0 });
  const forced = await pullLogs(
    pullOf(set.folder, set.warehouse, set.source, { from: seconds(base), to: seconds(base + 30_000) }),
  );
  expect(forced).toMatchObject({ windows: 2, rows: 4, watermark: base + 86_400 });
  expect(await set.warehouse.spend('main', whole)).toEqual(spend);
  expect(await readdir(set.folder.spool)).toEqual([]);
});

const hour = 3600;

const callAt = (at: number): SourceRow => ({ at, model: 'm', token: 'k', prompt: 1, quota: '0.5' });
const every = (step: number, until: number): readonly SourceRow[] =>
  Array.from({ length: Math.ceil(until / step) }, (_, index) => callAt(base + index * step));

it('a forced interval beyond the settled time does not mark it as covered, so late rows are still pulled', async () => {
  const { folder, warehouse } = await openNew();
  const rows = [callAt(base), callAt(base + 2 * hour)];
  const request = pullOf(folder, warehouse, logSource(rows), { until: seconds(base + hour) });
  await pullLogs(request);
  await pullLogs({ ...request, from: seconds(base), to: seconds(base + 3 * hour) });
  expect(await warehouse.logs.cursor('main')).toBe(base + hour);
  rows.push(callAt(base + 2 * hour + 1));
  await pullLogs({ ...request, until: seconds(base + 3 * hour) });
  expect((await warehouse.spend('main', whole)).net).toBe('1.5');
  expect(await warehouse.logs.cursor('main')).toBe(base + 3 * hour);
});

it('time covered by a fast clock is pulled again after the clock is corrected', async () => {
  await using folder = await testFolder();
  let now = (base + hour) * 1000;
  const clock: Clock = { ...systemClock, now: () => unixMillis(now) };
  await using warehouse = await openWarehouse({ ...optionsIn(folder), clock });
  const rows = [callAt(base)];
  const pull = async () =>
    pullLogs(
      pullOf(folder, warehouse, logSource(rows), {
        clock,
        until: seconds(Math.floor(now / 1000) - 600),
        windowSeconds: 31 * 24 * hour,
      }),
    );
  await pull();
  now += 400 * 24 * hour * 1000;
  await pull();
  now = (base + 30 * hour) * 1000;
  rows.push(callAt(base + 2 * hour), callAt(base + 20 * hour));
  await pull();
  expect((await warehouse.spend('main', whole)).net).toBe('1.5');
  expect(await warehouse.logs.cursor('main')).toBe(base + 30 * hour - 600);
  rows.push(callAt(base + 30 * hour));
  now += hour * 1000;
  expect(await pull()).toMatchObject({ windows: 1, rows: 1 });
});

it('an earlier since whose windows are capped is covered in one pull', async () => {
  const { folder, warehouse } = await openNew();
  const rows = every(2, 24 * hour);
  const source = logSource(rows, { cap: 10_000, newestFirst: true, chunk: 65_536 });
  const request = pullOf(folder, warehouse, source, {
    windowSeconds: 24 * hour,
    until: seconds(base + 24 * hour),
  });
  await pullLogs({ ...request, since: seconds(base + 23 * hour) });
  await pullLogs(request);
  expect(await warehouse.logs.watermark('main')).toEqual({ start: base, end: base + 24 * hour });
  expect((await warehouse.spend('main', whole)).calls).toBe(rows.length);
  expect((await pullLogs(request)).windows).toBe(0);
});
