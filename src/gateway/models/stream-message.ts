import { createParser } from 'eventsource-parser';
import type { z } from 'zod';
import { fault, isFault, messageOf, type Fault, type Secret } from '../../core/index.ts';
import { isNetworkProblem } from '../../http/index.ts';
import { gatewayTerms, quoted } from '../gateway-terms.ts';
import { resultOf, sendModel, usableKey, type ModelCallOptions, type ModelDeps } from './call-model.ts';
import { message, messageRules, messages, type Message } from './endpoints/messages.ts';
import { nameOf, unreadable } from './model-faults.ts';
import { readAnswer, type ReadAnswer } from './read-answer.ts';
import { checkedInput } from './request.ts';

/** A stream that ended too early or with an error, with all that had arrived. */
export type StreamFault = Fault & { readonly arrived: Message };

export const isStreamFault = (error: unknown): error is StreamFault => isFault(error) && 'arrived' in error;

/** Characters of one event, and bytes of a whole stream. */
const maxEvent = 4 * 1024 * 1024;
const maxStream = 64 * 1024 * 1024;

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const textIn = (fields: Fields, name: string): string | undefined =>
  typeof fields[name] === 'string' ? fields[name] : undefined;

/** Blocks of a message, and usage fields, at most: a hostile stream may name any index. */
const maxBlocks = 1000;

/** Puts a message together from its events (docs/gateway.md G14.6; events other than the first are open). */
export const createMessageReader = (onText: (text: string) => void) => {
  let opening: ReadAnswer<z.output<typeof message>> | undefined;
  let ended = false;
  const blocks: Record<string, unknown>[] = [];
  const parts = new Map<number, string[]>();
  let ending: Fields = {};
  const deviations: string[] = [];

  const blockAt = (index: unknown): Record<string, unknown> | undefined => {
    if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0 || index >= maxBlocks)
      return undefined;
    return (blocks[index] ??= { type: 'text', text: '' });
  };
  const addDelta = (index: number, delta: Fields): void => {
    const text = textIn(delta, 'text') ?? textIn(delta, 'thinking') ?? textIn(delta, 'partial_json');
    if (text === undefined) return;
    const pieces = parts.get(index) ?? [];
    pieces.push(text);
    parts.set(index, pieces);
    if (textIn(delta, 'text') !== undefined) onText(text);
  };
  /** The field of a block that its deltas extend. */
  const growing = ({ type }: Record<string, unknown>): string =>
    type === 'thinking' ? 'thinking' : type === 'tool_use' ? 'partial_json' : 'text';

  const whole = (): Message => {
    const content = blocks.map((block, index) => {
      const added = (parts.get(index) ?? []).join('');
      const field = growing(block);
      return added === '' ? block : { ...block, [field]: `${textIn(block, field) ?? ''}${added}` };
    });
    const { usage, delta } = { usage: fieldsOf(ending['usage']), delta: fieldsOf(ending['delta']) };
    const first: Fields = fieldsOf(opening?.value);
    return readAnswer(message, {
      ...first,
      content: content.filter((block) => block !== undefined),
      stop_reason: delta['stop_reason'] ?? first['stop_reason'],
      stop_sequence: delta['stop_sequence'] ?? first['stop_sequence'],
      ...(first['usage'] === undefined && ending['usage'] === undefined
        ? {}
        : { usage: { ...fieldsOf(first['usage']), ...usage } }),
    }).value;
  };

  return {
    /** One event. @throws Fault `model-stream-failed` for an event of the kind error */
    read: (data: string, redact: (text: string) => string): void => {
      if (data.trim() === '[DONE]') return;
      let event: Fields;
      try {
        event = fieldsOf(JSON.parse(data));
      } catch {
        if (deviations.length < 20) deviations.push('an event is no JSON');
        return;
      }
      const kind = textIn(event, 'type');
      if (kind === 'error' || (kind === undefined && event['error'] != null)) {
        const terms = gatewayTerms(data, redact);
        throw fault(
          'model-stream-failed',
          `the gateway reports an error within the stream${terms.code === undefined ? '' : ` (${redact(terms.code).slice(0, 60)})`}${quoted(terms.message)}`,
        );
      }
      if (kind === 'message_start') {
        opening = readAnswer(message, event['message']);
        deviations.push(...messageRules(opening.value ?? {}, true));
      } else if (opening === undefined && kind !== 'ping' && kind !== undefined) {
        if (!deviations.includes('the stream does not begin with message_start'))
          deviations.push('the stream does not begin with message_start');
      }
      const { index } = event;
      if (kind === 'content_block_start') {
        const block = blockAt(index);
        const given = fieldsOf(event['content_block']);
        if (block !== undefined) Object.assign(block, given);
        const start = textIn(given, 'text');
        if (block !== undefined && start !== undefined && start !== '') onText(start);
      }
      if (kind === 'content_block_delta' && blockAt(index) !== undefined)
        addDelta(index as number, fieldsOf(event['delta']));
      if (kind === 'message_delta')
        ending = {
          ...ending,
          delta: { ...fieldsOf(ending['delta']), ...fieldsOf(event['delta']) },
          ...(event['usage'] === undefined
            ? {}
            : { usage: { ...fieldsOf(ending['usage']), ...fieldsOf(event['usage']) } }),
        };
      if (kind === 'message_stop') ended = true;
    },
    isEnded: () => ended,
    hasBegun: () => opening !== undefined,
    arrived: whole,
    result: (): ReadAnswer<z.output<typeof message>> => {
      const value = whole();
      const strict = readAnswer(message, { ...value, stop_sequence: value.stop_sequence ?? null });
      return {
        value,
        deviations: [
          ...new Set([
            ...deviations,
            ...strict.deviations,
            ...messageRules({ ...value, stop_reason: value.stop_reason ?? null }),
          ]),
        ],
      };
    },
  };
};

type Reader = ReturnType<typeof createMessageReader>;

const broken = (error: unknown, reader: Reader): StreamFault => {
  const failed =
    isFault(error) && error.code === 'model-stream-failed'
      ? error
      : fault('model-stream-failed', `the stream of ${nameOf(messages)} broke off: ${messageOf(error)}`, {
          cause: error,
        });
  return Object.assign(failed, { arrived: reader.arrived() });
};

/** Feeds a body to the reader, event by event. */
const readEvents = async (
  body: AsyncIterable<Uint8Array>,
  reader: Reader,
  redact: (text: string) => string,
): Promise<void> => {
  const decoder = new TextDecoder();
  // An error thrown in a callback of the parser would leave it in the middle of a line.
  let failure: unknown;
  const parser = createParser({
    maxBufferSize: maxEvent,
    onEvent: ({ data }) => {
      if (failure !== undefined) return;
      try {
        reader.read(data, redact);
      } catch (error) {
        failure = error;
      }
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded')
        failure ??= fault('gateway-answer-too-large', `an event has more than ${maxEvent} characters`);
    },
  });
  for await (const piece of body) {
    parser.feed(decoder.decode(piece, { stream: true }));
    if (failure !== undefined) throw failure;
    if (reader.isEnded()) return;
  }
};

/**
 * Sends chat messages and passes on the text of the answer as it arrives (docs/gateway.md G14.6). An abort cuts the
 * connection. @throws StreamFault once the stream has begun, otherwise what `callModel` throws
 */
export const streamMessage = async (
  deps: ModelDeps,
  key: Secret,
  input: z.input<typeof messages.input>,
  onText: (text: string) => void,
  options: ModelCallOptions = {},
): Promise<ReadAnswer<z.output<typeof message>>> => {
  const checked = checkedInput(messages, { ...input, stream: true });
  usableKey(key, deps.secrets);
  const { signal } = options;
  const { redact } = deps.secrets;
  const answer = await sendModel(deps, messages, key, checked, {
    ...options,
    accept: 'text/event-stream, application/json;q=0.9',
    limit: maxStream,
  });
  if (!/^text\/event-stream/i.test(answer.headers['content-type'] ?? '')) {
    // An error, or a gateway that does not stream.
    const read = resultOf(deps, messages, answer, await answer.text(maxEvent));
    for (const block of read.value?.content ?? []) if (block?.text != null) onText(block.text);
    return read;
  }
  const reader = createMessageReader(onText);
  try {
    await readEvents(answer.body, reader, redact);
  } catch (error) {
    signal?.throwIfAborted();
    if (!isNetworkProblem(error) && !isFault(error)) throw error;
    throw broken(error, reader);
  }
  if (!reader.hasBegun()) throw unreadable(messages, 'a stream without message_start');
  if (!reader.isEnded()) throw broken(new Error('it ended before the event message_stop'), reader);
  return reader.result();
};
