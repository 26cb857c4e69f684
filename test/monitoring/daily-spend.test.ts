import { expect, it } from 'vitest';
import { money, unixSeconds } from '../../src/core/index.ts';
import { dailySpend, segmentsOfDays, spendDays } from '../../src/monitoring/index.ts';

const at = (text: string) => unixSeconds(Date.parse(text) / 1000);

const teams = [{ name: 'search', keys: ['search-*'] }];

const cell = (segment: number, key: string, charge: string, refunds = '0') => ({
  segment,
  key,
  service: key,
  charge: money(charge),
  refunds: money(refunds),
});

it('the days of spend reach back to the last month and over the whole chart', () => {
  const early = spendDays(at('2026-11-03T10:00:00Z'), 'Europe/Berlin');
  expect([early.length, early[0]?.date, early.at(-1)?.date]).toEqual([90, '2026-08-06', '2026-11-03']);
  const { bounds, segments } = segmentsOfDays(early);
  expect(bounds).toHaveLength(91);
  expect(segments.size).toBe(90);
  // The day on which clocks go back has 25 hours.
  const autumn = early.find(({ date }) => date === '2026-10-25');
  expect((autumn?.end ?? 0) - (autumn?.start ?? 0)).toBe(25 * 3600);
});

it('spend is summed exactly by day, month and team, and a refund reduces it', () => {
  const days = spendDays(at('2026-11-03T10:00:00Z'), 'UTC');
  const day = (date: string): number => days.findIndex((one) => one.date === date);
  const cells = [
    cell(day('2026-10-02'), 'search-1', '0.1'),
    cell(day('2026-10-03'), 'search-1', '0.2'),
    cell(day('2026-10-04'), 'search-1', '5'),
    cell(day('2026-09-30'), 'search-1', '100'),
    cell(day('2026-11-02'), 'search-1', '1.000000000001', '0.5'),
    cell(day('2026-11-02'), 'other', '2'),
    cell(day('2026-11-03'), 'other', '3', '4'),
  ];
  const all = dailySpend(cells, days, { teams });
  expect(all.sums).toEqual({
    today: '-1',
    yesterday: '2.500000000001',
    month: '1.500000000001',
    lastMonth: '5.3',
    lastMonthToDate: '0.3',
  });
  expect(all.days.at(-2)).toEqual({ date: '2026-11-02', spend: '2.500000000001' });
  expect(all.teams.map(({ team, month }) => [team, month])).toEqual([
    ['search', '0.500000000001'],
    ['', '1'],
  ]);
  const search = dailySpend(cells, days, { teams, team: 'search' });
  expect(search.sums).toMatchObject({ today: '0', month: '0.500000000001', lastMonth: '5.3' });
  expect(search.teams.map(({ team }) => team)).toEqual(['search']);
});
