import { describe, expect, it } from 'vitest';
import { addMoney, interval, money, startOfDay, unixSeconds } from '../../../src/core/index.ts';
import { pullLogs, logPullDeps } from '../../../src/ingest/index.ts';
import { now } from '../../support/gateway-fixture.ts';
import { openJobFixture, withStatistics, type JobFixture } from '../../support/job-fixture.ts';
import { sampled } from '../../support/storm.ts';
import { reconcileRange } from '../../../src/reconcile/index.ts';

const logs = '/api/log/self/stream-export';
const since = '2026-11-08';
const whole = interval(startOfDay(since, 'UTC'), unixSeconds(Math.floor(now / 1000) - 600));

/** Rows and charge that have landed, beside those that the gateway holds. */
const landedOf = async ({ context, sandbox }: JobFixture) => {
  const { calls, net } = await context.warehouse.spend('main', whole);
  const truth = sandbox.truth.sums(whole.start, whole.end);
  return { landed: { calls, net }, truth: { calls: truth.calls, net: money(truth.net) } };
};

const exportsOf = ({ sandbox }: JobFixture): number =>
  sandbox.requests.all().filter(({ path }) => path.startsWith(logs)).length;

describe('a gateway with capped exports', () => {
  const caps = [
    ['777', 150],
    ['5000', 500],
  ] as const;
  it.each(sampled<(typeof caps)[number]>(caps, 2))(
    'is detected at %s rows, reported, and pulled in smaller windows',
    async (cap, callsPerDay) => {
      await using fixture = await openJobFixture({ variants: { hidden_cap: cap }, callsPerDay });
      const pulled = await fixture.run('pull-logs', { since });
      const { landed, truth } = await landedOf(fixture);
      expect(landed).toEqual(truth);
      expect(pulled.summary).toContain(`export capped at ${cap} rows;`);
      expect(pulled.figures['compared']).toBe('equal');
      const points = await fixture.context.warehouse.profile.points('main');
      expect(points.find(({ point }) => point === 'log.row_cap')).toMatchObject({ value: cap });
      expect(await fixture.context.warehouse.comparisons.gaps('main')).toEqual([]);

      // An account that begins with what was learned requests small windows from the start.
      const before = exportsOf(fixture);
      const again = await fixture.run('pull-logs', { since: '2026-11-06' });
      expect(again.figures['requestedAgain']).toBe(0);
      expect(exportsOf(fixture) - before).toBeLessThan(8);
    },
  );

  it('is pulled over several runs, each within max_requests', async () => {
    await using fixture = await openJobFixture({ variants: { hidden_cap: '777' }, callsPerDay: 200 });
    let runs = 0;
    for (; runs < 6; runs += 1) {
      fixture.clock.advance(1);
      const run = await fixture.run('pull-logs', { since, max_requests: 20 });
      // Comparing what has landed comes on top.
      expect(run.figures['requests']).toBeLessThan(32);
      const { landed, truth } = await landedOf(fixture);
      if (landed.net === truth.net) break;
    }
    const { landed, truth } = await landedOf(fixture);
    expect(landed).toEqual(truth);
    expect(runs).toBeGreaterThan(0);
  });
});

describe('an export that ends early without an error', () => {
  it.each([1, 2, 3])('is requested again within the run: %d times', async (times) => {
    await using fixture = await openJobFixture({ callsPerDay: 60 });
    fixture.sandbox.faults.plant({ kind: 'short', rows: 40, path: logs, skip: 1, times });
    const pulled = await fixture.run('pull-logs', { since });
    const { landed, truth } = await landedOf(fixture);
    expect(landed).toEqual(truth);
    expect(pulled.figures['compared']).toBe('equal');
    expect(pulled.summary).not.toContain('capped');
    expect(await fixture.context.warehouse.comparisons.gaps('main')).toEqual([]);
  });

  it('is requested again within the run when only its header arrived', async () => {
    await using fixture = await openJobFixture();
    fixture.sandbox.faults.plant({ kind: 'short', rows: 0, path: logs, skip: 1 });
    await fixture.run('pull-logs', { since });
    const { landed, truth } = await landedOf(fixture);
    expect(landed).toEqual(truth);
  });
});

describe('a past window', () => {
  it('is found by its comparisons when it landed incomplete, pulled again, and restated', async () => {
    await using fixture = await openJobFixture({ variants: { hidden_cap: '777' }, callsPerDay: 150 });
    const { context, clock } = fixture;
    const { warehouse } = context;
    // As a version without the search left it: short, and compared.
    await pullLogs({
      ...logPullDeps(context),
      account: 'main',
      since: whole.start,
      until: whole.end,
      windowSeconds: 31 * 86_400,
      columns: 'detailed',
      currency: 'USD',
      profile: context.account.profile,
    });
    await reconcileRange(whole, context);
    const landedAt = clock.now();
    clock.advance(60_000);
    const { landed: short, truth } = await landedOf(fixture);
    expect(short.calls).toBeLessThan(truth.calls);

    const run = await fixture.run('pull-logs', { since, revisit: [] });
    expect(run.summary).toContain('export capped at 777 rows');
    expect((await landedOf(fixture)).landed).toEqual(truth);
    const restated = await warehouse.restatements.since('main', landedAt, whole);
    expect(restated.new.net).not.toBe(restated.old.net);

    // What was searched to its end is not searched again.
    clock.advance(60_000);
    const next = await fixture.run('pull-logs', { since, revisit: [] });
    expect(next.figures['requestedAgain']).toBe(0);
  });

  it('is searched only once when no request completes it, and remains reported', async () => {
    await using fixture = await openJobFixture();
    const change = withStatistics(fixture, (quota) => addMoney(quota, money('3')));
    const first = await fixture.run('pull-logs', { since }, change);
    expect(first.summary).toContain('1 window stays short');
    expect(first.figures['requestedAgain']).toBe(3);
    const gaps = await fixture.context.warehouse.comparisons.gaps('main');
    expect(gaps).toMatchObject([{ source: 'statistics', state: 'open', verdict: 'truncated' }]);
    fixture.clock.advance(3_600_000);
    const second = await fixture.run('pull-logs', { since }, change);
    expect(Number(second.figures['requestedAgain'])).toBeLessThanOrEqual(3);
  });
});
