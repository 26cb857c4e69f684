import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, describe, expect, it } from 'vitest';
import { open, withBox, type Box } from '../support.ts';

const anthropicOf = ({ sandbox }: Box, authToken: string): Anthropic =>
  new Anthropic({ authToken, apiKey: null, baseURL: sandbox.baseUrl, maxRetries: 0 });
const box = await open();
afterAll(() => box.sandbox.stop());
const { key } = await box.createKey();
const anthropic = anthropicOf(box, key);
const openai = new OpenAI({ apiKey: key, baseURL: `${box.sandbox.baseUrl}/v1`, maxRetries: 0 });

const messages = [{ role: 'user' as const, content: 'Hello' }];
const hello = { model: 'claude-haiku-4-5', max_tokens: 10, messages };

describe('the vendor’s own client of chat messages', () => {
  it('gets a message with each field of the contract', async () => {
    expect(await anthropic.messages.create(hello)).toMatchObject({
      id: expect.stringMatching(/^msg_/u),
      type: 'message',
      role: 'assistant',
      model: 'claude-haiku-4-5',
      content: [{ type: 'text', text: 'toll paid and noted in the ledger of this road' }],
      stop_reason: 'max_tokens',
      stop_sequence: null,
      usage: { input_tokens: 6, output_tokens: 10 },
    });
  });

  it.each(['named', 'extended'] as const)(
    'puts a streamed message together (message_events %s)',
    async (message_events) => {
      await withBox({ variants: { message_events } }, async (other) => {
        const pieces: string[] = [];
        const { key } = await other.createKey();
        const stream = anthropicOf(other, key)
          .messages.stream(hello)
          .on('text', (text) => pieces.push(text));
        const message = await stream.finalMessage();
        expect(pieces.length).toBeGreaterThan(3);
        expect(message.content).toEqual([{ type: 'text', text: pieces.join('') }]);
        expect(message).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 10 } });
      });
    },
  );

  it('gets a tool call, and the other reasons to stop', async () => {
    const ask = (content: string, more: object = {}) => {
      const whole = { ...hello, max_tokens: 4096, messages: [{ role: 'user' as const, content }] };
      return anthropic.messages.create({ ...whole, ...more });
    };
    const tools = [{ name: 'lookup', input_schema: { type: 'object' } }];
    const content = [{ type: 'tool_use', name: 'lookup' }];
    expect(await ask('[tool]', { tools })).toMatchObject({ stop_reason: 'tool_use', content });
    const replies = await Promise.all(['[pause]', '[refuse]', 'Hello'].map((content) => ask(content)));
    expect(replies.map((reply) => reply.stop_reason)).toEqual(['pause_turn', 'refusal', 'end_turn']);
    expect(await ask('Hello', { stop_sequences: ['ledger'] })).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: 'ledger',
      content: [{ type: 'text', text: 'toll paid and noted in the' }],
    });
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
    const request = { model, input, dimensions: 16 };
    const floats = await openai.embeddings.create({ ...request, encoding_format: 'float' });
    // Without a format the client requests base64 and decodes it.
    const decoded = await openai.embeddings.create(request);
    const shown = (reply: typeof floats): unknown[][] =>
      reply.data.map(({ index, embedding }) => [index, ...embedding.map((value) => value.toFixed(5))]);
    expect(shown(floats).map(({ length }) => length)).toEqual(Array(count).fill(17));
    expect(shown(decoded)).toEqual(shown(floats));
    expect(floats.usage).toEqual(decoded.usage);
  });

  it('gets a generated image whose link serves it', async () => {
    const request = { model: 'gpt-image-1', prompt: 'a lighthouse', size: '1024x1024' } as const;
    const { data, created } = await openai.images.generate(request);
    expect(created).toBeGreaterThan(0);
    const reply = await fetch(data?.[0]?.url ?? '');
    expect(reply.headers.get('content-type')).toBe('image/png');
    const bytes = Buffer.from(await reply.arrayBuffer());
    expect(bytes.toString('latin1', 1, 4)).toBe('PNG');
  });
});
