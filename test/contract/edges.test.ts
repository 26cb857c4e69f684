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
} from '../../src/core/index.ts';
import { variantTable } from '../../src/sandbox/index.ts';
import { now } from '../support/gateway-fixture.ts';
import { openJobFixture, type JobFixture } from '../support/job-fixture.ts';
import { sampled } from '../support/storm.ts';
import { reconcilePeriod } from '../../src/reconcile/index.ts';

const since = '2026-10-25';
const start = startOfDay(since, 'UTC');
const watermark = unixSeconds(Math.floor(now / 1000) - 600);

/** Landed rows and sums against those the sandbox holds. */
const expectWhole = async ({ context, sandbox }: JobFixture, end = watermark): Promise<void> => {
  const spend = await context.warehouse.spend('main', interval(start, end));
  const truth = sandbox.truth.sums(start, end);
  expect([spend.calls, spend.served, spend.net]).toEqual([truth.calls, money(truth.quota), money(truth.net)]);
};

const callAt = async (fixture: JobFixture, moment: number, name: string, times: number): Promise<void> => {
  const { clock, gateway, sandbox } = fixture;
  const back = clock.now();
  clock.set(moment);
  const { key } = await gateway.createKey({
    name,
    remainQuota: money('0'),
    unlimitedQuota: true,
    expiredTime: 'never',
    group: '',
  });
  for (let made = 0; made < times; made += 1) {
    const reply = await fetch(`${sandbox.baseUrl}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.reveal()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'text-embedding-3-small', input: 'to the point' }),
    });
    expect(reply.status).toBe(200);
    await reply.text();
  }
  clock.set(back);
};

const zonedTimes = (['rfc3339', 'naive'] as const).flatMap((form) =>
  variantTable.log_zone.values.map((zone) => [form, zone] as const),
);

describe.each(sampled(zonedTimes, 3))(
  'rows with times written as %s in %s over a DST change',
  (form, zone) => {
    it('land at their exact instants (G6.5)', async () => {
      await using fixture = await openJobFixture(
        { variants: { created_at: form, log_zone: zone } },
        { naiveZone: zone },
      );
      await fixture.run('pull-logs', { since, window: '7d' });
      await expectWhole(fixture);
      // Day by day: a zone misread moves rows without changing the sum.
      for (let day = addDays(since, 1); day < '2026-11-20'; day = addDays(day, 1)) {
        const range = interval(startOfDay(day, 'UTC'), startOfDay(addDays(day, 1), 'UTC'));
        const spend = await fixture.context.warehouse.spend('main', range);
        expect([day, spend.served]).toEqual([
          day,
          money(fixture.sandbox.truth.sums(range.start, range.end).quota),
        ]);
      }
    });
  },
);

const ends = variantTable.log_range_end.values.flatMap((log) =>
  variantTable.statistics_range_end.values.map((statistics) => [log, statistics] as const),
);

describe.each(sampled(ends, 3))(
  'calls in the last second of a window (log %s, statistics %s)',
  (log, statistics) => {
    it('land once and agree with the statistics (G5.5, G5.6, G6.6)', async () => {
      await using fixture = await openJobFixture({
        variants: { log_range_end: log, statistics_range_end: statistics },
      });
      const boundary = Date.UTC(2026, 10, 15);
      await callAt(fixture, boundary - 1000, 'before', 1);
      await callAt(fixture, boundary, 'at', 3);
      await fixture.run('pull-logs', { since, window: '1d' });
      await expectWhole(fixture);
      for (const [first, last] of [
        ['2026-11-01', '2026-11-15'],
        ['2026-11-15', '2026-11-20'],
      ] as const) {
        const compared = await reconcilePeriod(
          interval(startOfDay(first, 'UTC'), startOfDay(last, 'UTC')),
          fixture.context,
        );
        expect(compared).toMatchObject({ known: true, reconciliation: { verdict: 'equal' } });
      }
      const asked = fixture.sandbox.requests.all().filter(({ path }) => path === '/api/log/self/stat');
      expect(asked.length).toBeGreaterThan(0);
      for (const { query } of asked) expect(query).not.toHaveProperty('token_name');
    });
  },
);

describe.each(sampled(variantTable.late_rows.values, 2))('late rows (%s)', (value) => {
  it('land although an earlier pull did not return them (G16.1)', async () => {
    await using fixture = await openJobFixture({ callsPerDay: 200, variants: { late_rows: value } });
    const { sandbox, clock } = fixture;
    const late = sandbox.truth
      .rows(start, watermark)
      .findLast((row) => row.visibleAt - row.createdAt > (value === 'present' ? 300 : -1));
    if (late === undefined) throw new Error('no such row');
    clock.set((late.createdAt + 1) * 1000);
    await fixture.run('pull-logs', { since, window: '7d' });
    await expectWhole(fixture, unixSeconds(late.createdAt + 1 - 600));
    clock.set(now);
    await fixture.run('pull-logs', { since, window: '7d' });
    await expectWhole(fixture);
  });
});

describe.each(sampled(variantTable.guarded_cells.values, 2))(
  'names that start like a formula (guarded: %s)',
  (value) => {
    it('land as the names of the keys (G6.13)', async () => {
      await using fixture = await openJobFixture({ variants: { guarded_cells: value } });
      const hostile = ['=1+1', '@here', '-5', "it's"];
      for (const name of hostile) await callAt(fixture, now - 3_600_000, name, 1);
      await fixture.run('pull-logs', { since });
      await expectWhole(fixture);
      const today = { date: '2026-11-21', ...interval(startOfDay('2026-11-21', 'UTC'), watermark) };
      const table = await fixture.context.warehouse.readCube(
        // The clock of the tests ends shorter waits at once.
        { account: 'main', periods: [{ name: 'current', days: [today] }], timeLimit: 3_600_000 },
        (query) =>
          query("SELECT DISTINCT token_name FROM cube WHERE token_name LIKE '%''%' OR token_name < '@i'"),
      );
      expect(new Set(table.rows.flat())).toEqual(new Set(hostile));
    });
  },
);

const refusing = variantTable.business_errors.values;

describe.each(sampled(refusing, 2))('a usage export that refuses more than 30 days with %s', (errors) => {
  it('is requested in shorter intervals and lands completely (G7.3)', async () => {
    await using fixture = await openJobFixture({
      months: 5,
      variants: { usage_span: '30-days', business_errors: errors, message_language: 'zh' },
    });
    const first = '2026-07-01';
    await fixture.run('pull-usage', { since: first, group_by: ['model'] });
    const last = dateAt(unixSeconds(Math.floor(now / 1000)), 'UTC');
    const range = interval(startOfDay(first, 'UTC'), startOfDay(last, 'UTC'));
    const values = await fixture.context.warehouse.usage.values(
      { account: 'main', dimension: 'model', metric: 'spend', granularity: 'day' },
      intervalInMillis(range),
    );
    expect(sumMoney(values.map(({ value }) => value))).toBe(
      money(fixture.sandbox.truth.sums(range.start, range.end).net),
    );
  });
});
