import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  dateAt,
  interval,
  intervalInMillis,
  money,
  startOfDay,
  sumMoney,
  unixSeconds,
  type GatewayProfile,
} from '../../src/core/index.ts';
import type { Sandbox, VariantName } from '../../src/sandbox/index.ts';
import { aboutLog, everyVariant, now, switched } from '../support/gateway-fixture.ts';
import { openJobFixture, type JobFixture } from '../support/job-fixture.ts';
import { sampled, chaosFactor } from '../support/storm.ts';
import { reconcilePeriod } from '../../src/reconcile/index.ts';

const since = '2026-10-25';
const start = startOfDay(since, 'UTC');
const watermark = unixSeconds(Math.floor(now / 1000) - 600);

/** What no data can tell must be told: the zone of naive times, and that of a day. */
const reported = (name: VariantName, value: string): Partial<GatewayProfile> => ({
  ...(name === 'log_zone' ? { naiveZone: value } : {}),
  ...(name === 'usage_zone' ? { usageZone: value } : {}),
});

const sumsServed = (sandbox: Sandbox) =>
  sandbox.truth.sums(start, watermark, { unit: sandbox.variants.log_quota === 'units' ? 'units' : 'USD' });

/** Rows of kinds that this gateway leaves out of its exports. */
const left = (sandbox: Sandbox): boolean => sandbox.variants.row_kinds === 'calls';

const pulled = async (fixture: JobFixture) => {
  const { context, sandbox } = fixture;
  const spend = await context.warehouse.spend('main', interval(start, watermark));
  const truth = sumsServed(sandbox);
  return { spend, truth };
};

/** What the statistics of this gateway may come to. */
const verdictsOf = ({ variants }: Sandbox): readonly string[] => {
  if (variants.statistics_unit === 'CNY') return ['currency'];
  if (variants.statistics_unit === 'units' || variants.log_quota === 'units')
    return ['currency', 'equal', 'rounding'];
  return variants.statistics_refunds === 'excluded' ? ['refunds'] : ['equal'];
};

/** Switches of keys and models alone. */
const aboutKeys =
  /^(page_|update|quota_request_unit|key_|name_limit|past_expiry|zero_expiry|missing_id|model_key_errors)/;
const aboutProfile = /^profile_/;

/** In a storm all; else those that may touch what is pulled. */
const touching = (others: readonly RegExp[]): typeof everyVariant =>
  everyVariant.filter(
    ([name], index) => chaosFactor > 1 || index === 0 || !others.some((each) => each.test(name)),
  );

describe.each(sampled(touching([aboutKeys]), 6))('pulls from a gateway with %s=%s', (name, value) => {
  it('land every row of the call log to the last decimal, agree with the statistics or report why not, and change nothing when repeated', async () => {
    await using fixture = await openJobFixture({ variants: switched(name, value) }, reported(name, value));
    const first = await fixture.run('pull-logs', { since, window: '7d' });
    const { spend, truth } = await pulled(fixture);
    const served = left(fixture.sandbox)
      ? sumMoney([money(truth.consumption), money(truth.refunds)])
      : money(truth.quota);
    expect(spend.served).toBe(served);
    expect(spend.calls).toBe(truth.calls);
    if (!left(fixture.sandbox)) expect(first.figures['rows']).toBe(truth.rows);
    const inCurrency = fixture.sandbox.truth.sums(start, watermark);
    if (fixture.sandbox.variants.log_quota === 'currency') expect(spend.net).toBe(money(inCurrency.net));

    const period = interval(startOfDay('2026-11-01', 'UTC'), startOfDay('2026-11-15', 'UTC'));
    const compared = await reconcilePeriod(period, fixture.context);
    if (!compared.known) throw new Error(compared.reason);
    expect(verdictsOf(fixture.sandbox)).toContain(compared.reconciliation.verdict);

    const second = await fixture.run('pull-logs', { since, window: '7d' });
    expect(second.figures['rows']).toBe(0);
    expect((await pulled(fixture)).spend).toEqual(spend);
    expect(await readdir(fixture.context.spoolDirectory)).toEqual([]);
  });
});

describe.each(sampled(touching([aboutKeys, aboutLog, aboutProfile]), 8))(
  'pulls from a gateway with %s=%s',
  (name, value) => {
    it('land the usage of every day by model, equal to the log', async () => {
      await using fixture = await openJobFixture({ variants: switched(name, value) }, reported(name, value));
      await fixture.run('pull-usage', { since, group_by: ['model'] });
      const { sandbox, context } = fixture;
      const zone = sandbox.variants.usage_zone;
      const last = addDays(dateAt(unixSeconds(Math.floor(now / 1000)), zone), -1);
      const first = addDays(since, 1);
      const series = { account: 'main', dimension: 'model', metric: 'spend', granularity: 'day' } as const;
      const values = await context.warehouse.usage.values(
        series,
        intervalInMillis(interval(unixSeconds(0), watermark)),
      );
      for (let day = first; day <= last; day = addDays(day, 1)) {
        const range = { start: startOfDay(day, zone), end: startOfDay(addDays(day, 1), zone) };
        const sums = sandbox.truth.sums(range.start, range.end, { unit: sandbox.variants.usage_unit });
        const landed = values.filter((row) => row.bucket === range.start * 1000).map((row) => row.value);
        const expected = sandbox.variants.usage_refunds === 'excluded' ? sums.consumption : sums.net;
        expect([day, sumMoney(landed)]).toEqual([day, money(expected)]);
      }
    });
  },
);

describe('an export with a hidden cap', () => {
  it.each(sampled(['10000', '50000'], 2))('of %s rows is found and got past (G6.14)', async (cap) => {
    await using fixture = await openJobFixture({
      variants: switched('hidden_cap', cap),
      callsPerDay: Number(cap) / 14,
    });
    await fixture.run('pull-logs', { since });
    const { spend, truth } = await pulled(fixture);
    expect(truth.rows).toBeGreaterThan(Number(cap));
    expect(spend.served).toBe(money(truth.quota));
    expect(spend.calls).toBe(truth.calls);
  });
});
