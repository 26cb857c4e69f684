import { json } from '../answer.ts';
import { newSecret } from '../keys.ts';
import { bookCall, calledModel, isAnswer, modelCall, tokensOf } from './model-call.ts';
import { isRecord } from '../request.ts';
import { eventsOf, messageOf, usageOf, type Block, type Reply } from './message-events.ts';
import { sample } from '../traffic/sample.ts';

const DEFAULT_MAX_TOKENS = 4_096;
const vocabulary = ['toll', 'paid', 'and', 'noted', 'in', 'the', 'ledger', 'of', 'this', 'road'] as const;

/** The text of a message: a string, or the text blocks of an array. */
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

/** The documented fields; others are ignored, or refused. */
const fields = {
  model: 'any',
  messages: 'any',
  max_tokens: 'count',
  stream: 'bool',
  temperature: 'amount',
  top_k: 'whole',
  top_p: 'amount',
} as const;

/** Tokens from which a repeated prompt is read from the cache. */
const SHORTEST_CACHED = 1024;

/** Words in the last message that determine how the answer ends. */
const endings: Readonly<Record<string, string>> = { '[pause]': 'pause_turn', '[refuse]': 'refusal' };

type Written = Pick<Reply, 'blocks' | 'stopReason' | 'stopSequence' | 'output'>;

const toolIn = (body: Readonly<Record<string, unknown>>, last: string): string | undefined => {
  const tools: readonly unknown[] = Array.isArray(body['tools']) ? body['tools'] : [];
  const [first] = tools;
  return last.includes('[tool]') && isRecord(first) && typeof first['name'] === 'string'
    ? first['name']
    : undefined;
};

/** Deterministic: the same prompt always gets the same answer. */
const write = (body: Readonly<Record<string, unknown>>, input: number, last: string): Written => {
  const max = typeof body['max_tokens'] === 'number' ? body['max_tokens'] : DEFAULT_MAX_TOKENS;
  const wanted = sample[input % sample.length]?.completion ?? 1;
  const length = Math.min(wanted, max);
  const words = Array.from({ length }, (_, at) => vocabulary[at % vocabulary.length] ?? '');
  const stops = (body['stop_sequences'] ?? []) as readonly string[];
  const tool = toolIn(body, last);
  if (tool !== undefined) {
    const block: Block = { type: 'tool_use', id: `toolu_${input}`, name: tool, input: { amount: input } };
    return { blocks: [block], stopReason: 'tool_use', stopSequence: null, output: 12 };
  }
  const at = words.findIndex((word) => stops.includes(word));
  const kept = at === -1 ? words : words.slice(0, at);
  const text: Block = { type: 'text', text: kept.join(' ') };
  const asked = Object.entries(endings).find(([word]) => last.includes(word))?.[1];
  const stopReason = asked ?? (at !== -1 ? 'stop_sequence' : wanted > max ? 'max_tokens' : 'end_turn');
  return {
    blocks: [text],
    stopReason,
    stopSequence: stopReason === 'stop_sequence' ? (words[at] ?? null) : null,
    output: Math.max(1, kept.length),
  };
};

/** POST /v1/messages (docs/gateway.md G14.1). */
export const messages = modelCall({ ...fields, stop_sequences: 'texts' }, (call) => {
  const { state, body } = call;
  const texts = readMessages(body['messages']);
  if (texts === undefined) return 'messages must be an array of objects with role and content';
  const { variants } = state;
  const unknown = Object.keys(body).find((name) => !Object.hasOwn(fields, name));
  if (variants.message_parameters === 'documented' && unknown !== undefined)
    return `${unknown} is not supported`;
  const model = calledModel(state, body['model'], 'chat');
  if (isAnswer(model)) return model;
  const input = texts.reduce((sum, text) => sum + tokensOf(text) + 4, 0);
  const prompt = `${model.name} ${texts.join(' ')}`;
  const cached =
    input >= SHORTEST_CACHED && model.prices.cached > 0 && state.promptCache.has(prompt) ? input : 0;
  if (input >= SHORTEST_CACHED) state.promptCache.add(prompt);
  const written = write(body, input, texts.at(-1) ?? '');
  const reply: Reply = {
    id: `msg_${newSecret(state.random, 24)}`,
    model: model.name,
    input: input - cached,
    cached,
    ...written,
  };
  const stream = body['stream'] === true;
  bookCall(call, model, { text: input - cached, cached, completion: written.output }, stream);
  if (stream) {
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
      body: eventsOf(variants, reply),
    };
  }
  return json(200, {
    ...messageOf(reply),
    content: reply.blocks,
    stop_reason: reply.stopReason,
    stop_sequence: reply.stopSequence,
    ...usageOf(variants, reply, reply.output),
  });
});
