import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fault, interval, unixMillis, unknownGateway } from '../../../src/core/index.ts';
import { pullUsage, type UsagePull, type UsagePullDeps } from '../../../src/ingest/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';
import { openNew } from '../support.ts';
import { usageSource, type UsageFigure, type UsageStyle } from './usage-source.ts';
import { day, start, usagePullOf } from './usage-support.ts';
import { few } from '../../support/storm.ts';

const all = interval(unixMillis(0), unixMillis(4_000_000_000_000));
const series = { account: 'main', dimension: 'model', metric: 'spend', granularity: 'day' as const };

const pullOf = (
  warehouse: Warehouse,
  source: Pick<UsagePullDeps, 'fetchUsage'>,
  change: Partial<UsagePull & UsagePullDeps> = {},
): UsagePull & UsagePullDeps => usagePullOf(warehouse, source, start + 425 * day + 5000, change);

const iso = (bucket: number): string => new Date(bucket).toISOString();

const style: fc.Arbitrary<Partial<UsageStyle>> = fc.record({
  layout: fc.constantFrom('long' as const, 'wide' as const, 'transposed' as const),
  time: fc.constantFrom(
    String,
    (bucket: number) => String(bucket / 1000),
    (bucket: number) => iso(bucket).slice(0, 10),
    (bucket: number) => iso(bucket),
    (bucket: number) => iso(bucket).slice(0, 16).replace('T', ' '),
  ),
  endInclusive: fc.boolean(),
  title: fc.boolean(),
  other: fc.constantFrom(undefined, '', '0'),
  endsLines: fc.boolean(),
});

const figures = fc.uniqueArray(
  fc.record({
    bucket: fc.integer({ min: -3, max: 430 }).map((days) => start + days * day),
    entry: fc.constantFrom('gpt-4o', 'claude', 'a,b', 'text "x"', '2024'),
    value: fc
      .bigInt({ min: 0n, max: 10n ** 12n })
      .map((digits) => `${digits / 10n ** 8n}.${String(digits % 10n ** 8n).padStart(8, '0')}`),
  }),
  { maxLength: 40, selector: ({ bucket, entry }) => `${bucket} ${entry}` },
);

const plain = (value: string): string => (value.includes('.') ? value.replace(/\.?0+$/, '') : value);

const lines = (list: readonly UsageFigure[]): readonly string[] =>
  list
    .map(({ bucket, entry, value }) => JSON.stringify([bucket, entry, plain(value)]))
    .toSorted((left, right) => (left < right ? -1 : 1));

describe('a usage pull', () => {
  it('stores what the gateway served in every layout and time format, in three windows for 14 months (G7.5)', async () => {
    const { warehouse } = await openNew();
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(figures, style, async (list, written) => {
        runs += 1;
        const account = `run-${runs}`;
        const source = usageSource(list, written);
        const request = pullOf(warehouse, source, { account });
        const summary = await pullUsage(request);
        expect(summary.windows).toBe(3);
        const stored = async () => lines(await warehouse.usage.values({ ...series, account }, all));
        const wanted = lines(list.filter(({ bucket }) => bucket >= start && bucket < start + 425 * day));
        expect(await stored()).toEqual(wanted);
        // The last days are pulled again; nothing changes.
        expect((await pullUsage(request)).windows).toBe(1);
        expect(await stored()).toEqual(wanted);
        for (const query of source.queries) expect(query.end - query.start).toBeLessThanOrEqual(180 * day);
      }),
      { numRuns: few(15, 200) },
    );
  });

  it('reads days in the zone of the gateway (G7.6)', async () => {
    const { warehouse } = await openNew();
    const profile = { ...unknownGateway, usageZone: 'Asia/Shanghai' };
    const shanghai = (days: number): number => start + days * day - 8 * 3_600_000;
    const list = [0, 1, 2].map((days) => ({ bucket: shanghai(days), entry: 'm', value: '1' }));
    const source = usageSource(list, { time: (bucket) => iso(bucket + 8 * 3_600_000).slice(0, 10) });
    await pullUsage(pullOf(warehouse, source, { profile, since: unixMillis(shanghai(0)) }));
    expect(lines(await warehouse.usage.values(series, all))).toEqual(lines(list));
  });

  it('requests each dimension separately, and at most 30 days where more is refused (G7.4)', async () => {
    const { warehouse } = await openNew();
    const list = Array.from({ length: 200 }, (_, index) => ({
      bucket: start + index * day,
      entry: 'm',
      value: '0.5',
    }));
    const source = usageSource(list);
    const fetchUsage: UsagePullDeps['fetchUsage'] = async (query) => {
      if (query.end - query.start > 30 * day) throw fault('gateway-refused', 'at most 30 days');
      return source.fetchUsage(query);
    };
    const summary = await pullUsage(
      pullOf(
        warehouse,
        { fetchUsage },
        { dimensions: ['model', 'token'], until: unixMillis(start + 200 * day) },
      ),
    );
    expect(summary).toMatchObject({ rows: 400, quota: '100', watermark: (start + 200 * day) / 1000 });
    expect(new Set(source.queries.map(({ groupBy }) => groupBy))).toEqual(new Set(['model', 'token']));
    expect(summary.windows).toBeGreaterThan(12);
  });

  const two = [
    { bucket: start, entry: 'm', value: '1' },
    { bucket: start, entry: 'n', value: '2' },
  ];

  it.each([
    ['a rest', { other: '0.01' }, {}, (body: string) => body, 'usage-tail-cut'],
    [
      'a rest in a wide layout',
      { other: '0.01', layout: 'wide' as const },
      {},
      (body: string) => body,
      'usage-tail-cut',
    ],
    ['as many entries as were asked for', {}, { topN: 2 }, (body: string) => body, 'usage-tail-cut'],
    ['a total above the entries', {}, {}, () => 'time,m,n,Total\n1735689600,1,2,3.5\n', 'usage-tail-cut'],
    ['JSON', {}, {}, () => '{"success":false,"message":"busy"}', 'export-not-csv'],
    ['an unknown layout', {}, {}, () => 'alpha,beta\n1,2\n', 'usage-layout-unknown'],
    [
      'a row of another width',
      {},
      {},
      (body: string) => body.replace(',2\n', ',2,3\n'),
      'export-row-invalid',
    ],
    ['an amount in words', {}, {}, (body: string) => body.replace(',2\n', ',much\n'), 'export-row-invalid'],
    [
      'a broken time',
      {},
      {},
      (body: string) => body.replace(/\d{13}(?=,n)/, 'soon'),
      'export-timestamp-unreadable',
    ],
    [
      'too many decimals',
      {},
      {},
      (body: string) => body.replace(',2\n', ',0.0000000000001\n'),
      'export-amount-inexact',
    ],
  ] as const)('names %s, and lands nothing of it (G7.8)', async (_, written, change, spoil, code) => {
    const { warehouse } = await openNew();
    const until = unixMillis(start + 10 * day);
    await pullUsage(pullOf(warehouse, usageSource(two), { until }));
    const before = lines(await warehouse.usage.values(series, all));
    expect(before).toHaveLength(2);
    const source = usageSource([...two, { bucket: start + day, entry: 'n', value: '9' }], written, spoil);
    const again = pullOf(warehouse, source, { until, revisitDays: 30, ...change });
    await expect(pullUsage(again)).rejects.toMatchObject({ code });
    expect(lines(await warehouse.usage.values(series, all))).toEqual(before);
  });

  it('rounds amounts with more decimals where the configuration says so', async () => {
    const { warehouse } = await openNew();
    const double = usageSource(two, {}, (body) => body.replace(',2\n', ',2.0016150000000000001\n'));
    const profile = { ...unknownGateway, roundAmounts: 12 };
    await pullUsage(pullOf(warehouse, double, { until: unixMillis(start + 10 * day), profile }));
    expect(lines(await warehouse.usage.values(series, all)).join()).toContain('"2.001615"');
  });

  it('accepts an export without a final line break only after a second identical answer', async () => {
    const { warehouse } = await openNew();
    let calls = 0;
    const cut = usageSource(two, {}, (body) => {
      calls += 1;
      return calls % 2 === 1 ? body.slice(0, -14) : body.slice(0, -2);
    });
    const until = unixMillis(start + 10 * day);
    await expect(pullUsage(pullOf(warehouse, cut, { until }))).rejects.toMatchObject({
      code: 'export-truncated',
    });
    const once = usageSource(two, {}, (body) => (once.queries.length === 1 ? body.slice(0, -1) : body));
    await pullUsage(pullOf(warehouse, once, { until }));
    expect(lines(await warehouse.usage.values(series, all))).toEqual(lines(two));
  });
});
