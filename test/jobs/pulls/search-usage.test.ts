import { describe, expect, it } from 'vitest';
import { interval, money, sumMoney, unixMillis } from '../../../src/core/index.ts';
import type { SandboxOptions } from '../../../src/sandbox/index.ts';
import { now } from '../../support/gateway-fixture.ts';
import { openJobFixture, type JobFixture } from '../../support/job-fixture.ts';
import { sampled } from '../../support/storm.ts';

const usage = '/api/data/self/pivot/stream-export';
const since = '2026-11-08';
const series = { account: 'main', dimension: 'model', metric: 'spend', granularity: 'day' } as const;
const days = interval(
  unixMillis(Date.parse('2026-11-08T00:00:00Z')),
  unixMillis(Date.parse('2026-11-21T00:00:00Z')),
);

/** Spend by model that has landed of whole days, and the gateway's. */
const spendOf = async ({ context, sandbox }: JobFixture) => {
  const values = await context.warehouse.usage.values(series, days);
  const truth = sandbox.truth.sums(days.start / 1000, days.end / 1000);
  return { landed: sumMoney(values.map(({ value }) => value)), truth: money(truth.net) };
};

const layouts: readonly NonNullable<SandboxOptions['variants']>[] = [
  { usage_layout: 'long' },
  { usage_layout: 'transposed' },
  { usage_layout: 'wide' },
];

describe.each(sampled(layouts, 2))('a usage export with %j that ends early', (variants) => {
  it.each([0, 1])('is requested again within the run after %d rows', async (rows) => {
    await using fixture = await openJobFixture({ variants });
    await fixture.run('pull-logs', { since });
    fixture.sandbox.faults.plant({ kind: 'short', rows, path: usage });
    const pulled = await fixture.run('pull-usage', { since });
    const { landed, truth } = await spendOf(fixture);
    expect(landed).toBe(truth);
    expect(pulled.figures).toMatchObject({ open: 0, compared: 'equal' });
    expect(await fixture.context.warehouse.comparisons.gaps('main')).toEqual([]);
  });
});

describe('an empty usage export', () => {
  it('does not land while the log shows spend, is reported as a gap, and lands with the next run', async () => {
    await using fixture = await openJobFixture();
    const { warehouse } = fixture.context;
    await fixture.run('pull-logs', { since });
    fixture.sandbox.faults.plant({ kind: 'short', rows: 0, path: usage, times: 3 });
    const first = await fixture.run('pull-usage', { since, group_by: ['model'] });
    expect(first.summary).toContain('has no spend from');
    expect(first.figures).toMatchObject({ windows: 0, open: 1, compared: 'unexplained' });
    expect(await warehouse.usage.watermark(series)).toBeUndefined();
    const gaps = await warehouse.comparisons.gaps('main');
    expect(gaps).toMatchObject([{ source: 'usage by model', state: 'open' }]);
    expect(gaps[0]?.text).toContain('requested again with each run');

    fixture.clock.advance(1000);
    await fixture.run('pull-usage', { since, group_by: ['model'] });
    const { landed, truth } = await spendOf(fixture);
    expect(landed).toBe(truth);
    expect(await warehouse.comparisons.gaps('main')).toMatchObject([{ state: 'healed' }]);
  });

  it.each([
    ['the statistics', undefined],
    ['the change of used_quota', 'no statistics'],
  ])('does not land while %s shows spend and there is no log', async (source, broken) => {
    await using fixture = await openJobFixture();
    for (const at of ['2026-11-12T00:00:00Z', '2026-11-16T00:00:00Z']) {
      fixture.clock.set(Date.parse(at));
      await fixture.run('snapshot', {});
    }
    fixture.clock.set(now);
    fixture.sandbox.faults.plant({ kind: 'short', rows: 0, path: usage, times: 3 });
    if (broken !== undefined)
      fixture.sandbox.faults.plant({ kind: 'status', status: 404, path: '/api/log/self/stat', times: 9 });
    const pulled = await fixture.run('pull-usage', { since, group_by: ['model'] });
    expect(pulled.summary).toContain(source);
    expect(pulled.figures['open']).toBe(1);
  });

  it('lands where nothing was spent', async () => {
    await using fixture = await openJobFixture({ months: 1 });
    const pulled = await fixture.run('pull-usage', {
      since: '2026-11-21',
      granularity: 'hour',
      group_by: ['model'],
    });
    expect(pulled.figures['open']).toBe(0);
  });
});

describe('past usage', () => {
  it('is found by its comparison when only its first row landed, and is pulled again', async () => {
    await using fixture = await openJobFixture();
    const { warehouse } = fixture.context;
    await fixture.run('pull-usage', { since });
    // As a version that believed a short export left it.
    const watermark = await warehouse.usage.watermark(series);
    if (watermark === undefined) throw new Error('nothing was pulled');
    const values = await warehouse.usage.values(series, watermark);
    await warehouse.usage.landWindow({
      ...series,
      window: watermark,
      values: values.filter(({ value }) => value !== '0').slice(0, 1),
      layout: 'long',
      bytes: 0,
      unitsPerCurrency: 500_000,
      opensRange: true,
    });
    await fixture.run('pull-logs', { since });
    fixture.clock.advance(3_600_000);
    await fixture.run('pull-usage', { since });
    const { landed, truth } = await spendOf(fixture);
    expect(landed).toBe(truth);
  });
});
