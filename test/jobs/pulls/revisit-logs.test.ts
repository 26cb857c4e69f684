import { expect, it } from 'vitest';
import {
  interval,
  money,
  startOfDay,
  subtractMoney,
  sumMoney,
  unixMillis,
  unixSeconds,
} from '../../../src/core/index.ts';
import { approved, titled } from '../../support/approved.ts';
import { openJobFixture } from '../../support/job-fixture.ts';

const since = '2026-11-15';
const start = startOfDay(since, 'UTC');
const at = (text: string): number => Date.parse(`${text}Z`);

it('revisits land rows that arrive after the lag, and report a restatement (G16.1, G16.2)', async () => {
  await using fixture = await openJobFixture({ callsPerDay: 2000 });
  const { context, clock, sandbox, run, plan } = fixture;
  const settings = { since, lag: '0s' };
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
  const pulled = await run('pull-logs', { since, window: '31d' });
  const end = unixSeconds(Math.floor(clock.now() / 1000) - 600);
  const truth = sandbox.truth.sums(start, end);
  expect(await context.warehouse.spend('main', interval(start, end))).toMatchObject({
    calls: truth.calls,
    net: money(truth.net),
  });
  expect(pulled.figures).toMatchObject({ windows: 4 });
});
