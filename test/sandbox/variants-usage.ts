import { expect } from 'vitest';
import { observing, type Check } from './observe.ts';
import { column, exactSum, NOW, seconds, sumBy, withBox, type Box, type Table } from './support.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const MIDNIGHT = Date.UTC(2026, 10, 21);
const WEEK = { start_timestamp: MIDNIGHT - 7 * DAY, end_timestamp: MIDNIGHT };
const values = (table: Table): string[] => column(table, 'value');
const truthOfWeek = (box: Box) =>
  box.sandbox.truth.sums(seconds(WEEK.start_timestamp), seconds(WEEK.end_timestamp));
const sum = (sums: Record<string, bigint> = {}): bigint => Object.values(sums).reduce((a, b) => a + b, 0n);

const { compares, sees } = observing();
const many = observing({ callsPerDay: 100 });

/** One check for each variant, by its id in docs/gateway.md, of the usage export. */
export const usageVariants: Readonly<Record<string, Check>> = {
  'G7.9.usage_unit': sees({ USD: '1 0 +', CNY: '7 0 +', units: '500000 0 +' }, async (box) => {
    const [spend, truth] = [exactSum(values(await box.usage(WEEK))), exactSum([truthOfWeek(box).net])];
    const calls = box.sandbox.truth.rows(seconds(WEEK.start_timestamp), seconds(WEEK.end_timestamp));
    const count = exactSum(values(await box.usage({ ...WEEK, metric: 'count' })));
    const made = calls.filter(({ kind }) => kind === 'consumption').length;
    return [spend / truth, spend % truth, count === BigInt(made) * 10n ** 9n];
  }),
  'G7.9.usage_refunds': many.sees({ included: '+ -', excluded: '- +' }, async (box) => {
    const spend = exactSum(values(await box.usage(WEEK)));
    const { net, consumption } = truthOfWeek(box);
    return [spend === exactSum([net]), spend === exactSum([consumption])];
  }),
  'G7.11.usage_written': sees({ 'at-once': '1 1', 'every-5-minutes': '0 1' }, async (box) => {
    await box.embed((await box.createKey({ name: 'fresh' })).key);
    const count = async (): Promise<number> => {
      const { rows } = await box.usage({ group_by: 'token', metric: 'count', granularity: 'day' });
      const fresh = rows.filter(({ dimension }) => dimension === 'fresh');
      return fresh.reduce((total, { value }) => total + Number(value), 0);
    };
    const before = await count();
    box.clock.now = Date.UTC(2026, 10, 21, 6, 5, 0);
    return [before, await count()];
  }),
  'G7.10.usage_range_end': many.sees({ exclusive: '-1', inclusive: '-1 0' }, async (box) => {
    const hour = { start_timestamp: MIDNIGHT - HOUR, end_timestamp: MIDNIGHT };
    const { rows } = await box.usage({ ...hour, granularity: 'hour', metric: 'count' });
    return [...new Set(rows.map(({ time }) => (Number(time) - MIDNIGHT) / HOUR))];
  }),
  'G7.3.usage_span': sees({ '184-days': '- - - +', '30-days': '- + + +' }, async (box) => {
    const spans = [30, 30.001, 184, 184.001].map((days) => ({
      start_timestamp: NOW - days * DAY,
      end_timestamp: NOW,
    }));
    return (await Promise.all(spans.map(box.usage))).map(({ text }) => text.startsWith('{'));
  }),
  'G7.5.usage_layout': many.compares(
    async (box) => box.usage({ ...WEEK, group_by: 'vendor', granularity: 'day' }),
    ({ long, wide, transposed }) => {
      if (long === undefined || wide === undefined || transposed === undefined)
        throw new Error('a layout is missing');
      const [entries, times] = ['dimension', 'time'].map((name) => [...new Set(column(long, name))]);
      expect([entries?.length, times?.length, long.header.join()]).toEqual([6, 7, 'time,dimension,value']);
      expect(wide.header).toEqual(['time', ...(entries ?? []), 'Total']);
      expect(transposed.header).toEqual(['dimension', ...(times ?? [])]);
      for (const { time = '', dimension = '', value } of long.rows) {
        expect(wide.rows.find((row) => row['time'] === time)?.[dimension]).toBe(value);
        expect(transposed.rows.find((row) => row['dimension'] === dimension)?.[time]).toBe(value);
      }
      const totals = transposed.rows.at(-1) ?? {};
      expect(totals['dimension']).toBe('Total');
      for (const time of times ?? []) {
        const ofTime = exactSum(long.rows.map((row) => (row['time'] === time ? (row['value'] ?? '') : '0')));
        expect(exactSum([wide.rows.find((row) => row['time'] === time)?.['Total'] ?? ''])).toBe(ofTime);
        expect(exactSum([totals[time] ?? ''])).toBe(ofTime);
      }
    },
  ),
  'G7.5.usage_header': sees({ generic: 'time,dimension,value', named: 'time,token,count' }, async (box) =>
    (await box.usage({ group_by: 'token', metric: 'count' })).header.join(),
  ),
  'G7.5.usage_time': observing({ with: { usage_zone: 'Europe/Berlin' } }).sees(
    {
      ms: '"1794610800000" "1795147200000"',
      s: '"1794610800" "1795147200"',
      date: '2026-11-14 "2026-11-20 05:00"',
      rfc3339: '2026-11-14T00:00:00+01:00 2026-11-20T05:00:00+01:00',
    },
    async (box) => {
      const hours = { ...WEEK, granularity: 'hour', start_timestamp: MIDNIGHT - 20 * HOUR };
      return [column(await box.usage(WEEK), 'time')[0], column(await box.usage(hours), 'time')[0]];
    },
  ),
  'G7.6.usage_zone': sees(
    {
      UTC: '10-24T00 10-25T00 10-26T00 10-27T00, 10-19T00 10-26T00',
      'Asia/Shanghai': '10-23T16 10-24T16 10-25T16 10-26T16 10-27T16, 10-18T16 10-25T16',
      // Summer time ended on 25 October.
      'Europe/Berlin': '10-23T22 10-24T22 10-25T23 10-26T23 10-27T23, 10-18T22 10-25T23',
      'America/New_York': '10-23T04 10-24T04 10-25T04 10-26T04 10-27T04, 10-19T04 10-26T04',
    },
    async (box) => {
      const days = { start_timestamp: Date.UTC(2026, 9, 24), end_timestamp: Date.UTC(2026, 9, 28) };
      const starts = async (granularity: string): Promise<string> => {
        const times = column(await box.usage({ ...days, granularity }), 'time');
        const texts = times.map((time) => new Date(Number(time)).toISOString().slice(5, 13));
        return [...new Set(texts)].join(' ');
      };
      return `${await starts('day')}, ${await starts('week')}`;
    },
  ),
  'G7.7.usage_zero': compares(
    async (box) => {
      const all = values(await box.usage({ granularity: 'hour', metric: 'count' }));
      const whole = exactSum(all.map((text) => text || '0'));
      return { has: ['0', ''].map((text) => all.includes(text)), whole };
    },
    ({ zero, blank }) => {
      expect(zero?.has).toEqual([true, false]);
      expect(blank).toEqual({ has: [false, true], whole: zero?.whole });
    },
  ),
  'G7.7.usage_buckets': observing({ callsPerDay: 5 }).compares(
    async (box) => {
      const hours = { ...WEEK, granularity: 'hour', metric: 'count' };
      const variants = { ...box.sandbox.variants, usage_layout: 'wide' } as const;
      const wide = await withBox({ callsPerDay: 5, variants }, (other) => other.usage(hours));
      const long = values(await box.usage(hours));
      return { hasZero: long.includes('0'), sum: exactSum(long), isWhole: wide.rows.length === 7 * 24 };
    },
    ({ all, missing }) => {
      expect(all).toMatchObject({ hasZero: true, isWhole: true });
      expect(missing).toEqual({ hasZero: false, sum: all?.sum, isWhole: false });
    },
  ),
  'G7.8.usage_other': compares(
    async (box) => {
      const [cut, whole] = [await box.usage({ ...WEEK, top_n: 3 }), await box.usage({ ...WEEK, top_n: 100 })];
      return { cut: sumBy(cut, 'dimension'), whole: sumBy(whole, 'dimension') };
    },
    ({ 'when-cut': cut, always, dropped }) => {
      const whole = cut?.whole ?? {};
      const names = Object.entries(whole).sort(([, a], [, b]) => (a < b ? 1 : -1));
      const largest = names.slice(0, 3).map(([name]) => name);
      expect(Object.keys(cut?.cut ?? {})).toEqual([...largest, 'Other']);
      expect(sum(cut?.cut)).toBe(sum(whole));
      expect(Object.keys(whole)).not.toContain('Other');
      expect(always).toEqual({ cut: cut?.cut, whole: { ...whole, Other: 0n } });
      expect(Object.keys(dropped?.cut ?? {})).toEqual(largest);
      expect(sum(dropped?.cut)).toBeLessThan(sum(whole));
    },
  ),
};
