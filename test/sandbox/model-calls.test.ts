import { afterAll, expect, test } from 'vitest';
import { exactSum, NOW, open, seconds, withBox, written } from './support.ts';

const box = await open();
afterAll(() => box.sandbox.stop());
const { key } = await box.createKey({ name: 'caller' });

const long = 'x'.repeat(4 * 8_192);

const [none, one] = [{}, { dimensions: 1 }];
const items = (count: number, item: unknown = 'a'): unknown[] => Array<unknown>(count).fill(item);

test.each<[status: number, more: Record<string, unknown>, ...inputs: unknown[]]>([
  [400, none, '', [], ['a', ''], [[]], 7, ['a', [1]], `${long}x`, items(2_049, 1), [items(2_049, 1)]],
  [400, one, items(2_049), items(37, long)],
  [200, one, long, items(2_048), items(36, long)],
  [400, { dimensions: 0 }, 'a'],
  [400, { dimensions: 1_537 }, 'a'],
  [400, { encoding_format: 'hex' }, 'a'],
  [400, { model: '' }, 'a'],
  [503, { model: 'no-such-model' }, 'a'],
  [503, { model: 'gpt-4.1' }, 'a'],
])('the limits of embeddings are those of the contract: %i for %j', async (status, more, ...inputs) => {
  for (const input of inputs) {
    const { json, ...reply } = await box.embed(key, input, more);
    const error = { message: expect.any(String), type: expect.any(String) };
    const what = JSON.stringify(input).slice(0, 20);
    expect([what, reply.status]).toEqual([what, status]);
    expect(json).toMatchObject(status === 200 ? { object: 'list' } : { error });
  }
});

test('a model endpoint requires no scope: an API key of any group may call it (G2.5.open)', async () => {
  for (const group of ['', 'default', 'vip']) {
    const { key: other } = await box.createKey({ group });
    expect([(await box.embed(other)).status, (await box.ask(other)).status]).toEqual([200, 200]);
  }
});

test('chat messages accept a version and beta features of the vendor in headers (G17.2)', async () => {
  const messages = [{ role: 'user', content: 'Hello' }];
  const body = { model: 'claude-haiku-4-5', max_tokens: 100, messages };
  const headers = { 'vendor-version': '2023-06-01', 'vendor-beta': 'one,two' };
  const { json } = await box.call('/v1/messages', { method: 'POST', key, body, headers });
  expect(json['content']).toEqual((await box.ask(key)).json['content']);
});

test('chat messages without an allowed content or parameter are refused', async () => {
  const content = [{ type: 'text', text: 'Hello' }];
  const whole = { messages: [{ role: 'user', content }], max_tokens: undefined };
  expect((await box.ask(key, whole)).json).toMatchObject({ type: 'message', stop_reason: 'end_turn' });
  expect((await box.ask(key, { model: 'text-embedding-3-small' })).status).toBe(503);
  const wrong = { max_tokens: [0, 1.5], top_k: [-1], stream: ['yes'], model: [''], temperature: ['hot'] };
  const messages = [[], 'hello', [{ role: 'user' }], [{ content: 'x' }]];
  for (const [name, values] of Object.entries({ ...wrong, messages }))
    for (const value of values)
      expect([name, value, (await box.ask(key, { [name]: value })).status]).toEqual([name, value, 400]);
});

test('a model call with a malformed body or an unusable key returns the reason', async () => {
  const malformed = await box.call('/v1/messages', { method: 'POST', key, body: '{' });
  expect([malformed.status, malformed.json]).toMatchObject([400, { error: { code: 'invalid_request' } }]);
  const [disabled, deleted] = [await box.createKey(), await box.createKey()];
  box.sandbox.traffic.disableKey(disabled.id);
  await box.deleteKey(deleted.id);
  const codes = {
    invalid_api_key: ['', 'sk-wrong', deleted.key],
    key_disabled: [disabled.key],
    key_expired: [(await box.createKey({ expired_time: seconds(NOW) })).key],
    insufficient_quota: [(await box.createKey({ unlimited_quota: false })).key],
  };
  for (const [code, keys] of Object.entries(codes))
    for (const wrong of keys)
      for (const { status, json } of [await box.embed(wrong), await box.ask(wrong)])
        expect([status, json]).toMatchObject([401, { error: { type: 'authentication_error', code } }]);
});

test('a model call appears in log, statistics, usage and profile, and reduces the quota of the key until it is exhausted', async () => {
  await withBox({}, async (own) => {
    const before = (await own.profile()).json['data'] as { request_count: number };
    const made = await own.createKey({ name: 'booked', unlimited_quota: false, remain_quota: 0.0011 });
    await own.embed(made.key, Array(10).fill('x'.repeat(4 * 5_000)));
    await own.ask(made.key, { model: 'claude-sonnet-4-5', max_tokens: 10, stream: true });
    // 50,000 tokens at 0.02, then 6 at 3 and 10 at 15 dollars a million.
    const expected = '0.001168';
    const columns = 'token_name,model_name,prompt_tokens,completion_tokens,quota,is_stream';
    const { rows } = await own.log({ start_timestamp: seconds(NOW), columns });
    const ofKey = rows.filter((row) => row['token_name'] === 'booked');
    expect(ofKey.map((row) => Object.values(row).join())).toEqual([
      'booked,text-embedding-3-small,50000,0,0.001,false',
      'booked,claude-sonnet-4-5,6,10,0.000168,true',
    ]);
    const stat = (await own.stat({ token_name: 'booked' })).text;
    expect(['quota', 'rpm', 'tpm'].map((name) => written(stat, name))).toEqual([expected, '2', '50016']);
    const usage = await own.usage({ group_by: 'token', granularity: 'hour' });
    const spent = usage.rows.map(({ dimension, value }) => (dimension === 'booked' ? (value ?? '') : '0'));
    expect(exactSum(spent)).toBe(exactSum([expected]));
    expect((await own.profile()).json['data']).toMatchObject({ request_count: before.request_count + 2 });
    expect(await own.readKey(made.id)).toMatchObject({ remain_quota: '-0.0001', status: 4 });
    expect((await own.embed(made.key)).status).toBe(401);
    expect(own.sandbox.truth.sums(seconds(NOW), seconds(NOW) + 1).byKey['booked']).toBe(expected);
  });
});
