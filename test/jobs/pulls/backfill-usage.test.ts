import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  money,
  startOfDay,
  sumMoney,
  unixMillis,
  unixSeconds,
  zero,
  type Money,
} from '../../../src/core/index.ts';
import { bucketsOf } from '../../../src/ingest/index.ts';
import { now } from '../../support/gateway-fixture.ts';
import { openJobFixture, type JobFixture } from '../../support/job-fixture.ts';
import { approved, titled } from '../../support/approved.ts';
import { few } from '../../support/storm.ts';

const since = '2026-10-25';
const start = startOfDay(since, 'UTC') * 1000;
const hour = 3_600_000;
const day = 24 * hour;
const granularities = ['hour', 'day', 'week'] as const;
type Granularity = (typeof granularities)[number];
type Sums = readonly (readonly [bucket: number, sum: Money])[];

const again = (from: number, to: number) => ({
  trigger: 'backfill' as const,
  interval: { start: unixMillis(from), end: unixMillis(to) },
});

const whole = { start: unixMillis(0), end: unixMillis(4_000_000_000_000) };

/** The sum of each bucket that has one. */
const stored = async (
  { context }: JobFixture,
  account: string,
  granularity: Granularity,
  dimension: string,
): Promise<Sums> => {
  const values = await context.warehouse.usage.values(
    { account, dimension, metric: 'spend', granularity },
    whole,
  );
  const buckets = [...new Set(values.map(({ bucket }) => bucket))];
  return buckets
    .map(
      (at) => [at, sumMoney(values.filter(({ bucket }) => bucket === at).map(({ value }) => value))] as const,
    )
    .filter(([, sum]) => sum !== zero);
};

const truth = ({ sandbox }: JobFixture, granularity: Granularity, zone: string, until: number): Sums => {
  const buckets = bucketsOf(granularity, zone);
  const sums: (readonly [number, Money])[] = [];
  let at = buckets.at(unixMillis(start));
  for (let next = buckets.after(at); next <= until; [at, next] = [next, buckets.after(next)])
    sums.push([at, money(sandbox.truth.sums(unixSeconds(at / 1000), unixSeconds(next / 1000)).net)]);
  return sums.filter(([, sum]) => sum !== zero);
};

describe('a repeated pull of usage', () => {
  it('leaves no gaps and no duplicates, whatever and whenever it pulls between the regular runs', async () => {
    const zone = 'Asia/Shanghai';
    await using fixture = await openJobFixture({ variants: { usage_zone: zone } }, { usageZone: zone });
    const { context, clock, run } = fixture;
    const steps = fc.array(
      fc.record({
        // Five of them at most: the clock never goes past the moment that all is compared at.
        wait: fc.integer({ min: 0, max: 4 * 24 }),
        regular: fc.boolean(),
        from: fc.integer({ min: -24 * 20, max: 27 * 24 }),
        length: fc.integer({ min: 0, max: 14 * 24 * 60 }),
      }),
      { maxLength: 5 },
    );
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...granularities), steps, async (granularity, sequence) => {
        runs += 1;
        const name = `run-${runs}`;
        const account = { account: { ...context.account, name } };
        const settings = { since, granularity, group_by: ['model', 'token'] };
        const series = { account: name, dimension: 'token', metric: 'spend', granularity };
        clock.set(now - 20 * day);
        let farthest = 0;
        for (const { wait, regular, from, length } of sequence) {
          clock.advance(wait * hour);
          const change = regular ? {} : again(start + from * hour, start + from * hour + length * 60_000);
          const before = await stored(fixture, name, granularity, 'model');
          await run('pull-usage', settings, { ...change, ...account });
          const covered = await context.warehouse.usage.watermark(series);
          expect(covered?.end ?? 0).toBeGreaterThanOrEqual(farthest);
          farthest = covered?.end ?? 0;
          const after = await stored(fixture, name, granularity, 'model');
          // A bucket that was there stays or is replaced by itself.
          expect(after.map(([at]) => at)).toEqual(expect.arrayContaining(before.map(([at]) => at)));
          const first = bucketsOf(granularity, zone).at(unixMillis(start));
          if (covered !== undefined && covered.start <= first)
            expect(after.filter(([at]) => at < covered.end)).toEqual(
              truth(fixture, granularity, zone, covered.end),
            );
        }
        clock.set(now);
        await run('pull-usage', settings, account);
        for (const dimension of ['model', 'token'])
          expect(await stored(fixture, name, granularity, dimension)).toEqual(
            truth(fixture, granularity, zone, now - 600_000),
          );
      }),
      { numRuns: few(5, 24) },
    );
  });

  it('covers the buckets that its interval touches, and reports what it excludes', async () => {
    await using fixture = await openJobFixture();
    const { context, run, plan } = fixture;
    const settings = { since, group_by: ['model'] };
    const at = (text: string): number => Date.parse(text);

    const early = again(at('2026-11-12T07:00:00Z'), at('2026-11-13T00:00:01Z'));
    const planned = await plan('pull-usage', settings, early);
    const first = await run('pull-usage', settings, early);
    expect(first.summary).toMatch(/landed again, of 1 window by model$/);
    expect((await stored(fixture, 'main', 'day', 'model')).map(([bucket]) => bucket)).toEqual([
      at('2026-11-12'),
      at('2026-11-13'),
    ]);
    const series = { account: 'main', dimension: 'model', metric: 'spend', granularity: 'day' } as const;
    expect(await context.warehouse.usage.watermark(series)).toBeUndefined();

    const none = again(at('2026-11-21T00:00:00Z'), at('2026-11-22T00:00:00Z'));
    const texts = titled([
      ['two days', planned.join('\n')],
      ['a day that is not over', (await plan('pull-usage', settings, none)).join('\n')],
      ['a day that is not over, as it was run', (await run('pull-usage', settings, none)).summary],
    ]);
    await expect(texts).toMatchFileSnapshot(approved('jobs/backfill-usage'));
  });

  it('also pulls the days before the cursor when it advances the cursor', async () => {
    await using fixture = await openJobFixture();
    const { clock, run, plan } = fixture;
    const settings = { since, group_by: ['model'] };
    clock.set(now - 5 * day);
    await run('pull-usage', settings);
    clock.set(now);
    const through = again(Date.parse('2026-11-16'), Date.parse('2026-11-18'));
    expect(await plan('pull-usage', settings, through)).toEqual([
      expect.stringMatching(/ 2026-11-14 00:00 UTC to 2026-11-18 00:00 UTC$/),
    ]);
    const within = again(Date.parse('2026-11-15'), Date.parse('2026-11-16'));
    expect(await plan('pull-usage', settings, within)).toEqual([
      expect.stringMatching(/ 2026-11-15 00:00 UTC to 2026-11-16 00:00 UTC$/),
    ]);
  });
});
