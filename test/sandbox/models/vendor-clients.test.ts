import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, type Box } from '../support.ts';

let box: Box;
let key: string;
beforeAll(async () => {
  box = await open();
  ({ key } = await box.createKey({ name: 'caller' }));
});
afterAll(() => box.sandbox.stop());

const anthropic = (apiKey = key): Anthropic =>
  new Anthropic({ authToken: apiKey, apiKey: null, baseURL: box.sandbox.baseUrl, maxRetries: 0 });

const openai = (apiKey = key): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${box.sandbox.baseUrl}/v1`, maxRetries: 0 });

const hello = [{ role: 'user' as const, content: 'Hello' }];

describe('the vendor’s own client of chat messages', () => {
  it('gets a message with each field of the contract', async () => {
    const message = await anthropic().messages.create({
      model: 'claude-haiku-4-5',
      max_tokens: 10,
      messages: hello,
    });
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'claude-haiku-4-5',
      stop_reason: 'max_tokens',
      stop_sequence: null,
      usage: { input_tokens: 6, output_tokens: 10 },
    });
    expect(message.content).toEqual([
      { type: 'text', text: 'toll paid and noted in the ledger of this road' },
    ]);
  });

  it.each(['named', 'extended'] as const)(
    'puts a streamed message together (message_events %s)',
    async (events) => {
      const other = await open({ variants: { message_events: events } });
      try {
        const made = await other.createKey();
        const client = new Anthropic({
          authToken: made.key,
          apiKey: null,
          baseURL: other.sandbox.baseUrl,
          maxRetries: 0,
        });
        const pieces: string[] = [];
        const stream = client.messages
          .stream({ model: 'claude-haiku-4-5', max_tokens: 10, messages: hello })
          .on('text', (text) => pieces.push(text));
        const message = await stream.finalMessage();
        expect(pieces.length).toBeGreaterThan(3);
        expect(message.content).toEqual([{ type: 'text', text: pieces.join('') }]);
        expect(message).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 10 } });
      } finally {
        await other.sandbox.stop();
      }
    },
  );

  it('gets a tool call, and the other reasons to stop', async () => {
    const ask = async (content: string, more: object = {}) =>
      anthropic().messages.create({
        model: 'claude-haiku-4-5',
        max_tokens: 4096,
        messages: [{ role: 'user', content }],
        ...more,
      });
    const tools = [{ name: 'lookup', input_schema: { type: 'object' as const } }];
    const called = await ask('[tool]', { tools });
    expect(called.stop_reason).toBe('tool_use');
    expect(called.content).toMatchObject([{ type: 'tool_use', name: 'lookup' }]);
    expect((await ask('[pause]')).stop_reason).toBe('pause_turn');
    expect((await ask('[refuse]')).stop_reason).toBe('refusal');
    expect((await ask('Hello')).stop_reason).toBe('end_turn');
    expect(await ask('Hello', { stop_sequences: ['ledger'] })).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: 'ledger',
      content: [{ type: 'text', text: 'toll paid and noted in the' }],
    });
  });

  it('reports a refused key and a bad request as its own errors', async () => {
    const wrong = anthropic('sk-wrong').messages.create({
      model: 'claude-haiku-4-5',
      max_tokens: 1,
      messages: hello,
    });
    await expect(wrong).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    const bad = anthropic().messages.create({ model: 'claude-haiku-4-5', max_tokens: 0, messages: hello });
    await expect(bad).rejects.toBeInstanceOf(Anthropic.BadRequestError);
  });
});

describe('the vendor’s own client of embeddings and images', () => {
  const model = 'text-embedding-3-small';

  it.each([
    ['a text', 'one', 1],
    ['several texts', ['one', 'two words'], 2],
    ['tokens', [1, 2, 3], 1],
    ['arrays of tokens', [[1, 2], [3]], 2],
  ])('gets embeddings of %s in both encodings', async (_, input, count) => {
    const floats = await openai().embeddings.create({
      model,
      input,
      dimensions: 16,
      encoding_format: 'float',
    });
    // Without a format the client requests base64 and decodes it.
    const decoded = await openai().embeddings.create({ model, input, dimensions: 16 });
    expect(floats.data).toHaveLength(count);
    for (const [at, { embedding }] of floats.data.entries()) {
      expect(embedding).toHaveLength(16);
      for (const [index, value] of (decoded.data[at]?.embedding ?? []).entries())
        expect(value).toBeCloseTo(embedding[index] ?? 0, 6);
    }
    expect(floats.usage).toEqual(decoded.usage);
  });

  it('gets a generated image whose link serves it', async () => {
    const { data, created } = await openai().images.generate({
      model: 'gpt-image-1',
      prompt: 'a lighthouse',
      size: '1024x1024',
    });
    expect(created).toBeGreaterThan(0);
    const reply = await fetch(data?.[0]?.url ?? '');
    expect(reply.headers.get('content-type')).toBe('image/png');
    const bytes = Buffer.from(await reply.arrayBuffer());
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  });

  it('reports a model without a channel and a bad request as its own errors', async () => {
    await expect(openai().embeddings.create({ model: 'none', input: 'x' })).rejects.toMatchObject({
      status: 503,
      code: 'model_not_found',
    });
    await expect(openai().embeddings.create({ model, input: '' })).rejects.toBeInstanceOf(
      OpenAI.BadRequestError,
    );
  });
});
