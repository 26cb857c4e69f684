import { describe, expect, it } from 'vitest';
import { fault, interval, sumMoney, unixMillis, type FaultCode } from '../../../src/core/index.ts';
import { pullUsage, type UsagePull, type UsagePullDeps, type UsageQuery } from '../../../src/ingest/index.ts';
import type { Warehouse } from '../../../src/warehouse/index.ts';
import { openNew } from '../support.ts';
import { usageSource } from './usage-source.ts';
import { day, start, usagePullOf } from './usage-support.ts';

const hour = 3_600_000;
const all = interval(unixMillis(0), unixMillis(4_000_000_000_000));

const pullOf = (
  warehouse: Warehouse,
  fetchUsage: UsagePullDeps['fetchUsage'],
  change: Partial<UsagePull> = {},
): UsagePull & UsagePullDeps => usagePullOf(warehouse, { fetchUsage }, start + 170 * day, change);

const figures = Array.from({ length: 170 }, (_, index) => ({
  bucket: start + index * day,
  entry: 'm',
  value: '0.5',
}));

const failing = (how: (query: UsageQuery) => FaultCode | undefined) => {
  const source = usageSource(figures);
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
      expect(await pullUsage(pullOf(warehouse, fetchUsage))).toMatchObject({ rows: 170, quota: '85' });
      expect(struck.length).toBeLessThanOrEqual(most);
    },
  );

  it('that fails even for one bucket is abandoned at once', async () => {
    const { warehouse } = await openNew();
    const { struck, fetchUsage } = failing(() => 'gateway-refused');
    await expect(pullUsage(pullOf(warehouse, fetchUsage))).rejects.toMatchObject({ code: 'gateway-refused' });
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
    const pull = pullOf(warehouse, source.fetchUsage, {
      granularity: 'hour',
      until: unixMillis(start + 80 * day),
    });
    expect(await pullUsage(pull)).toMatchObject({ rows: dense.length });
    const series = { account: 'main', dimension: 'model', metric: 'spend', granularity: 'hour' as const };
    const values = await warehouse.usage.values(series, all);
    expect(sumMoney(values.map(({ value }) => value))).toBe(String(dense.length / 4));
    expect(source.queries.length).toBeLessThan(8);
  });
});
