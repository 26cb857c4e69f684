import { describe, expect, it } from 'vitest';
import {
  fault,
  interval,
  unixMillis,
  unknownGateway,
  sumMoney,
  type FaultCode,
} from '../../../src/core/index.ts';
import { pullUsage, type UsagePull, type UsagePullDeps, type UsageQuery } from '../../../src/ingest/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';
import { openNew } from '../support.ts';
import { day, start, usagePullOf, usageSource, type UsageFigure } from './usage-source.ts';

const all = interval(unixMillis(0), unixMillis(4_000_000_000_000));
const series = { account: 'main', dimension: 'model', metric: 'spend', granularity: 'day' as const };

const pullOf = (
  warehouse: Warehouse,
  source: Pick<UsagePullDeps, 'fetchUsage'>,
  change: Partial<UsagePull & UsagePullDeps> = {},
): UsagePull & UsagePullDeps => usagePullOf(warehouse, source, start + 425 * day + 5000, change);

const steady = Array.from({ length: 170 }, (_, index) => ({
  bucket: start + index * day,
  entry: 'm',
  value: '0.5',
}));

const iso = (bucket: number): string => new Date(bucket).toISOString();

const lines = (list: readonly UsageFigure[]): readonly string[] =>
  list
    .map(({ bucket, entry, value }) => JSON.stringify([bucket, entry, value]))
    .toSorted((left, right) => (left < right ? -1 : 1));

describe('a usage pull', () => {
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
    const source = usageSource(steady);
    const fetchUsage: UsagePullDeps['fetchUsage'] = async (query) => {
      if (query.end - query.start > 30 * day) throw fault('gateway-refused', 'at most 30 days');
      return source.fetchUsage(query);
    };
    const summary = await pullUsage(
      pullOf(
        warehouse,
        { fetchUsage },
        { dimensions: ['model', 'token'], until: unixMillis(start + 170 * day) },
      ),
    );
    expect(summary).toMatchObject({ rows: 340, quota: '85', watermark: (start + 170 * day) / 1000 });
    expect(new Set(source.queries.map(({ groupBy }) => groupBy))).toEqual(new Set(['model', 'token']));
    expect(summary.windows).toBeGreaterThanOrEqual(12);
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

const hour = 3_600_000;

const shorter = (
  warehouse: Warehouse,
  fetchUsage: UsagePullDeps['fetchUsage'],
  change: Partial<UsagePull> = {},
): UsagePull & UsagePullDeps => usagePullOf(warehouse, { fetchUsage }, start + 170 * day, change);

const failing = (how: (query: UsageQuery) => FaultCode | undefined) => {
  const source = usageSource(steady);
  const struck: UsageQuery[] = [];
  const fetchUsage = async (query: UsageQuery) => {
    const code = how(query);
    if (code === undefined) return source.fetchUsage(query);
    struck.push(query);
    throw fault(code, 'not this one');
  };
  return { struck, fetchUsage };
};

describe('a usage export', () => {
  it.each<[FaultCode, number, number]>([
    // Of those that refuse, most refuse more than 30 days; then it is halves.
    ['gateway-refused', 30, 1],
    ['gateway-http-error', 9, 3],
    ['gateway-timeout', 9, 6],
    ['gateway-server-error', 40, 4],
    ['gateway-connection-lost', 9, 7],
  ])(
    'that answers %s beyond %i days is requested in shorter intervals from then on',
    async (code, days, most) => {
      const { warehouse } = await openNew();
      const { struck, fetchUsage } = failing(({ start: from, end }) =>
        end - from > days * day ? code : undefined,
      );
      expect(await pullUsage(shorter(warehouse, fetchUsage))).toMatchObject({ rows: 170, quota: '85' });
      expect(struck.length).toBeLessThanOrEqual(most);
    },
  );

  it('that fails even for one bucket is abandoned at once', async () => {
    const { warehouse } = await openNew();
    const { struck, fetchUsage } = failing(() => 'gateway-refused');
    await expect(pullUsage(shorter(warehouse, fetchUsage))).rejects.toMatchObject({
      code: 'gateway-refused',
    });
    expect(struck).toHaveLength(2);
  });

  it('with a suspiciously round number of rows is requested in shorter intervals', async () => {
    const { warehouse } = await openNew();
    const dense = Array.from({ length: 24 * 80 }, (_, index) => index).flatMap((index) =>
      Array.from({ length: 9 }, (_unused, model) => ({
        bucket: start + index * hour,
        entry: `m${model}`,
        value: '0.25',
      })),
    );
    const source = usageSource(dense, {}, (body) => `${body.split('\n').slice(0, 10_001).join('\n')}\n`);
    const pull = shorter(warehouse, source.fetchUsage, {
      granularity: 'hour',
      until: unixMillis(start + 80 * day),
    });
    expect(await pullUsage(pull)).toMatchObject({ rows: dense.length });
    const values = await warehouse.usage.values({ ...series, granularity: 'hour' }, all);
    expect(sumMoney(values.map(({ value }) => value))).toBe(String(dense.length / 4));
    expect(source.queries.length).toBeLessThan(8);
  });
});
