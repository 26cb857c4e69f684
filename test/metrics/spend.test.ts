import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addMoney, money, sumMoney, type Money } from '../../src/core/index.ts';
import { openTown, type Town } from '../app/support/daemon.ts';
import { enableMetrics, scrape, seriesOf, valueOf } from './support/daemon-metrics.ts';

/** The exact spend of each team in a report on the period; keys of no team are under the name of the metric. */
const reported = async (town: Town, period: string): Promise<ReadonlyMap<string, Money>> => {
  const ran = await town.run('report', 'spend-summary', '--period', period, '--attach', 'csv');
  expect([ran.code, ran.code === 0 ? '' : ran.stderr]).toEqual([0, '']);
  const csv = await readFile(join(town.folder.path, 'out/spend-summary-teams.csv'), 'utf8');
  const rows = csv
    .trim()
    .split('\r\n')
    .slice(1)
    .map((row) => row.split(','));
  return new Map(
    rows.map(([team = '', spend = '']) => [team === '' ? '(none)' : team, money(spend)] as const),
  );
};

/** The spend of each team at `/metrics`. */
const shown = (text: string, period: string): ReadonlyMap<string, Money> =>
  new Map(
    seriesOf(text, 'tollkeeper_team_spend')
      .filter((series) => series.includes(`period="${period}"`))
      .map((series) => [/team="([^"]*)"/.exec(series)?.[1] ?? '', money(valueOf(text, series) ?? '')]),
  );

const total = (text: string, period: string): Money =>
  money(valueOf(text, `tollkeeper_spend{account="main",currency="USD",period="${period}"}`) ?? '');

it('the spend at /metrics equals that of the reports on the same days', async () => {
  await using town = await openTown('2026-11-20T12:00:00Z');
  await enableMetrics(
    town,
    'teams:\n  growth: { keys: ["growth-*"] }\n  search: { keys: ["search-*"] }\n  idle: { keys: ["nothing"] }\n',
  );
  await town.jobs('pull-logs: { kind: pull-logs, since: 2026-11-01, schedule: "7 * * * *" }');
  const daemon = await town.serve();
  expect(seriesOf(await scrape(daemon), 'tollkeeper_spend')).toEqual([]);
  expect((await town.run('run', 'pull-logs')).code).toBe(0);
  const text = await scrape(daemon);

  const yesterday = await reported(town, 'yesterday');
  expect([...yesterday.keys()].toSorted()).toEqual(['(none)', 'growth', 'search']);
  expect(shown(text, 'yesterday')).toEqual(yesterday);
  expect(total(text, 'yesterday')).toBe(sumMoney(yesterday.values()));

  // A report on the month ends with its last whole day.
  const before = await reported(town, 'month-to-date');
  const today = shown(text, 'today');
  const month = new Map(
    [...before].map(([team, spend]) => [team, addMoney(spend, today.get(team) ?? money('0'))]),
  );
  expect(shown(text, 'month')).toEqual(month);
  expect(total(text, 'month')).toBe(sumMoney(month.values()));
});
