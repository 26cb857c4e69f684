import { readdir } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  dateAt,
  interval,
  localDays,
  money,
  multiplyMoney,
  startOfDay,
  silentLog,
  startOfWeek,
  sumMoney,
  systemClock,
  toSeconds,
  unixMillis,
  unixSeconds,
  type Money,
  type UnixSeconds,
} from '../../src/core/index.ts';
import { composeReport, jobKinds, type JobContext } from '../../src/jobs/index.ts';
import { parseVariants, variantTable, type Sandbox, type Variants } from '../../src/sandbox/index.ts';
import { openWarehouse, type Warehouse } from '../../src/warehouse/index.ts';
import { now } from '../support/gateway-fixture.ts';
import { openJobFixture, type JobFixture } from '../support/job-fixture.ts';
import { few, chaosFactor } from '../support/storm.ts';

const since = '2026-10-25';
const start = startOfDay(since, 'UTC');
const watermark = unixSeconds(Math.floor(now / 1000) - 600);

/** Each switch at any of its values, the default no likelier than the others. */
const anyOf = (names: readonly (keyof typeof variantTable)[]): fc.Arbitrary<Partial<Variants>> =>
  fc
    .tuple(...names.map((name) => fc.constantFrom<string>(...variantTable[name].values)))
    .map((values) => parseVariants(Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']))));

const logSwitches = [
  'compression',
  'created_at',
  'log_zone',
  'log_quota',
  'refund_rows',
  'cached_header',
  'quota_header',
  'column_order',
  'extra_columns',
  'unknown_columns',
  'detailed_columns',
  'title_line',
  'total_line',
  'guarded_cells',
  'row_order',
  'row_id',
  'prompt_tokens',
  'row_kinds',
  'kind_values',
  'late_rows',
  'log_range_end',
  'statistics_range_end',
  'statistics_refunds',
  'statistics_unit',
] as const;

const usageSwitches = [
  'refund_rows',
  'usage_unit',
  'usage_refunds',
  'usage_range_end',
  'usage_span',
  'usage_layout',
  'usage_header',
  'usage_time',
  'usage_zone',
  'usage_zero',
  'usage_buckets',
  'usage_other',
  'late_rows',
] as const;

/** The fixture's account, kept in the currency given, with what no data can tell told. */
const contextOf = (
  { context, sandbox }: JobFixture,
  currency: 'USD' | 'CNY',
  warehouse: Warehouse = context.warehouse,
): JobContext => ({
  ...context,
  warehouse,
  account: {
    ...context.account,
    currency,
    profile: {
      ...context.account.profile,
      naiveZone: sandbox.variants.log_zone,
      usageZone: sandbox.variants.usage_zone,
    },
  },
});

const run = async (name: string, settings: Readonly<Record<string, unknown>>, context: JobContext) => {
  const kind = jobKinds.find((candidate) => candidate.kind === name);
  if (kind === undefined) throw new RangeError(`no kind ${name}`);
  return kind.run(await kind.shape.parseAsync(settings), context);
};

/** Sums by one column of the cube, as plain records. */
const sumsBy = async (column: 'model_name' | 'token_name', context: JobContext) =>
  context.warehouse.readCube(
    {
      account: 'main',
      periods: [{ name: 'current', days: localDays(since, dateAt(watermark, 'UTC'), 'UTC') }],
    },
    async (query) => {
      const { rows } = await query(
        `SELECT ${column}, sum(spend) FROM cube WHERE kind IN ('consumption', 'refund') GROUP BY 1`,
      );
      return Object.fromEntries(rows.map(([name, spend]) => [String(name), money(String(spend))]));
    },
  );

const truthOf = (sandbox: Sandbox, currency: 'USD' | 'CNY', from: number, to: number) => {
  const inUnits = sandbox.variants.log_quota === 'units';
  const sums = sandbox.truth.sums(from, to, { unit: inUnits ? 'units' : currency });
  const value = money(inUnits ? '0.000002' : '1');
  const worth = (amount: string): Money => multiplyMoney(money(amount), value);
  const each = (record: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(record).map(([name, amount]) => [name, worth(amount)]));
  return { ...sums, net: worth(sums.net), byModel: each(sums.byModel), byKey: each(sums.byKey) };
};

it('log pulls store the gateway’s rows and reports show them under every combination of switches (G6.3)', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyOf(logSwitches),
      fc.constantFrom('USD' as const, 'CNY' as const),
      fc.constantFrom('40h', '7d', '31d'),
      async (variants, asked, window) => {
        // Units are parts of a US dollar, whatever was asked for.
        const currency = variants.log_quota === 'units' ? 'USD' : asked;
        await using fixture = await openJobFixture({ variants, callsPerDay: 30 });
        const { sandbox } = fixture;
        // Its time limits are real: the clock of the fixture jumps over any wait.
        await using warehouse = await openWarehouse({
          path: ':memory:',
          memoryLimit: '512MB',
          threads: 1,
          spoolDirectory: fixture.context.spoolDirectory,
          clock: { ...systemClock, now: fixture.clock.now },
          log: silentLog,
        });
        const context = contextOf(fixture, currency, warehouse);
        await run('pull-logs', { since, window }, context);
        const truth = truthOf(sandbox, currency, start, watermark);
        const spend = await context.warehouse.spend('main', interval(start, watermark));
        expect([spend.net, spend.calls]).toEqual([truth.net, truth.calls]);
        expect(await sumsBy('model_name', context)).toEqual(truth.byModel);
        expect(await sumsBy('token_name', context)).toEqual(truth.byKey);

        expect((await run('pull-logs', { since, window }, context)).figures['rows']).toBe(0);
        expect(await context.warehouse.spend('main', interval(start, watermark))).toEqual(spend);
        expect(await readdir(context.spoolDirectory)).toEqual([]);

        const zoned = { ...context, zone: 'Asia/Kathmandu' };
        const period = { from: '2026-11-02', to: '2026-11-09' };
        const { rendered } = await composeReport({ report: 'spend-summary', period }, zoned);
        const [from, to] = [startOfDay(period.from, zoned.zone), startOfDay(period.to, zoned.zone)];
        const shown = truthOf(sandbox, currency, from, to).net;
        expect(rendered.text).toContain(`Spend, exact: ${shown} ${currency}.`);
      },
    ),
    { numRuns: few(1, 2 * chaosFactor) },
  );
});

it('usage pulls store the gateway’s figures under every combination of switches (G7.7, G7.10)', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyOf(usageSwitches),
      fc.constantFrom('hour' as const, 'day' as const, 'week' as const),
      async (variants, granularity) => {
        await using fixture = await openJobFixture({ variants, callsPerDay: 15 });
        const { sandbox } = fixture;
        const context = contextOf(fixture, 'USD');
        await run('pull-usage', { since, group_by: ['model', 'token'], granularity }, context);
        const zone = sandbox.variants.usage_zone;
        const end = toSeconds(unixMillis(now - 600_000));
        const bucketAt = (moment: UnixSeconds): UnixSeconds => {
          const date = dateAt(moment, zone);
          if (granularity === 'hour') return unixSeconds(moment - (moment % 3600));
          return startOfDay(granularity === 'day' ? date : startOfWeek(date), zone);
        };
        const [first, last] = [bucketAt(start), bucketAt(end)];
        const truth = sandbox.truth.sums(first, last, { unit: sandbox.variants.usage_unit });
        const withRefunds = sandbox.variants.usage_refunds === 'included';
        for (const [dimension, names] of [
          ['model', truth.byModel],
          ['token', truth.byKey],
        ] as const) {
          const series = { account: 'main', dimension, metric: 'spend', granularity };
          const range = interval(unixMillis(first * 1000), unixMillis(last * 1000));
          const values = await context.warehouse.usage.values(series, range);
          expect(sumMoney(values.map(({ value }) => value))).toBe(
            money(withRefunds ? truth.net : truth.consumption),
          );
          if (!withRefunds) continue;
          for (const [name, amount] of Object.entries(names)) {
            const landed = values.filter(({ entry }) => entry === name).map(({ value }) => value);
            expect([name, sumMoney(landed)]).toEqual([name, money(amount)]);
          }
        }
      },
    ),
    { numRuns: few(2, 3 * chaosFactor) },
  );
});
