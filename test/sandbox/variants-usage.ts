import { expect } from 'vitest';
import { expectSeen, seen } from './observe.ts';
import { exactSum, NOW, seconds } from './support.ts';

const DAY = 86_400;
const MIDNIGHT = Date.UTC(2026, 10, 21);
const WEEK = { start_timestamp: MIDNIGHT - 7 * DAY * 1000, end_timestamp: MIDNIGHT };
const values = (rows: readonly Record<string, string>[]): string[] => rows.map(({ value }) => value ?? '');

/** One check for each variant, by its id in docs/gateway.md, of the usage export. */
export const usageVariants: Readonly<Record<string, () => Promise<void>>> = {
  'G7.9.usage_unit': async () => {
    const found = await seen('usage_unit', async (box) => [
      exactSum(values((await box.usage(WEEK)).rows)),
      exactSum([box.sandbox.truth.sums(seconds(WEEK.start_timestamp), seconds(WEEK.end_timestamp)).net]),
      exactSum(values((await box.usage({ ...WEEK, metric: 'count' })).rows)),
    ]);
    expect(found['USD']?.[0]).toBe(found['USD']?.[1]);
    expect(found['CNY']?.[0]).toBe(7n * (found['CNY']?.[1] ?? 0n));
    expect(found['units']?.[0]).toBe(500_000n * (found['units']?.[1] ?? 0n));
    expect(found['CNY']?.[2]).toBe(found['USD']?.[2]);
  },

  'G7.9.usage_refunds': async () => {
    const found = await seen(
      'usage_refunds',
      async (box) => {
        const truth = box.sandbox.truth.sums(seconds(WEEK.start_timestamp), seconds(WEEK.end_timestamp));
        expect(truth.net).not.toBe(truth.consumption);
        return [
          exactSum(values((await box.usage(WEEK)).rows)),
          exactSum([truth.net]),
          exactSum([truth.consumption]),
        ];
      },
      { callsPerDay: 100 },
    );
    expect(found['included']?.[0]).toBe(found['included']?.[1]);
    expect(found['excluded']?.[0]).toBe(found['excluded']?.[2]);
  },

  'G7.11.usage_written': () =>
    expectSeen(
      'usage_written',
      async (box) => {
        const { key } = await box.createKey({ name: 'fresh' });
        const counts: number[] = [];
        const count = async (): Promise<void> => {
          const { rows } = await box.usage({ group_by: 'token', metric: 'count', granularity: 'day' });
          counts.push(
            rows
              .filter(({ dimension }) => dimension === 'fresh')
              .reduce((sum, { value }) => sum + Number(value), 0),
          );
        };
        await box.embed(key);
        await count();
        box.clock.now = Date.UTC(2026, 10, 21, 6, 5, 0);
        await count();
        return counts;
      },
      { 'at-once': [1, 1], 'every-5-minutes': [0, 1] },
    ),

  'G7.10.usage_range_end': () =>
    expectSeen(
      'usage_range_end',
      async (box) => {
        const { rows } = await box.usage({
          start_timestamp: MIDNIGHT - 3_600_000,
          end_timestamp: MIDNIGHT,
          granularity: 'hour',
          metric: 'count',
        });
        return new Set(rows.map(({ time }) => Number(time) - MIDNIGHT));
      },
      { exclusive: new Set([-3_600_000]), inclusive: new Set([-3_600_000, 0]) },
      { callsPerDay: 400 },
    ),

  'G7.3.usage_span': () =>
    expectSeen(
      'usage_span',
      async (box) => {
        const refused = async (days: number): Promise<boolean> =>
          (await box.usage({ start_timestamp: NOW - days * DAY * 1000, end_timestamp: NOW })).text.startsWith(
            '{',
          );
        return [await refused(30), await refused(30.001), await refused(184), await refused(184.001)];
      },
      { '184-days': [false, false, false, true], '30-days': [false, true, true, true] },
    ),

  'G7.5.usage_layout': async () => {
    const found = await seen(
      'usage_layout',
      async (box) => box.usage({ ...WEEK, group_by: 'vendor', granularity: 'day' }),
      { callsPerDay: 100 },
    );
    const { long, wide, transposed } = found;
    if (long === undefined || wide === undefined || transposed === undefined)
      throw new Error('a layout is missing');
    const entries = [...new Set(long.rows.map(({ dimension = '' }) => dimension))];
    const times = [...new Set(long.rows.map(({ time = '' }) => time))];
    expect(entries).toHaveLength(6);
    expect(times).toHaveLength(7);
    expect(long.header).toEqual(['time', 'dimension', 'value']);
    expect(wide.header).toEqual(['time', ...entries, 'Total']);
    expect(transposed.header).toEqual(['dimension', ...times]);
    for (const { time = '', dimension = '', value } of long.rows) {
      expect(wide.rows.find((row) => row['time'] === time)?.[dimension]).toBe(value);
      expect(transposed.rows.find((row) => row['dimension'] === dimension)?.[time]).toBe(value);
    }
    for (const time of times) {
      const sum = exactSum(values(long.rows.filter((row) => row['time'] === time)));
      expect(exactSum([wide.rows.find((row) => row['time'] === time)?.['Total'] ?? ''])).toBe(sum);
      expect(exactSum([transposed.rows.at(-1)?.[time] ?? ''])).toBe(sum);
    }
    expect(transposed.rows.at(-1)?.['dimension']).toBe('Total');
  },

  'G7.5.usage_header': () =>
    expectSeen(
      'usage_header',
      async (box) => (await box.usage({ group_by: 'token', metric: 'count' })).header,
      {
        generic: ['time', 'dimension', 'value'],
        named: ['time', 'token', 'count'],
      },
    ),

  'G7.5.usage_time': () =>
    expectSeen(
      'usage_time',
      async (box) => [
        (await box.usage(WEEK)).rows[0]?.['time'],
        (await box.usage({ ...WEEK, granularity: 'hour', start_timestamp: MIDNIGHT - 20 * 3_600_000 }))
          .rows[0]?.['time'],
      ],
      {
        ms: ['1794610800000', '1795147200000'],
        s: ['1794610800', '1795147200'],
        date: ['2026-11-14', '2026-11-20 05:00'],
        rfc3339: ['2026-11-14T00:00:00+01:00', '2026-11-20T05:00:00+01:00'],
      },
      { with: { usage_zone: 'Europe/Berlin' } },
    ),

  'G7.6.usage_zone': async () => {
    const starts = await seen('usage_zone', async (box) => {
      const month = { start_timestamp: Date.UTC(2026, 9, 24), end_timestamp: Date.UTC(2026, 9, 28) };
      const { rows } = await box.usage({ ...month, granularity: 'day' });
      const weeks = await box.usage({ ...month, granularity: 'week' });
      return [rows, weeks.rows].map((found) => [
        ...new Set(found.map(({ time }) => new Date(Number(time)).toISOString().slice(5, 16))),
      ]);
    });
    expect(starts).toEqual({
      UTC: [
        ['10-24T00:00', '10-25T00:00', '10-26T00:00', '10-27T00:00'],
        ['10-19T00:00', '10-26T00:00'],
      ],
      'Asia/Shanghai': [
        ['10-23T16:00', '10-24T16:00', '10-25T16:00', '10-26T16:00', '10-27T16:00'],
        ['10-18T16:00', '10-25T16:00'],
      ],
      // Summer time ended on 25 October.
      'Europe/Berlin': [
        ['10-23T22:00', '10-24T22:00', '10-25T23:00', '10-26T23:00', '10-27T23:00'],
        ['10-18T22:00', '10-25T23:00'],
      ],
      'America/New_York': [
        ['10-23T04:00', '10-24T04:00', '10-25T04:00', '10-26T04:00', '10-27T04:00'],
        ['10-19T04:00', '10-26T04:00'],
      ],
    });
  },

  'G7.7.usage_zero': async () => {
    const found = await seen('usage_zero', async (box) => {
      const all = values((await box.usage({ granularity: 'hour', metric: 'count' })).rows);
      return {
        zeros: all.includes('0'),
        blanks: all.includes(''),
        sum: exactSum(all.map((text) => text || '0')),
      };
    });
    expect(found['zero']).toMatchObject({ zeros: true, blanks: false });
    expect(found['blank']).toMatchObject({ zeros: false, blanks: true, sum: found['zero']?.sum });
  },

  'G7.7.usage_buckets': async () => {
    const look = { granularity: 'hour', metric: 'count', ...WEEK };
    const long = await seen('usage_buckets', async (box) => values((await box.usage(look)).rows), {
      callsPerDay: 5,
    });
    expect([long['all']?.includes('0'), long['missing']?.includes('0')]).toEqual([true, false]);
    expect(exactSum(long['all'] ?? [])).toBe(exactSum(long['missing'] ?? []));
    const wide = await seen('usage_buckets', async (box) => (await box.usage(look)).rows, {
      callsPerDay: 5,
      with: { usage_layout: 'wide' },
    });
    expect(wide['all']).toHaveLength(7 * 24);
    expect(wide['missing']?.length).toBeLessThan(7 * 24);
  },

  'G7.8.usage_other': async () => {
    const found = await seen('usage_other', async (box) => {
      const entries = async (top_n: number): Promise<Record<string, bigint>> => {
        const sums: Record<string, bigint> = {};
        for (const { dimension = '', value = '' } of (await box.usage({ ...WEEK, top_n })).rows) {
          sums[dimension] = (sums[dimension] ?? 0n) + exactSum([value]);
        }
        return sums;
      };
      return { cut: await entries(3), whole: await entries(100) };
    });
    const sum = (sums: Record<string, bigint> = {}): bigint =>
      Object.values(sums).reduce((a, b) => a + b, 0n);
    const { 'when-cut': cut, always, dropped } = found;
    const whole = cut?.whole ?? {};
    const largest = Object.entries(whole)
      .sort(([, a], [, b]) => (a < b ? 1 : -1))
      .slice(0, 3)
      .map(([name]) => name);
    expect(Object.keys(cut?.cut ?? {})).toEqual([...largest, 'Other']);
    expect(sum(cut?.cut)).toBe(sum(whole));
    expect(Object.keys(whole)).not.toContain('Other');
    expect(always?.cut).toEqual(cut?.cut);
    expect(always?.whole).toEqual({ ...whole, Other: 0n });
    expect(Object.keys(dropped?.cut ?? {})).toEqual(largest);
    expect(sum(dropped?.cut)).toBeLessThan(sum(whole));
  },
};
