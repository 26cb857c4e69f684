import type { Json } from '../exact-json.ts';
import type { Choices } from '../variants.ts';

export type Block =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'tool_use';
      readonly id: string;
      readonly name: string;
      readonly input: Record<string, Json>;
    };

export type Reply = {
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly Block[];
  readonly stopReason: string;
  readonly stopSequence: string | null;
  /** Tokens; the input does not include those read from the cache. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
};

export const messageOf = ({ id, model }: Reply) => ({ id, type: 'message', role: 'assistant', model });

/** `usage` with this number of output tokens, as the variant shows it. */
export const usageOf = (
  { message_usage: shown }: Choices,
  { input, cached }: Reply,
  output: number,
): Record<string, Json> =>
  shown === undefined ? {} : { usage: shown({ input_tokens: input, output_tokens: output }, cached) };

type Event = readonly [kind: string, data: Record<string, Json>];

/** Characters of a delta, about a word. */
const DELTA = 6;

function* deltasOf(text: string): Generator<string, void> {
  for (let at = 0; at < text.length; at += DELTA) yield text.slice(at, at + DELTA);
}

/** The events of the vendor's own stream; the contract names only the first (docs/gateway.md G14.6). */
function* eventsIn(variants: Choices, reply: Reply): Generator<Event, void> {
  const message = { ...messageOf(reply), content: [], stop_reason: null, stop_sequence: null };
  yield ['message_start', { message: { ...message, ...usageOf(variants, reply, 1) } }];
  yield ['ping', {}];
  for (const [index, block] of reply.blocks.entries()) {
    if (block.type === 'text') {
      yield ['content_block_start', { index, content_block: { type: 'text', text: '' } }];
      for (const text of deltasOf(block.text))
        yield ['content_block_delta', { index, delta: { type: 'text_delta', text } }];
    } else {
      yield ['content_block_start', { index, content_block: { ...block, input: {} } }];
      for (const partial of deltasOf(JSON.stringify(block.input)))
        yield ['content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: partial } }];
    }
    yield ['content_block_stop', { index }];
  }
  const delta = { stop_reason: reply.stopReason, stop_sequence: reply.stopSequence };
  const usage = { output_tokens: reply.output };
  yield ['message_delta', { delta, ...(variants.message_usage === undefined ? {} : { usage }) }];
  yield ['message_stop', {}];
}

/** Events with names, without names, or with unknown kinds and fields among them. */
export function* eventsOf(variants: Choices, reply: Reply): Generator<string, void> {
  const { name, members, afterPing } = variants.message_events;
  for (const [kind, data] of eventsIn(variants, reply)) {
    yield `${name(kind)}data: ${JSON.stringify({ type: kind, ...data, ...members })}\n\n`;
    if (kind === 'ping' && afterPing !== '') yield afterPing;
  }
}
