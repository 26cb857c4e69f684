import { afterAll, expect, test } from 'vitest';
import { column, open, withBox } from './support.ts';

const box = await open({ callsPerDay: 60 });
afterAll(() => box.sandbox.stop());

const DAY = 86_400;
const midnight = Date.UTC(2026, 10, 21) / 1000;
const days = (from: number, to: number, unit = 1): string =>
  `start_timestamp=${(midnight - from * DAY) * unit}&end_timestamp=${(midnight - to * DAY) * unit}`;
const noTimes = 'start_timestamp=x&end_timestamp=1.5';

/** Parameters as a client sends them, another good value of each, and wrong ones. */
const endpoints = {
  '/api/log/self/stat': [
    days(9, 1),
    `${days(3, 3)}&model_name=o4-mini&token_name=prod-gateway&vendor_id=2`,
    `${noTimes}&vendor_id=openai`,
  ],
  '/api/log/self/stream-export': [
    `${days(9, 1)}&columns=created_at,quota,status,token_name&currency=USD`,
    `${days(3, 3)}&model_name=o4-mini&vendor_id=2&status=error&columns=quota&currency=CNY`,
    `${noTimes}&vendor_id=openai&currency=EUR`,
  ],
  '/api/data/self/pivot/stream-export': [
    `${days(9, 1, 1000)}&group_by=model&metric=spend&granularity=day&top_n=100`,
    `${days(3, 3, 1000)}&model_name=o4-mini&group_by=token&metric=count&granularity=hour&top_n=2`,
    `${noTimes}&group_by=Model&metric=toString&granularity=month&top_n=many`,
  ],
  '/api/token/': ['p=1&page_size=5', 'p=2&page_size=7', ''],
};

test.each(Object.entries(endpoints))(
  'a query parameter changes the answer, or is refused when wrong: %s',
  async (path, [usual, others, wrong]) => {
    const ask = (name = '', value = '') => {
      const query = new URLSearchParams(usual);
      if (name !== '') query.set(name, value);
      return box.call(`${path}?${query.toString()}`);
    };
    const { text } = await ask();
    expect((await ask()).text).toBe(text);
    for (const [name, value] of new URLSearchParams(others)) {
      const changed = await ask(name, value);
      expect([name, changed.status, changed.text === text]).toEqual([name, 200, false]);
      expect(changed.text.startsWith('{')).toBe(text.startsWith('{'));
    }
    const refused = { success: false, message: expect.stringMatching(/./u), data: null };
    for (const [name, value] of new URLSearchParams(wrong))
      expect([name, (await ask(name, value)).json]).toEqual([name, refused]);
  },
);

test('an omitted query parameter has its documented default: granularity=day, top_n=20', async () => {
  await withBox({ callsPerDay: 60 }, async ({ usage, createKey, embed }) => {
    for (let made = 0; made < 25; made += 1) await embed((await createKey({ name: `k${made}` })).key);
    const text = async (more: Record<string, string | number>): Promise<string> =>
      (await usage({ group_by: 'token', metric: 'count', ...more })).text;
    const omitted = await text({});
    expect(await text({ granularity: 'day', top_n: 20 })).toBe(omitted);
    for (const changed of [{ granularity: 'hour' }, { granularity: 'week' }, { top_n: 19 }, { top_n: 21 }])
      expect(await text(changed)).not.toBe(omitted);
  });
});

test('the usage export counts calls and tokens as the log export does', async () => {
  const asked = { model_name: 'o4-mini', start_timestamp: (midnight - 40 * DAY) * 1000 };
  const { rows } = await box.log({ model_name: 'o4-mini', end_timestamp: midnight });
  const calls = rows.filter(({ type }) => type === 'consumption');
  const sum = (of: readonly (string | undefined)[]): number => of.reduce((all, one) => all + Number(one), 0);
  const [prompt = 0, completion = 0] = ['prompt_tokens', 'completion_tokens'].map((name) =>
    sum(calls.map((row) => row[name])),
  );
  const usage: number[] = [];
  for (const metric of ['count', 'prompt_tokens', 'completion_tokens', 'tokens'])
    usage.push(sum(column(await box.usage({ ...asked, end_timestamp: midnight * 1000, metric }), 'value')));
  expect(usage).toEqual([calls.length, prompt, completion, prompt + completion]);
});

test.each([
  ['name', 'another "name"', 'another "name"', [7, '', undefined, 'x'.repeat(51)]],
  ['remain_quota', 0.00005, '0.0001', ['1', -1]],
  ['unlimited_quota', true, true, ['yes']],
  ['expired_time', 2e9, 2e9, [1.5, -2]],
  ['group', '', 'default', [1]],
] as const)(
  'a body field of a key is what a read shows, or refused when wrong: %s',
  async (field, value, read, wrong) => {
    const usual = { name: 'usual', remain_quota: 1, unlimited_quota: false, expired_time: -1, group: '' };
    const { id } = await box.createKey({ ...usual, [field]: value });
    const updated = await box.createKey({ expired_time: 2e9, group: 'first' });
    await box.updateKey({ ...usual, id: updated.id, [field]: value });
    expect([(await box.readKey(id))[field], (await box.readKey(updated.id))[field]]).toEqual([read, read]);
    const before = await box.page({ page_size: 100 });
    const write = (body: object) => box.call('/api/token/', { method: 'id' in body ? 'PUT' : 'POST', body });
    const replies = [await box.updateKey(usual), await write([])];
    for (const one of wrong)
      for (const more of [{}, { id }]) replies.push(await write({ ...usual, ...more, [field]: one }));
    for (const { json } of replies) expect(json).toMatchObject({ success: false, data: null });
    expect(await box.page({ page_size: 100 })).toEqual(before);
  },
);

test('a quota keeps its digits, and is refused when excessive', async () => {
  const made: unknown[] = [];
  for (const quota of ['90071992547409931.12344', '1E2', '1e999']) {
    const body = `{"name":"exact","remain_quota": ${quota} }`;
    const data = (await box.call('/api/token/', { method: 'POST', body })).json['data'] as {
      id: number;
    } | null;
    made.push(data && (await box.readKey(data.id)).remain_quota);
  }
  expect(made).toEqual(['90071992547409931.1234', '100.0000', null]);
});
