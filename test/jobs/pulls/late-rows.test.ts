import { mailFolder } from '../../../src/notify/index.ts';
import { describe, expect, it } from 'vitest';
import {
  addMoney,
  fault,
  interval,
  money,
  startOfDay,
  unixSeconds,
  type Money,
  subtractMoney,
  sumMoney,
  unixMillis,
} from '../../../src/core/index.ts';
import type { JobContext } from '../../../src/jobs/index.ts';
import { reconcileRange } from '../../../src/reconcile/index.ts';
import { plainRow } from '../../../src/sandbox/traffic/row.ts';
import { openJobFixture, type JobFixture } from '../../support/job-fixture.ts';
import { isOnPostgres } from '../../support/postgres-warehouse.ts';
import { approved, titled } from '../../support/approved.ts';

const since = '2026-10-25';
const day = 86_400_000;
const range = interval(startOfDay(since, 'UTC'), startOfDay('2026-11-21', 'UTC'));
const dayOf = (date: string) => {
  const start = startOfDay(date, 'UTC');
  return interval(start, unixSeconds(start + 86_400));
};
const settings = { since, revisit: [] };

const opened = async (): Promise<JobFixture> =>
  openJobFixture({ callsPerDay: 40, variants: { late_rows: 'absent' } });

/** A charge that the gateway books now for a moment of a day long closed. */
const bookLate = ({ sandbox }: JobFixture, date: string, grains = 725_200): void => {
  const { ledger, seconds } = sandbox.state;
  const paid = [...ledger.rows(range, seconds())].find(({ kind }) => kind === 'consumption');
  const at = dayOf(date).start + 5000;
  ledger.book(
    plainRow('consumption', at, {
      visibleAt: seconds(),
      grains,
      model: paid?.model,
      token: paid?.token ?? '',
    }),
  );
};

const sums = async ({ context, sandbox }: JobFixture) => ({
  landed: (await context.warehouse.spend('main', range)).net,
  truth: money(sandbox.truth.sums(range.start, range.end).net),
});

/** Statistics that count more over one day than the export ever shows. */
const withSurplus = (
  { context }: JobFixture,
  date: string,
  surplus: () => Money,
): Pick<JobContext, 'account'> => {
  const { gateway } = context.account;
  const hidden = dayOf(date).start + 5000;
  const statistics: typeof gateway.statistics = async (query, options) => {
    const found = await gateway.statistics(query, options);
    const counts = query.start <= hidden && query.end > hidden;
    return counts ? { ...found, quota: addMoney(found.quota, surplus()) } : found;
  };
  return { account: { ...context.account, gateway: { ...gateway, statistics } } };
};

/** A gateway that refuses the statistics. */
const withoutStatistics = ({ context }: JobFixture): Pick<JobContext, 'account'> => {
  const statistics = async () => {
    throw fault('gateway-scope-missing', 'the Admin Key lacks a scope');
  };
  return { account: { ...context.account, gateway: { ...context.account.gateway, statistics } } };
};

describe('a late row of a day long closed', () => {
  it('is landed where the statistics are refused and the usage export counts it', async () => {
    await using fixture = await opened();
    const { clock, run } = fixture;
    const refused = withoutStatistics(fixture);
    await run('pull-logs', settings, refused);
    bookLate(fixture, '2026-10-28');
    await run('pull-usage', { since });
    clock.advance(day);
    expect((await sums(fixture)).landed).not.toBe((await sums(fixture)).truth);
    await run('pull-logs', settings, refused);
    const { landed, truth } = await sums(fixture);
    expect(landed).toBe(truth);
  });

  it('is landed by the next daily pull, without a backfill, and restates its quarter hour', async () => {
    await using fixture = await opened();
    const { context, clock, run } = fixture;
    await run('pull-logs', settings);
    bookLate(fixture, '2026-10-28');
    const before = await sums(fixture);
    expect(before.landed).not.toBe(before.truth);
    const landedAt = clock.now();
    clock.advance(day);
    const pulled = await run('pull-logs', settings);
    const { landed, truth } = await sums(fixture);
    expect(landed).toBe(truth);
    expect(pulled.figures).toMatchObject({ late: 1, compared: 'equal' });
    const restated = await context.warehouse.restatements.since('main', landedAt, dayOf('2026-10-28'));
    expect(restated.quarters).toHaveLength(1);
    expect(await context.warehouse.comparisons.lagging('main')).toEqual([]);
  });

  it('is landed although a comparison in between called its gap late data', async () => {
    await using fixture = await opened();
    const { context, clock, run } = fixture;
    await run('pull-logs', settings);
    bookLate(fixture, '2026-10-28');
    const { comparisons } = await reconcileRange(range, context);
    expect(comparisons.find(({ source }) => source === 'statistics')?.verdict).toBe('late data');
    clock.advance(day);
    await run('pull-logs', settings);
    const { landed, truth } = await sums(fixture);
    expect(landed).toBe(truth);
  });

  it.skipIf(isOnPostgres)(
    'is landed into an archived month, which the archive job archives again',
    async () => {
      await using fixture = await opened();
      const { context, clock, run } = fixture;
      const stateOf = async () =>
        (await context.warehouse.archive.months('main')).find(({ month }) => month === '2026-10')?.state;
      await run('pull-logs', settings);
      await run('archive', { retain: '10d' });
      const archived = await stateOf();
      expect(archived).toBeDefined();
      bookLate(fixture, '2026-10-28');
      clock.advance(day);
      await run('pull-logs', settings);
      expect((await sums(fixture)).landed).toBe((await sums(fixture)).truth);
      expect(await stateOf()).not.toBe(archived);
      await run('archive', { retain: '10d' });
      expect(await stateOf()).toBe(archived);
      expect((await sums(fixture)).landed).toBe((await sums(fixture)).truth);
    },
  );

  it('is landed by later runs where max_requests is used up, the latest day first', async () => {
    await using fixture = await opened();
    const { context, clock, run } = fixture;
    await run('pull-logs', settings);
    const dates = ['2026-10-26', '2026-10-28', '2026-10-30', '2026-11-02', '2026-11-04', '2026-11-06'];
    for (const date of dates) bookLate(fixture, date);
    clock.advance(day);
    let runs = 0;
    for (; runs < 8; runs += 1) {
      const pulled = await run('pull-logs', { ...settings, max_requests: 20 });
      // Comparing what has landed comes on top.
      expect(pulled.figures['requests']).toBeLessThan(60);
      if ((await sums(fixture)).landed === (await sums(fixture)).truth) break;
      const open = (await context.warehouse.comparisons.lagging('main')).map((one) => one.range.start);
      expect(open.at(-1) ?? 0).toBeLessThanOrEqual(dayOf('2026-11-06').start);
      clock.advance(60_000);
    }
    expect((await sums(fixture)).landed).toBe((await sums(fixture)).truth);
    expect(runs).toBeGreaterThan(0);
  });
});

describe('a window that lags behind the gateway', () => {
  it('is pulled once a day for five days, then rests until its sum at the gateway changes', async () => {
    await using fixture = await opened();
    const { context, clock, run } = fixture;
    const { comparisons } = context.warehouse;
    let surplus = money('3');
    const change = withSurplus(fixture, '2026-10-28', () => surplus);
    await run('pull-logs', settings);
    const tries: unknown[] = [];
    for (let days = 0; days < 7; days += 1) {
      clock.advance(day);
      tries.push((await run('pull-logs', settings, change)).figures['late']);
      clock.advance(3_600_000);
      expect((await run('pull-logs', settings, change)).figures['late']).toBe(0);
    }
    expect(tries).toEqual([1, 1, 1, 1, 1, 0, 0]);
    expect(await comparisons.lagging('main')).toMatchObject([{ range: dayOf('2026-10-28'), tries: 5 }]);
    surplus = money('4');
    clock.advance(day);
    expect((await run('pull-logs', settings, change)).figures['late']).toBe(1);
    expect(await comparisons.lagging('main')).toMatchObject([{ tries: 1 }]);
    surplus = money('0');
    clock.advance(day);
    expect((await run('pull-logs', settings, change)).summary).not.toContain('behind the gateway');
    expect(await comparisons.lagging('main')).toEqual([]);
  });

  it('is the subject of one mail to operators after five pulls, and of another when its sum has changed', async () => {
    await using fixture = await opened();
    const { context, clock, run } = fixture;
    let surplus = money('3');
    const change = {
      ...withSurplus(fixture, '2026-10-28', () => surplus),
      mail: { from: 'reports@example.com', mails: mailFolder(context.spoolDirectory) },
      costOwners: { teams: [], prices: [], operators: ['ops@example.com'] },
    };
    const mails: number[] = [];
    const runDaily = async (days: number): Promise<void> => {
      for (let passed = 0; passed < days; passed += 1) {
        clock.advance(day);
        await run('pull-logs', settings, change);
        const rows = await context.warehouse.outbox.list();
        mails.push(rows.filter(({ kind }) => kind === 'late').length);
      }
    };
    await run('pull-logs', settings);
    await runDaily(7);
    expect(mails).toEqual([0, 0, 0, 0, 1, 1, 1]);
    surplus = money('4');
    await runDaily(6);
    expect(mails.slice(7)).toEqual([1, 1, 1, 1, 2, 2]);
  });
});

const recent = '2026-11-15';
const start = startOfDay(recent, 'UTC');
const at = (text: string): number => Date.parse(`${text}Z`);

it('revisits land rows that arrive after the lag, and report a restatement (G16.1, G16.2)', async () => {
  await using fixture = await openJobFixture({ callsPerDay: 2000 });
  const { context, clock, sandbox, run, plan } = fixture;
  const settings = { since: recent, lag: '0s' };
  clock.set(at('2026-11-17T23:59:59'));
  await run('pull-logs', settings);
  for (let moment = at('2026-11-18T01:00:00'); moment < at('2026-11-19T00:00:00'); moment += 3_600_000) {
    clock.set(moment);
    await run('pull-logs', settings);
  }
  const day = interval(startOfDay('2026-11-18', 'UTC'), startOfDay('2026-11-19', 'UTC'));
  const known = interval(day.start, unixSeconds(day.start + 23 * 3600));
  const before = await context.warehouse.spend('main', known);
  const truth = sandbox.truth.sums(known.start, known.end);
  expect(before.calls).toBeLessThan(truth.calls);
  const mailed = clock.now();

  clock.set(at('2026-11-19T01:00:00'));
  const plans: [string, string][] = [['the day after', (await plan('pull-logs', settings)).join('\n')]];
  const again = await run('pull-logs', settings);
  expect(again.summary).toMatch(/ 2 windows of closed days .*, \d+ quarter hours? changed/);
  expect(again.figures).toMatchObject({ windows: 1, revisited: 2 });
  expect(await context.warehouse.spend('main', known)).toMatchObject({
    calls: truth.calls,
    net: money(truth.net),
  });

  const changed = await context.warehouse.restatements.since('main', mailed, day);
  expect(changed.quarters.length).toBeGreaterThan(0);
  expect(changed.new.calls - changed.old.calls).toBe(truth.calls - before.calls);
  expect(sumMoney([before.net, subtractMoney(changed.new.net, changed.old.net)])).toBe(money(truth.net));

  // Once: the next run has nothing to do again, and a day later there is nothing new to find.
  plans.push(['the day after, once more', (await plan('pull-logs', settings)).join('\n')]);
  clock.set(at('2026-11-20T00:00:00'));
  plans.push(['two days after', (await plan('pull-logs', settings)).join('\n')]);
  await expect(titled(plans)).toMatchFileSnapshot(approved('jobs/revisit-logs'));
  expect((await run('pull-logs', { ...settings, revisit: ['2d'] })).summary).toContain('nothing has changed');
  const later = unixMillis(at('2026-11-19T01:00:00'));
  expect((await context.warehouse.restatements.since('main', later, day)).quarters).toEqual([]);
  expect((await context.warehouse.spend('main', interval(start, day.end))).net).toBe(
    money(sandbox.truth.sums(start, day.end).net),
  );
});

it('a gateway that times out on long windows is asked for shorter ones, ahead of the landing', async () => {
  await using fixture = await openJobFixture({ callsPerDay: 100 });
  const { context, sandbox, run, clock } = fixture;
  sandbox.faults.plant({
    kind: 'status',
    status: 504,
    path: '/api/log',
    times: 1000,
    longerThan: 2 * 86_400,
  });
  const pulled = await run('pull-logs', { since: recent, window: '31d' });
  const end = unixSeconds(Math.floor(clock.now() / 1000) - 600);
  const truth = sandbox.truth.sums(start, end);
  expect(await context.warehouse.spend('main', interval(start, end))).toMatchObject({
    calls: truth.calls,
    net: money(truth.net),
  });
  expect(pulled.figures).toMatchObject({ windows: 4 });
});
