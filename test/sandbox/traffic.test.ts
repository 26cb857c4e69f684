import { describe, expect, test } from 'vitest';
import { spike, type TruthRow } from '../../src/sandbox/index.ts';
import { sample } from '../../src/sandbox/traffic/sample.ts';
import { NOW, seconds, withBox } from './support.ts';

const DAY = 86_400;
const rowsOf = (options: Parameters<typeof withBox>[0], start = 0, end = seconds(NOW)): Promise<TruthRow[]> =>
  withBox(options, async ({ sandbox }) => sandbox.truth.rows(start, end));
const count = (rows: readonly TruthRow[], wanted: (row: TruthRow) => boolean): number =>
  rows.filter(wanted).length;

describe('deterministic traffic', () => {
  test('gives the same day for any query time and interval', async () => {
    const [start, end] = [seconds(NOW) - 10 * DAY, seconds(NOW) - 3 * DAY];
    const once = await rowsOf({}, start, end);
    expect(once.length).toBeGreaterThan(50);
    expect(await rowsOf({}, start, end)).toEqual(once);
    expect(await rowsOf({ months: 3 }, start, end)).toEqual(once);
    const later = await withBox({}, async ({ sandbox, clock }) => {
      clock.now += 5 * DAY * 1000;
      sandbox.truth.sums(0, seconds(clock.now));
      return sandbox.truth.rows(start, end);
    });
    expect(later).toEqual(once);
    expect(await rowsOf({ seed: 2 }, start, end)).not.toEqual(once);
  });

  test('covers the first and last day of the account', async () => {
    const rows = await rowsOf({ months: 1, callsPerDay: 100 }, 0, seconds(NOW) + 10 * DAY);
    expect(new Date((rows[0]?.createdAt ?? 0) * 1000).toISOString().slice(0, 10)).toBe('2026-10-21');
    expect(rows.at(-1)?.createdAt).toBeLessThanOrEqual(seconds(NOW));
    const long = await withBox({ months: 14, callsPerDay: 10 }, async ({ sandbox, clock }) => {
      clock.now = Date.UTC(2027, 0, 1);
      return sandbox.truth.rows(0, Date.UTC(2025, 9, 1) / 1000);
    });
    expect(new Date((long[0]?.createdAt ?? 0) * 1000).toISOString().slice(0, 10)).toBe('2025-09-21');
  });
});

describe('the traffic', () => {
  test('has 150,000 to 250,000 rows in 14 months at the default rate', async () => {
    await withBox({ months: 14, callsPerDay: 450 }, async ({ sandbox }) => {
      const { rows, net } = sandbox.truth.sums(0, seconds(NOW));
      expect(rows).toBeGreaterThan(150_000);
      expect(rows).toBeLessThan(250_000);
      expect(Number(net)).toBeGreaterThan(1_000);
    });
  });

  test('has daily and weekly patterns, growth and the sizes of the real trace', async () => {
    const rows = (await rowsOf({ months: 6, callsPerDay: 100 })).filter(({ kind }) => kind === 'consumption');
    const usual = rows.filter(({ token }) => token !== spike.token);
    const hour = (row: TruthRow): number => new Date(row.createdAt * 1000).getUTCHours();
    const weekday = (row: TruthRow): number => new Date(row.createdAt * 1000).getUTCDay();
    expect(count(usual, (row) => hour(row) === 14)).toBeGreaterThan(
      4 * count(usual, (row) => hour(row) === 3),
    );
    expect(count(usual, (row) => weekday(row) === 2)).toBeGreaterThan(
      1.7 * count(usual, (row) => weekday(row) === 0),
    );
    const middle = seconds(NOW) - 91 * DAY;
    expect(count(usual, (row) => row.createdAt > middle)).toBeGreaterThan(
      1.05 * count(usual, (row) => row.createdAt <= middle),
    );
    const sizes = new Set(sample.map(({ prompt, completion }) => `${prompt} ${completion}`));
    const plain = usual.filter(({ model, cached }) => model === 'deepseek-chat' && cached === 0);
    expect(plain.length).toBeGreaterThan(100);
    expect(plain.every(({ text, completion }) => sizes.has(`${text} ${completion}`))).toBe(true);
  });

  test('matches the complete shipped sample', () => {
    expect(sample).toHaveLength(1_383);
    expect(
      sample.every((call) => Object.values(call).every((value) => Number.isSafeInteger(value) && value >= 0)),
    ).toBe(true);
    expect(Math.max(...sample.map(({ second }) => second))).toBeLessThan(3_600);
  });

  test('contains every sort of row, and identical rows that are two calls', async () => {
    const rows = await rowsOf({ months: 2, callsPerDay: 150 });
    for (const kind of ['consumption', 'error', 'refund', 'topup', 'management', 'system']) {
      expect([kind, count(rows, (row) => row.kind === kind) > 0]).toEqual([kind, true]);
    }
    const texts = rows.filter(({ kind }) => kind === 'consumption').map((row) => JSON.stringify(row));
    expect(texts.length - new Set(texts).size).toBeGreaterThan(5);
    expect(rows.filter(({ kind }) => kind === 'topup').every(({ quota }) => Number(quota) > 0)).toBe(true);
  });

  test('contains negative task refunds without a name, for images within an hour and for music within a day (G16.3, G16.3.open)', async () => {
    const rows = await rowsOf({ months: 2, callsPerDay: 300 });
    const refunds = rows.filter(({ kind }) => kind === 'refund');
    expect(refunds.every(({ quota }) => quota.startsWith('-'))).toBe(true);
    for (const [model, within] of [
      ['imagine-fast', 3_600],
      ['music-v4', DAY],
    ] as const) {
      const ofModel = refunds.filter((row) => row.model === model);
      expect(ofModel.length).toBeGreaterThan(5);
      expect(ofModel.every(({ token }) => token === '')).toBe(true);
      const paid = rows.filter((row) => row.model === model && row.kind === 'consumption');
      for (const { createdAt, quota } of ofModel) {
        const match = paid.some(
          (row) =>
            `-${row.quota}` === quota && row.createdAt <= createdAt && row.createdAt >= createdAt - within,
        );
        expect(match).toBe(true);
      }
    }
    const named = refunds.filter(({ token }) => token !== '');
    expect(named.length).toBeGreaterThan(0);
    expect(refunds.some((row) => row.model === 'music-v4' && row.createdAt % DAY < 3_600)).toBe(true);
  });
});

test('the last month before any moment has one spike, always by the same rule', async () => {
  for (const now of [NOW, Date.UTC(2026, 1, 12, 23), Date.UTC(2027, 6, 3), Date.UTC(2026, 2, 31)]) {
    await withBox({ callsPerDay: 60, start: now }, async ({ sandbox }) => {
      const from = new Date(now);
      from.setUTCDate(from.getUTCDate() - 31);
      const days = new Map<number, number>();
      for (const row of sandbox.truth.rows(seconds(from.getTime()), seconds(now))) {
        if (row.token !== spike.token || row.model !== spike.model.name) continue;
        const day = Math.floor(row.createdAt / DAY);
        days.set(day, (days.get(day) ?? 0) + Number(row.quota));
      }
      const [top = [0, 0], second = [0, 0]] = [...days].sort(([, a], [, b]) => b - a);
      expect(new Date(top[0] * DAY * 1000).getUTCDate()).toBe(spike.dayOfMonth);
      expect(top[1]).toBeGreaterThan(5 * second[1]);
    });
  }
});
