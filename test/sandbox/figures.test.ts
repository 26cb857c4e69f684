import { afterAll, expect, test } from 'vitest';
import { exactSum, NOW, open, seconds, sumBy, written } from './support.ts';

const DAY = 86_400;
const box = await open({ months: 2, callsPerDay: 40 });
afterAll(() => box.sandbox.stop());

const end = seconds(NOW);
const day = Math.floor(end / DAY) * DAY;
const days = { start_timestamp: (day - 30 * DAY) * 1000, end_timestamp: day * 1000, top_n: 100 };
test.each([
  ['G7.6.hour', 3_600],
  ['G7.6.day', DAY],
  ['G7.6.week', 7 * DAY],
])(
  'the usage export has buckets of %s, and the spend of the truth by model and key (G7.4.model, G7.4.token, G7.4.spend)',
  async (id, length) => {
    const granularity = id.slice('G7.6.'.length);
    const truth = box.sandbox.truth.sums(day - 30 * DAY, day);
    for (const [group_by, expected] of [
      ['model', truth.byModel],
      ['token', truth.byKey],
    ] as const) {
      const usage = await box.usage({ ...days, group_by, granularity, metric: 'spend' });
      const times = Object.keys(sumBy(usage, 'time')).map((time) => Number(time) / 1000);
      expect(new Set(times.slice(1).map((time, at) => time - (times[at] ?? 0)))).toEqual(new Set([length]));
      const sums = Object.entries(expected).map(([name, text]) => [name, exactSum([text])]);
      expect(sumBy(usage, 'dimension')).toEqual(Object.fromEntries(sums));
    }
  },
);

test.each([
  [0, end],
  [end - 9 * DAY - 1_234, end - 2 * DAY - 77],
])(
  'log export, statistics and truth show the same money from %i to %i, in CNY at exactly the rate (G6.7, G6.7.CNY, G6.7.USD)',
  async (start_timestamp, end_timestamp) => {
    const window = { start_timestamp, end_timestamp };
    const truth = box.sandbox.truth.sums(start_timestamp, end_timestamp);
    const [usd, cny] = [await box.log(window), await box.log({ ...window, currency: 'CNY' })];
    const quotas = (rows: typeof usd.rows): bigint[] => rows.map(({ quota }) => exactSum([quota ?? '']));
    expect([usd.rows.length > 100, usd.rows.length]).toEqual([true, truth.rows]);
    expect(exactSum(usd.rows.map(({ quota }) => quota ?? ''))).toBe(exactSum([truth.quota]));
    expect(quotas(cny.rows)).toEqual(quotas(usd.rows).map((quota) => 7n * quota));
    expect(cny.rows.every(({ quota }) => /^-?\d+(?:\.\d{1,8})?$/u.test(quota ?? ''))).toBe(true);
    expect(written((await box.stat(window)).text, 'quota')).toBe(truth.net);
  },
);

test('statistics by model, key and vendor and the profile show the money of the truth', async () => {
  const truth = box.sandbox.truth.sums(0, end + 1);
  const quota = async (parameters: Record<string, string | number>): Promise<string> =>
    written((await box.stat(parameters)).text, 'quota');
  for (const [model_name, net] of Object.entries(truth.byModel))
    expect(await quota({ model_name })).toBe(net);
  for (const [token_name, net] of Object.entries(truth.byKey))
    if (token_name !== '') expect(await quota({ token_name })).toBe(net);
  const vendors = await Promise.all([1, 2, 3, 4, 5, 6].map((vendor_id) => quota({ vendor_id })));
  expect(exactSum(vendors)).toBe(exactSum([truth.net]));
  const data = (await box.profile()).json['data'] as Record<'balance' | 'used_quota', string>;
  const known = { username: 'tollgate', group: 'default', level: 1, request_count: truth.calls };
  expect(data).toMatchObject(known);
  for (const amount of [data.balance, data.used_quota]) expect(amount).toMatch(/^\d+\.\d{4}$/u);
  const off = exactSum([data.used_quota]) - exactSum([truth.net]);
  expect(off < 50_001n && off > -50_001n).toBe(true);
  // What was paid in is either spent or still there.
  expect(exactSum([data.balance, data.used_quota]) - exactSum([truth.topups])).toBe(40n * 10n ** 9n);
});
