import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { interval } from '../../../src/core/index.ts';
import { pullLogs } from '../../../src/ingest/index.ts';
import { seconds, type SourceRow } from './log-source.ts';
import { base, pullOf, setUp } from '../support.ts';

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
