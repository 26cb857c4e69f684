import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exactSum, NOW, open, seconds, written, type Box } from './support.ts';

const DAY = 86_400;
let box: Box;
beforeAll(async () => {
  box = await open({ months: 2, callsPerDay: 40 });
});
afterAll(() => box.sandbox.stop());

const end = seconds(NOW);

describe('every endpoint shows the same money', () => {
  const windows = {
    'the whole account': { start_timestamp: 0, end_timestamp: end },
    'whole days': {
      start_timestamp: (Math.floor(end / DAY) - 20) * DAY,
      end_timestamp: (Math.floor(end / DAY) - 3) * DAY,
    },
    'odd seconds': { start_timestamp: end - 9 * DAY - 1_234, end_timestamp: end - 2 * DAY - 77 },
  };

  test.each(Object.entries(windows))('in log export, statistics and truth: %s', async (_, window) => {
    const truth = box.sandbox.truth.sums(window.start_timestamp, window.end_timestamp);
    const log = await box.log(window);
    const stat = await box.stat(window);
    expect(log.rows).toHaveLength(truth.rows);
    expect(truth.rows).toBeGreaterThan(100);
    expect(exactSum(log.rows.map((row) => row['quota'] ?? ''))).toBe(exactSum([truth.quota]));
    const calls = log.rows.filter((row) => row['type'] === 'consumption' || row['type'] === 'refund');
    expect(exactSum(calls.map((row) => row['quota'] ?? ''))).toBe(exactSum([truth.net]));
    expect(written(stat.text, 'quota')).toBe(truth.net);
  });

  test.each([
    ['G7.6.hour', 3_600],
    ['G7.6.day', DAY],
    ['G7.6.week', 7 * DAY],
  ])('in the usage export, whose buckets have the requested length: %s', async (id, length) => {
    const day = Math.floor(end / DAY) * DAY;
    const window = { start_timestamp: (day - 30 * DAY) * 1000, end_timestamp: day * 1000 };
    const granularity = id.slice('G7.6.'.length);
    const { rows } = await box.usage({ ...window, group_by: 'model', granularity, top_n: 100 });
    const times = [...new Set(rows.map(({ time }) => Number(time) / 1000))];
    expect(new Set(times.slice(1).map((time, at) => time - (times[at] ?? 0)))).toEqual(new Set([length]));
    expect(exactSum(rows.map(({ value = '' }) => value))).toBe(
      exactSum([box.sandbox.truth.sums(day - 30 * DAY, day).net]),
    );
  });

  test.each([
    ['G7.4.model', 'byModel'],
    ['G7.4.token', 'byKey'],
  ] as const)(
    'in the usage export by its dimension, with spend as the metric: %s (G7.4.spend)',
    async (id, by) => {
      const day = Math.floor(end / DAY) * DAY;
      const window = { start_timestamp: (day - 30 * DAY) * 1000, end_timestamp: day * 1000 };
      const expected = box.sandbox.truth.sums(day - 30 * DAY, day)[by];
      const group_by = id.slice('G7.4.'.length);
      for (const granularity of ['hour', 'day', 'week']) {
        const { rows } = await box.usage({ ...window, group_by, granularity, metric: 'spend', top_n: 100 });
        const sums: Record<string, bigint> = {};
        for (const { dimension = '', value = '' } of rows)
          sums[dimension] = (sums[dimension] ?? 0n) + exactSum([value]);
        expect(sums).toEqual(
          Object.fromEntries(Object.entries(expected).map(([name, text]) => [name, exactSum([text])])),
        );
      }
    },
  );

  test('in statistics by model, key and vendor', async () => {
    const truth = box.sandbox.truth.sums(0, end + 1);
    for (const [model_name, net] of Object.entries(truth.byModel)) {
      expect(written((await box.stat({ model_name })).text, 'quota')).toBe(net);
    }
    for (const [token_name, net] of Object.entries(truth.byKey).filter(([name]) => name !== '')) {
      expect(written((await box.stat({ token_name })).text, 'quota')).toBe(net);
    }
    const vendors = await Promise.all([1, 2, 3, 4, 5, 6].map((vendor_id) => box.stat({ vendor_id })));
    expect(exactSum(vendors.map(({ text }) => written(text, 'quota')))).toBe(exactSum([truth.net]));
  });

  test('with four digits in the profile', async () => {
    const { json } = await box.profile();
    const truth = box.sandbox.truth.sums(0, end + 1);
    const data = json['data'] as { balance: string; used_quota: string; request_count: number };
    expect(data).toMatchObject({
      username: 'tollgate',
      group: 'default',
      level: 1,
      request_count: truth.calls,
    });
    expect(data.used_quota).toMatch(/^\d+\.\d{4}$/u);
    expect(data.balance).toMatch(/^\d+\.\d{4}$/u);
    const near = exactSum([data.used_quota]) - exactSum([truth.net]);
    expect(near < 50_001n && near > -50_001n).toBe(true);
    // What was paid in is either spent or still there.
    const opening = exactSum([data.balance, data.used_quota]) - exactSum([truth.topups]);
    expect(opening).toBe(40n * 10n ** 9n);
  });

  test('in the truth and its rows', () => {
    const rows = box.sandbox.truth.rows(0, end + 1);
    const sums = box.sandbox.truth.sums(0, end + 1);
    expect(exactSum(rows.map(({ quota }) => quota))).toBe(exactSum([sums.quota]));
    expect(rows.filter(({ kind }) => kind === 'consumption')).toHaveLength(sums.calls);
    expect(exactSum([sums.consumption, sums.refunds])).toBe(exactSum([sums.net]));
    expect(exactSum(Object.values(sums.byModel))).toBe(exactSum([sums.net]));
    expect(exactSum(Object.values(sums.byKey))).toBe(exactSum([sums.net]));
    expect(sums.refunds.startsWith('-')).toBe(true);
  });

  test('in CNY as exactly the rate times USD (G6.7, G6.7.CNY, G6.7.USD)', async () => {
    const [usd, cny] = [await box.log({ currency: 'USD' }), await box.log({ currency: 'CNY' })];
    expect(cny.rows.map((row) => exactSum([row['quota'] ?? '']))).toEqual(
      usd.rows.map((row) => 7n * exactSum([row['quota'] ?? ''])),
    );
    expect(cny.rows.every((row) => /^-?\d+(?:\.\d{1,8})?$/u.test(row['quota'] ?? ''))).toBe(true);
  });
});

describe('as time passes', () => {
  test('late rows are added to the past and its statistics, and no earlier row changes (G16.1)', async () => {
    const own = await open({ callsPerDay: 100 });
    try {
      const { sandbox, clock } = own;
      const late = sandbox.truth.rows(0, end).findLast((row) => row.visibleAt - row.createdAt > 60);
      if (late === undefined) throw new Error('no late row');
      const moment = late.createdAt + 1;
      const net = (): string => sandbox.truth.sums(0, moment).net;
      clock.now = moment * 1000;
      const before = sandbox.truth.rows(0, moment);
      expect((await own.log({ end_timestamp: moment })).rows).toHaveLength(before.length);
      expect(written((await own.stat({ end_timestamp: moment })).text, 'quota')).toBe(net());
      const early = net();
      clock.now = late.visibleAt * 1000;
      const after = sandbox.truth.rows(0, moment);
      expect(after.length).toBeGreaterThan(before.length);
      expect(after.filter(({ visibleAt }) => visibleAt <= moment)).toEqual(before);
      expect((await own.log({ end_timestamp: moment })).rows).toHaveLength(after.length);
      expect(written((await own.stat({ end_timestamp: moment })).text, 'quota')).toBe(net());
      expect(net()).not.toBe(early);
      clock.now = NOW + 40 * DAY * 1000;
      const whole = sandbox.truth.sums(0, seconds(clock.now) + 1).net;
      expect(written((await own.stat()).text, 'quota')).toBe(whole);
      expect(sandbox.truth.rows(0, moment, { asOf: moment })).toEqual(before);
    } finally {
      await own.sandbox.stop();
    }
  });
});
