import { expect, it } from 'vitest';
import { money, unixSeconds } from '../../src/core/index.ts';
import { dailySpend, sameInLastMonth, segmentsOfDays, spendDays } from '../../src/monitoring/index.ts';

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
  const complete = at('2026-11-03T23:00:00Z');
  const first = early[0]?.start ?? at('2026-08-06T00:00:00Z');
  expect(segmentsOfDays(early, { lastMonth: first, through: complete })).toMatchObject({
    bounds: { length: 91 },
    segments: { size: 90 },
  });
  const cut = at('2026-10-03T10:00:00Z');
  const divided = segmentsOfDays(early, { lastMonth: cut, through: complete });
  expect(divided).toMatchObject({ bounds: { length: 92 }, segments: { size: 91 } });
  expect(divided.bounds).toContain(cut);
  // The log ends on the day before: nothing after its end is read.
  const ended = segmentsOfDays(early, { lastMonth: cut, through: at('2026-11-02T12:00:00Z') });
  expect(ended).toMatchObject({ bounds: { length: 93 }, segments: { size: 90 } });
  // The day on which clocks go back has 25 hours.
  const autumn = early.find(({ date }) => date === '2026-10-25');
  expect((autumn?.end ?? 0) - (autumn?.start ?? 0)).toBe(25 * 3600);
});

it('spend is summed exactly by day, month and team, and a refund reduces it', () => {
  const days = spendDays(at('2026-11-03T10:00:00Z'), 'UTC');
  const day = (date: string): number => days.findIndex((one) => one.date === date);
  // The end of a day divides none.
  const cut = { lastMonth: at('2026-10-04T00:00:00Z'), through: at('2026-11-04T00:00:00Z') };
  const cells = [
    cell(day('2026-10-02'), 'search-1', '0.1'),
    cell(day('2026-10-03'), 'search-1', '0.2'),
    cell(day('2026-10-04'), 'search-1', '5'),
    cell(day('2026-09-30'), 'search-1', '100'),
    cell(day('2026-11-02'), 'search-1', '1.000000000001', '0.5'),
    cell(day('2026-11-02'), 'other', '2'),
    cell(day('2026-11-03'), 'other', '3', '4'),
  ];
  const all = dailySpend(cells, days, cut, { teams });
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
  const search = dailySpend(cells, days, cut, { teams, team: 'search' });
  expect(search.sums).toMatchObject({ today: '0', month: '0.500000000001', lastMonth: '5.3' });
  expect(search.teams.map(({ team }) => team)).toEqual(['search']);
});

it.each([
  ['in the middle of a day', 'UTC', '12-09 15:27', '12-09 15:30', '11-09 15:27'],
  ['while the log is a day behind', 'UTC', '12-08 22:00', '12-09 15:30', '11-08 22:00'],
  ['on the first', 'UTC', '12-01 05:00', '12-01 06:00', '11-01 05:00'],
  ['on the first, before anything of it', 'UTC', '11-30 23:00', '12-01 00:30', '11-01 00:00'],
  ['on the 31st after a short month', 'UTC', '12-31 05:00', '12-31 06:00', '12-01 00:00'],
  ['on the 30th of March', 'UTC', '03-30 05:00', '03-30 06:00', '03-01 00:00'],
  ['at the end of a day', 'UTC', '12-09 00:00', '12-09 00:01', '11-09 00:00'],
  ['in summer after winter', 'Europe/Berlin', '04-15 10:00', '04-15 10:00', '03-15 11:00'],
  // 02:30 is skipped on 29 March.
  ['after a skipped hour', 'Europe/Berlin', '04-29 00:30', '04-29 01:00', '03-29 01:00'],
  // 02:30 occurs twice on 25 October.
  ['after a repeated hour', 'Europe/Berlin', '11-25 01:30', '11-25 02:00', '10-25 00:30'],
  ['in a repeated hour', 'Europe/Berlin', '10-25 01:30', '10-25 02:00', '09-25 00:30'],
])('this month is compared with the last one up to the same local time %s', (_, zone, log, now, expected) => {
  const utc = (text: string) => at(`2026-${text.replace(' ', 'T')}:00Z`);
  const found = sameInLastMonth(utc(log), spendDays(utc(now), zone), zone);
  expect(new Date(found * 1000).toISOString().slice(5, 16).replace('T', ' ')).toBe(expected);
});

it('the part of a day up to the cut counts as spend of the last month to date, and the chart has the whole day', () => {
  const days = spendDays(at('2026-12-09T15:30:00Z'), 'UTC');
  const through = at('2026-12-09T15:27:00Z');
  const cut = { lastMonth: sameInLastMonth(through, days, 'UTC'), through };
  const ninth = days.findIndex(({ date }) => date === '2026-11-09');
  const cells = [
    cell(ninth, 'search-1', '10.46'),
    cell(ninth + 1, 'search-1', '1.11'),
    cell(ninth + 31, 'other', '12.05'),
  ];
  const all = dailySpend(cells, days, cut, { teams });
  expect(all.sums).toMatchObject({
    lastMonthToDate: '10.46',
    lastMonth: '11.57',
    month: '12.05',
    today: '12.05',
  });
  expect(all.days[ninth]).toEqual({ date: '2026-11-09', spend: '11.57' });
  expect(all.teams).toMatchObject([
    { team: 'search', lastMonthToDate: '10.46' },
    { team: '', lastMonthToDate: '0' },
  ]);
});
