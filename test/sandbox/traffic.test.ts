import { expect, test } from 'vitest';
import { spike, type TruthRow } from '../../src/sandbox/index.ts';
import { sample } from '../../src/sandbox/traffic/sample.ts';
import { NOW, seconds, withBox } from './support.ts';

const DAY = 86_400;
const rowsOf = (options: Parameters<typeof withBox>[0], start = 0, end = seconds(NOW)): Promise<TruthRow[]> =>
  withBox(options, async ({ sandbox }) => sandbox.truth.rows(start, end));
const dateOf = (row: TruthRow | undefined): string =>
  new Date((row?.createdAt ?? 0) * 1000).toISOString().slice(0, 10);

test('traffic gives the same day for any query time and interval, and differs by its seed', async () => {
  const [start, end] = [seconds(NOW) - 10 * DAY, seconds(NOW) - 3 * DAY];
  const once = await rowsOf({}, start, end);
  expect(once.length).toBeGreaterThan(50);
  for (const options of [{}, { months: 3 }]) expect(await rowsOf(options, start, end)).toEqual(once);
  await withBox({}, async ({ sandbox, clock }) => {
    clock.now += 5 * DAY * 1000;
    expect(sandbox.truth.rows(start, end)).toEqual(once);
  });
  expect(await rowsOf({ seed: 2 }, start, end)).not.toEqual(once);
});

test('traffic covers the first and last day of the account, with the promised number of rows', async () => {
  const rows = await rowsOf({ months: 1, callsPerDay: 100 }, 0, seconds(NOW) + 10 * DAY);
  expect(dateOf(rows[0])).toBe('2026-10-21');
  expect(rows.at(-1)?.createdAt).toBeLessThanOrEqual(seconds(NOW));
  await withBox({ months: 14, callsPerDay: 450 }, async ({ sandbox }) => {
    const { rows: count, net } = sandbox.truth.sums(0, seconds(NOW));
    expect(Math.round(count / 100_000)).toBe(2);
    expect(Number(net)).toBeGreaterThan(1_000);
    expect(dateOf(sandbox.truth.rows(0, Date.UTC(2025, 9, 1) / 1000)[0])).toBe('2025-09-21');
  });
});

test('traffic has daily and weekly patterns, growth and the sizes of the real trace', async () => {
  const all = await rowsOf({ months: 6, callsPerDay: 100 });
  const usual = all.filter(({ kind, token }) => kind === 'consumption' && token !== spike.token);
  const count = (wanted: (time: Date) => boolean): number =>
    usual.filter(({ createdAt }) => wanted(new Date(createdAt * 1000))).length;
  const hour = (wanted: number): number => count((time) => time.getUTCHours() === wanted);
  const weekday = (wanted: number): number => count((time) => time.getUTCDay() === wanted);
  const late = count((time) => time.getTime() > NOW - 91 * DAY * 1000);
  expect(hour(14) / hour(3)).toBeGreaterThan(4);
  expect(weekday(2) / weekday(0)).toBeGreaterThan(1.7);
  expect(late / (usual.length - late)).toBeGreaterThan(1.05);
  const sizes = new Set(sample.map(({ prompt, completion }) => `${prompt} ${completion}`));
  const plain = usual.filter(({ model, cached }) => model === 'deepseek-chat' && cached === 0);
  expect(plain.length).toBeGreaterThan(100);
  expect(plain.filter(({ text, completion }) => !sizes.has(`${text} ${completion}`))).toEqual([]);
  expect(sample).toHaveLength(1_383);
});

test('traffic contains every sort of row, identical rows that are two calls, and negative task refunds without a name, for images within an hour and for music within a day (G16.3, G16.3.open)', async () => {
  const rows = await rowsOf({ months: 2, callsPerDay: 300 });
  const kinds = [...new Set(rows.map(({ kind }) => kind))].toSorted();
  expect(kinds.join()).toBe('consumption,error,management,refund,system,topup');
  const paid = rows.filter(({ kind }) => kind === 'consumption');
  expect(paid.length - new Set(paid.map((row) => JSON.stringify(row))).size).toBeGreaterThan(5);
  expect(rows.filter(({ kind, quota }) => kind === 'topup' && Number(quota) <= 0)).toEqual([]);
  const refunds = rows.filter(({ kind }) => kind === 'refund');
  expect(refunds.filter(({ quota }) => !quota.startsWith('-'))).toEqual([]);
  const limits: Record<string, number> = { 'imagine-fast': 3_600, 'music-v4': DAY };
  for (const [model, limit] of Object.entries(limits)) {
    const ofModel = refunds.filter((row) => row.model === model);
    const lags = ofModel.map(({ createdAt, quota }) => {
      const same = paid.filter((row) => row.model === model && `-${row.quota}` === quota);
      return createdAt - (same.findLast((row) => row.createdAt <= createdAt)?.createdAt ?? 0);
    });
    expect([ofModel.length > 5, Math.max(...lags) <= limit]).toEqual([true, true]);
    expect(ofModel.filter(({ token }) => token !== '')).toEqual([]);
  }
  expect(refunds.some(({ token }) => token !== '')).toBe(true);
  expect(refunds.some((row) => row.model === 'music-v4' && row.createdAt % DAY < 3_600)).toBe(true);
});

test('the last month before any moment has one spike, always by the same rule', async () => {
  for (const now of [NOW, Date.UTC(2026, 1, 12, 23), Date.UTC(2027, 6, 3), Date.UTC(2026, 2, 31)]) {
    const rows = await rowsOf({ callsPerDay: 60, start: now }, seconds(now) - 31 * DAY, seconds(now));
    const days = new Map<number, number>();
    for (const { token, model, createdAt, quota } of rows) {
      if (token !== spike.token || model !== spike.model.name) continue;
      const day = Math.floor(createdAt / DAY);
      days.set(day, (days.get(day) ?? 0) + Number(quota));
    }
    const [top = [0, 0], second = [0, 0]] = [...days].sort(([, a], [, b]) => b - a);
    expect(new Date(top[0] * DAY * 1000).getUTCDate()).toBe(spike.dayOfMonth);
    expect(top[1]).toBeGreaterThan(5 * second[1]);
  }
});
