import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exactSum, NOW, open, seconds, withBox, written, type Box } from './support.ts';

let box: Box;
let key: string;
beforeAll(async () => {
  box = await open();
  ({ key } = await box.createKey({ name: 'caller' }));
});
afterAll(() => box.sandbox.stop());

type Embeddings = {
  object: string;
  model: string;
  data: { embedding: number[] | string; index: number; object: string }[];
  usage: Record<string, number>;
};
const vectors = async (input: unknown, more: Record<string, unknown> = {}): Promise<Embeddings> =>
  (await box.embed(key, input, more)).json as unknown as Embeddings;

describe('embeddings', () => {
  test('follow the contract', async () => {
    const answer = await vectors(['one', 'two words']);
    expect(answer).toMatchObject({
      object: 'list',
      model: 'text-embedding-3-small',
      usage: { prompt_tokens: 4, total_tokens: 4 },
    });
    expect(answer.data.map(({ index, object }) => [index, object])).toEqual([
      [0, 'embedding'],
      [1, 'embedding'],
    ]);
    const [vector] = answer.data.map(({ embedding }) => embedding as number[]);
    expect(vector).toHaveLength(1_536);
    expect(Math.hypot(...(vector ?? []))).toBeCloseTo(1, 4);
    expect((await vectors('one')).data[0]?.embedding).toEqual(vector);
    expect((await vectors('other')).data[0]?.embedding).not.toEqual(vector);
  });

  test('return the same numbers in base64, and apply dimensions', async () => {
    const numbers = (await vectors('same', { dimensions: 8 })).data[0]?.embedding as number[];
    const text = (await vectors('same', { dimensions: 8, encoding_format: 'base64' })).data[0]
      ?.embedding as string;
    const bytes = Buffer.from(text, 'base64');
    expect(numbers).toHaveLength(8);
    expect([...Array(8).keys()].map((at) => bytes.readFloatLE(at * 4))).toEqual(numbers);
  });

  test('accept tokens and arrays of tokens', async () => {
    expect((await vectors([1, 2, 3])).usage['prompt_tokens']).toBe(3);
    const answer = await vectors([[1, 2, 3], [4]]);
    expect([answer.data.length, answer.usage['total_tokens']]).toEqual([2, 4]);
  });

  test('enforce the limits of the contract', async () => {
    const long = 'x'.repeat(4 * 8_192);
    for (const [input, more, status] of [
      ['', {}, 400],
      [[], {}, 400],
      [['a', ''], {}, 400],
      [[[]], {}, 400],
      [7, {}, 400],
      [['a', [1]], {}, 400],
      [long, {}, 200],
      [`${long}x`, {}, 400],
      [Array(2_049).fill('a'), { dimensions: 1 }, 400],
      [Array(2_048).fill('a'), { dimensions: 1 }, 200],
      [Array(2_049).fill(1), {}, 400],
      [[Array(2_049).fill(1)], {}, 400],
      [Array(36).fill(long), { dimensions: 1 }, 200],
      [Array(37).fill(long), { dimensions: 1 }, 400],
      ['a', { dimensions: 0 }, 400],
      ['a', { dimensions: 1_537 }, 400],
      ['a', { encoding_format: 'hex' }, 400],
      ['a', { model: 'no-such-model' }, 503],
      ['a', { model: 'gpt-4.1' }, 503],
      ['a', { model: '' }, 400],
    ] as const) {
      const reply = await box.embed(key, input, more);
      expect([JSON.stringify(input).slice(0, 20), more, reply.status]).toEqual([
        JSON.stringify(input).slice(0, 20),
        more,
        status,
      ]);
      if (status !== 200)
        expect(reply.json['error']).toMatchObject({ message: expect.any(String), type: expect.any(String) });
    }
    expect((await box.embed(key, 'a', { model: 'nothing' })).json).toMatchObject({
      error: { code: 'model_not_found' },
    });
  });
});

test('a model endpoint requires no scope: an API key of any group may call it (G2.5.open)', async () => {
  for (const group of ['', 'default', 'vip']) {
    const { key: other } = await box.createKey({ group });
    expect([(await box.embed(other)).status, (await box.ask(other)).status]).toEqual([200, 200]);
  }
});

describe('chat messages', () => {
  test('accept a version and beta features of the vendor in headers (G17.2)', async () => {
    const body = { model: 'claude-haiku-4-5', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] };
    const send = (headers: Record<string, string>) =>
      box.call('/v1/messages', { method: 'POST', key, body, headers });
    const versioned = await send({ 'vendor-version': '2023-06-01', 'vendor-beta': 'one,two' });
    expect([versioned.status, versioned.json['type']]).toEqual([200, 'message']);
    expect(versioned.json['content']).toEqual((await send({})).json['content']);
  });

  test('follow the contract', async () => {
    const { status, json } = await box.ask(key, { max_tokens: 4_096 });
    expect([status, json]).toEqual([
      200,
      {
        id: expect.stringMatching(/^msg_/u),
        type: 'message',
        role: 'assistant',
        model: 'claude-haiku-4-5',
        content: [{ type: 'text', text: expect.any(String) }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 6, output_tokens: expect.any(Number) },
      },
    ]);
    const cut = await box.ask(key, { max_tokens: 3 });
    expect(cut.json).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 3 } });
    const without = await box.ask(key, {
      max_tokens: undefined,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
    });
    expect(without.json).toMatchObject({ stop_reason: 'end_turn', usage: { input_tokens: 6 } });
  });

  test('stream from message_start with stop_reason null, and add up to the same text', async () => {
    const whole = (await box.ask(key, { max_tokens: 20 })).json['content'] as { text: string }[];
    const { text, headers } = await box.ask(key, { max_tokens: 20, stream: true });
    expect(headers.get('content-type')).toContain('text/event-stream');
    const events = text
      .split('\n\n')
      .filter((event) => event !== '')
      .map((event) => {
        const [, name = '', data = ''] = /^event: (.*)\ndata: (.*)$/u.exec(event) ?? [];
        return {
          name,
          data: JSON.parse(data) as {
            type: string;
            message?: { stop_reason: null };
            delta?: { text?: string; stop_reason?: string };
          },
        };
      });
    expect(events.every(({ name, data }) => name === data.type)).toBe(true);
    expect(events[0]?.data).toMatchObject({
      type: 'message_start',
      message: { stop_reason: null, content: [] },
    });
    expect(events.map(({ data }) => data.delta?.text ?? '').join('')).toBe(whole[0]?.text);
    expect(events.at(-2)?.data.delta?.stop_reason).toBe('max_tokens');
    expect(events.at(-1)?.name).toBe('message_stop');
  });

  test('reject bodies that violate the contract', async () => {
    for (const more of [
      { messages: [] },
      { messages: 'hello' },
      { messages: [{ role: 'user' }] },
      { messages: [{ content: 'x' }] },
      { max_tokens: 0 },
      { max_tokens: 1.5 },
      { stream: 'yes' },
      { temperature: 'hot' },
      { top_k: -1 },
      { top_k: 1.5 },
      { model: undefined },
    ]) {
      expect([more, (await box.ask(key, more)).status]).toEqual([more, 400]);
    }
    expect((await box.ask(key, { model: 'text-embedding-3-small' })).status).toBe(503);
    const malformed = await box.call('/v1/messages', { method: 'POST', key, body: '{' });
    expect([malformed.status, malformed.json['error']]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_request' }),
    ]);
  });
});

test('a model call with an unusable key returns the reason', async () => {
  const disabled = await box.createKey();
  box.sandbox.traffic.disableKey(disabled.id);
  const deleted = await box.createKey();
  await box.call(`/api/token/${deleted.id}`, { method: 'DELETE' });
  const expired = await box.createKey({ expired_time: seconds(NOW) });
  const exhausted = await box.createKey({ unlimited_quota: false, remain_quota: 0 });
  for (const [wrong, code] of [
    ['', 'invalid_api_key'],
    ['sk-wrong', 'invalid_api_key'],
    [box.sandbox.adminKey, 'invalid_api_key'],
    [deleted.key, 'invalid_api_key'],
    [disabled.key, 'key_disabled'],
    [expired.key, 'key_expired'],
    [exhausted.key, 'insufficient_quota'],
  ] as const) {
    for (const reply of [await box.embed(wrong), await box.ask(wrong)]) {
      expect([reply.status, reply.json]).toEqual([
        401,
        { error: { message: expect.any(String), type: 'authentication_error', code } },
      ]);
    }
  }
});

test('a model call appears in log, statistics, usage and profile, and reduces the quota of the key', async () => {
  await withBox({}, async (own) => {
    const before = (await own.profile()).json['data'] as { request_count: number };
    const made = await own.createKey({ name: 'booked', unlimited_quota: false, remain_quota: 1 });
    await own.embed(made.key, Array(10).fill('x'.repeat(4 * 5_000)));
    const asked = await own.ask(made.key, { model: 'claude-sonnet-4-5', max_tokens: 10, stream: true });
    expect(asked.status).toBe(200);
    // 50,000 tokens at 0.02, then 6 at 3 and 10 at 15 dollars a million.
    const expected = '0.001168';
    const { rows } = await own.log({
      start_timestamp: seconds(NOW),
      columns: 'token_name,model_name,prompt_tokens,completion_tokens,quota,is_stream',
    });
    expect(rows.filter((row) => row['token_name'] === 'booked')).toEqual([
      {
        token_name: 'booked',
        model_name: 'text-embedding-3-small',
        prompt_tokens: '50000',
        completion_tokens: '0',
        quota: '0.001',
        is_stream: 'false',
      },
      {
        token_name: 'booked',
        model_name: 'claude-sonnet-4-5',
        prompt_tokens: '6',
        completion_tokens: '10',
        quota: '0.000168',
        is_stream: 'true',
      },
    ]);
    const stat = await own.stat({ token_name: 'booked' });
    expect([written(stat.text, 'quota'), written(stat.text, 'rpm'), written(stat.text, 'tpm')]).toEqual([
      expected,
      '2',
      '50016',
    ]);
    const usage = await own.usage({ group_by: 'token', granularity: 'hour' });
    const ofKey = usage.rows.filter((row) => row['dimension'] === 'booked').map(({ value }) => value ?? '');
    expect(exactSum(ofKey)).toBe(exactSum([expected]));
    expect((await own.profile()).json['data']).toMatchObject({ request_count: before.request_count + 2 });
    expect((await own.call(`/api/token/${made.id}`)).json['data']).toMatchObject({
      remain_quota: '0.9988',
      status: 1,
    });
    expect(own.sandbox.truth.sums(seconds(NOW), seconds(NOW) + 1).byKey['booked']).toBe(expected);
  });
});

test('a model call that uses the remaining quota exhausts the key', async () => {
  const made = await box.createKey({ unlimited_quota: false, remain_quota: 0.0001 });
  expect((await box.embed(made.key, 'x'.repeat(4 * 8_000))).status).toBe(200);
  expect((await box.call(`/api/token/${made.id}`)).json['data']).toMatchObject({
    remain_quota: '-0.0001',
    status: 4,
  });
  expect((await box.embed(made.key)).status).toBe(401);
});
