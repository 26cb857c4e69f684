import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { isStreamFault, streamMessage } from '../../../src/gateway/index.ts';
import { samples } from './samples.ts';
import { jsonReply, scriptedModels, type Reply } from './scripted-models.ts';

const input = { model: 'claude-haiku-4-5', max_tokens: 100, messages: [{ role: 'user', content: 'Hello' }] };

type Event = Readonly<Record<string, unknown>>;

const start: Event = {
  type: 'message_start',
  message: {
    ...samples.messages,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 6, output_tokens: 1 },
  },
};
const block: Event = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
const delta = (text: string, index = 0): Event => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'text_delta', text },
});
const ending = (reason: string | null = 'end_turn'): Event => ({
  type: 'message_delta',
  delta: { stop_reason: reason, stop_sequence: null },
  usage: { output_tokens: 2 },
});
const stop: Event = { type: 'message_stop' };
const whole = [
  start,
  block,
  delta('Hel'),
  delta('lo.'),
  { type: 'content_block_stop', index: 0 },
  ending(),
  stop,
];

const written = (events: readonly Event[], isNamed = true): string =>
  events
    .map((event) => `${isNamed ? `event: ${String(event['type'])}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
    .join('');

const eventStream = (body: string): Reply => ({
  headers: { 'content-type': 'text/event-stream; charset=utf-8' },
  body,
});

const stream = async (reply: Reply, signal?: AbortSignal) => {
  const { deps, key, seen, server } = await scriptedModels([reply], { timeouts: { idle: 200 } });
  const texts: string[] = [];
  const outcome = await streamMessage(deps, key, input, (text) => texts.push(text), {
    signal,
    timeouts: { idle: 300 },
  }).catch((error: unknown) => error);
  return { outcome, texts, seen, server };
};

describe('a streamed chat', () => {
  it.each([true, false])(
    'is put together from its events, and its text is passed on as it arrives (G14.6, G14.6.message_events, names: %s)',
    async (isNamed) => {
      const { outcome, texts, seen } = await stream(eventStream(written(whole, isNamed)));
      expect(texts).toEqual(['Hel', 'lo.']);
      expect(outcome).toEqual({
        value: {
          ...samples.messages,
          content: [{ type: 'text', text: 'Hello.' }],
          stop_reason: 'end_turn',
          stop_sequence: null,
          usage: { input_tokens: 6, output_tokens: 2 },
        },
        deviations: [],
      });
      expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({ stream: true });
    },
  );

  it('has a null stop_reason in its opening event only (G14.5)', async () => {
    const opened = {
      ...start,
      message: { ...samples.messages, stop_reason: 'end_turn', stop_sequence: null },
    };
    expect((await stream(eventStream(written([opened, ...whole.slice(1)])))).outcome).toMatchObject({
      deviations: [expect.stringMatching(/^stop_reason is set in /)],
    });
    const never = [...whole.slice(0, -2), ending(null), stop];
    expect((await stream(eventStream(written(never)))).outcome).toMatchObject({
      deviations: ['stop_reason is empty'],
    });
  });

  it('ignores comments, pings, unknown events and unknown fields', async () => {
    const more = whole.flatMap((event) => [
      { ...event, trace: { a: 1 } },
      { type: 'ping' },
      { type: 'vendor_progress', percent: 10 },
    ]);
    const { outcome, texts } = await stream(eventStream(`: hello\n\n${written(more)}data: [DONE]\n\n`));
    expect(texts.join('')).toBe('Hello.');
    expect(outcome).toMatchObject({ deviations: [], value: { stop_reason: 'end_turn' } });
  });

  it('keeps the blocks of tools and of thinking', async () => {
    const events = [
      start,
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 't', name: 'lookup', input: {} },
      },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a":' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '1}' } },
      ending('tool_use'),
      stop,
    ];
    const { outcome, texts } = await stream(eventStream(written(events)));
    expect(texts).toEqual([]);
    expect(outcome).toMatchObject({
      value: {
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'tool_use', name: 'lookup', partial_json: '{"a":1}' },
        ],
      },
    });
  });

  it('is the same however its bytes are cut', async () => {
    const bytes = Buffer.from(
      written([start, block, delta('Grüße 🌍'), ending(), stop]).replaceAll('\n\n', '\r\n\r\n'),
    );
    for (const size of [1, 7, 100]) {
      const { texts } = await stream((response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (let at = 0; at < bytes.length; at += size) response.write(bytes.subarray(at, at + size));
        response.end();
      });
      expect(texts).toEqual(['Grüße 🌍']);
    }
  });

  it('with an error in the middle is an error that carries what had arrived', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'try later' } };
    const { outcome, texts } = await stream(eventStream(written([...whole.slice(0, 3), error])));
    expect(outcome).toMatchObject({
      code: 'model-stream-failed',
      message: expect.stringContaining('try later') as string,
      arrived: { id: 'msg_1', content: [{ type: 'text', text: 'Hel' }] },
    });
    expect(texts).toEqual(['Hel']);
    expect(isStreamFault(outcome)).toBe(true);
  });

  it.each<readonly [string, Reply]>([
    ['ends too early', eventStream(written(whole.slice(0, 4)))],
    [
      'breaks off',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(written(whole.slice(0, 4)), () => response.destroy());
      },
    ],
    [
      'stalls',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(written(whole.slice(0, 4)));
      },
    ],
    [
      'has an event of 10 MB',
      eventStream(written([...whole.slice(0, 4), delta('x'.repeat(10_000_000)), stop])),
    ],
  ])('that %s is an error that carries what had arrived', async (_, reply) => {
    const { outcome } = await stream(reply);
    expect(outcome).toMatchObject({
      code: 'model-stream-failed',
      retryHelps: false,
      arrived: { content: [{ type: 'text', text: 'Hello.' }] },
    });
  });

  it.each<readonly [string, Reply, string]>([
    ['begins with nothing', eventStream(''), 'gateway-answer-unreadable'],
    [
      'begins with another event',
      eventStream(written([block, delta('x'), stop])),
      'gateway-answer-unreadable',
    ],
    [
      'is a page',
      { headers: { 'content-type': 'text/html' }, body: '<title>busy</title>' },
      'gateway-answer-unreadable',
    ],
    ['is an envelope', jsonReply({ success: false, message: 'busy', data: null }), 'model-call-refused'],
    ['is refused', jsonReply({ error: { message: 'bad' } }, 400), 'model-call-refused'],
  ])('that %s is a catalogue error', async (_, reply, code) => {
    expect((await stream(reply)).outcome).toMatchObject({ code });
  });

  it('that is answered without a stream is read as a whole', async () => {
    const { outcome, texts } = await stream(jsonReply(samples.messages));
    expect(outcome).toMatchObject({ value: { stop_sequence: 'END' } });
    expect(texts).toEqual(['Hello.']);
  });

  it('is cut by an abort, and the connection with it', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped');
    let closed: Promise<unknown> = Promise.resolve();
    const { deps, key } = await scriptedModels([
      (response) => {
        closed = new Promise((resolve) => response.on('close', resolve));
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(written(whole.slice(0, 3)));
      },
    ]);
    const streaming = streamMessage(deps, key, input, () => controller.abort(reason), {
      signal: controller.signal,
    });
    await expect(streaming).rejects.toBe(reason);
    await closed;
  });

  it('cannot make a thousand million blocks', async () => {
    const events = [
      start,
      { ...block, index: 4_000_000_000 },
      { ...block, index: -1 },
      delta('x', 1e300),
      block,
      delta('ok'),
      ending(),
      stop,
    ];
    expect((await stream(eventStream(written(events)))).outcome).toMatchObject({
      value: { content: [{ type: 'text', text: 'ok' }] },
    });
  });
});
