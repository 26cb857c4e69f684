import { json, type Answer } from '../answer.ts';
import type { StoredKey } from '../keys.ts';
import { newSecret } from '../keys.ts';
import { badCall, bookCall, calledModel, isAnswer, tokensOf } from './model-call.ts';
import { isRecord, type Request } from '../request.ts';
import type { State } from '../state.ts';
import { sample } from '../traffic/sample.ts';

const DEFAULT_MAX_TOKENS = 4_096;
const vocabulary = ['toll', 'paid', 'and', 'noted', 'in', 'the', 'ledger', 'of', 'this', 'road'] as const;

/** The text of a message: a string, or blocks of which the text ones count. */
const textOf = (content: unknown): string | undefined => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  return content
    .map((block: unknown) => (isRecord(block) && typeof block['text'] === 'string' ? block['text'] : ''))
    .join('');
};

const readMessages = (messages: unknown): readonly string[] | undefined => {
  if (!Array.isArray(messages) || messages.length === 0) return undefined;
  const texts = messages.map((message: unknown) =>
    isRecord(message) && typeof message['role'] === 'string' ? textOf(message['content']) : undefined,
  );
  return texts.every((text) => text !== undefined) ? texts : undefined;
};

const numberFault = (body: Readonly<Record<string, unknown>>): string | undefined => {
  for (const name of ['temperature', 'top_p', 'top_k']) {
    const value = body[name];
    if (value !== undefined && (typeof value !== 'number' || value < 0))
      return `${name} must be a number of at least 0`;
  }
  if (body['top_k'] !== undefined && !Number.isSafeInteger(body['top_k']))
    return 'top_k must be a whole number';
  const { max_tokens: max = DEFAULT_MAX_TOKENS, stream = false } = body;
  if (!Number.isSafeInteger(max) || Number(max) < 1) return 'max_tokens must be a whole number of at least 1';
  return typeof stream === 'boolean' ? undefined : 'stream must be true or false';
};

type Stated = { id: string; model: string; tokens: readonly string[]; cut: boolean; input: number };

const message = (reply: Stated): { id: string; type: string; role: string; model: string } => ({
  id: reply.id,
  type: 'message',
  role: 'assistant',
  model: reply.model,
});

const stopReason = (reply: Stated): string => (reply.cut ? 'max_tokens' : 'end_turn');

/** The opening event is the contract's (docs/gateway.md G14.6); the others are those of the vendor's own stream. */
function* events(reply: Stated): Generator<string, void> {
  const event = (type: string, data: Record<string, unknown>): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  const usage = { input_tokens: reply.input, output_tokens: 0 };
  yield event('message_start', {
    message: { ...message(reply), content: [], stop_reason: null, stop_sequence: null, usage },
  });
  yield event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  for (const [at, word] of reply.tokens.entries()) {
    const text = at === 0 ? word : ` ${word}`;
    yield event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } });
  }
  yield event('content_block_stop', { index: 0 });
  yield event('message_delta', {
    delta: { stop_reason: stopReason(reply), stop_sequence: null },
    usage: { output_tokens: reply.tokens.length },
  });
  yield event('message_stop', {});
}

/** POST /v1/messages (docs/gateway.md G14.1). */
export const messages = (state: State, { body }: Request, key: StoredKey): Answer => {
  if (!isRecord(body)) return badCall('the body must be a JSON object');
  const texts = readMessages(body['messages']);
  if (texts === undefined) return badCall('messages must be an array of objects with role and content');
  const fault = numberFault(body);
  if (fault !== undefined) return badCall(fault);
  const model = calledModel(body['model'], 'chat');
  if (isAnswer(model)) return model;
  const max = typeof body['max_tokens'] === 'number' ? body['max_tokens'] : DEFAULT_MAX_TOKENS;
  const input = texts.reduce((sum, text) => sum + tokensOf(text) + 4, 0);
  // The same question gets an answer of the same length.
  const wanted = sample[input % sample.length]?.completion ?? 1;
  const length = Math.min(wanted, max);
  const reply: Stated = {
    id: `msg_${newSecret(state.random, 24)}`,
    model: model.name,
    tokens: Array.from({ length }, (_, at) => vocabulary[at % vocabulary.length] ?? ''),
    cut: wanted > max,
    input,
  };
  const stream = body['stream'] === true;
  bookCall(state, key, model, { usage: { text: input, completion: length }, stream });
  if (stream) {
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
      body: events(reply),
    };
  }
  return json(200, {
    ...message(reply),
    content: [{ type: 'text', text: reply.tokens.join(' ') }],
    stop_reason: stopReason(reply),
    stop_sequence: null,
    usage: { input_tokens: input, output_tokens: length },
  });
};
