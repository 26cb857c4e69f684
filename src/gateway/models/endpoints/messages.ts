import { z } from 'zod';
import { defineModelEndpoint } from '../endpoint.ts';
import { each, object, text, whole } from '../fields.ts';
import type { Served } from '../read-answer.ts';

/** docs/gateway.md G14.4: each value, and what it means. */
export const stopReasons: Readonly<Record<string, string>> = {
  end_turn: 'the model came to a natural end',
  max_tokens: 'max_tokens, or the maximum of the model, was exceeded',
  stop_sequence: 'a custom stop sequence of the request was generated',
  tool_use: 'the model called tools',
  pause_turn: 'a long turn was paused; pass the answer back in a later request to continue',
  refusal: 'the classifier intervened because of a possible policy violation',
};

/** docs/gateway.md G14.3. A block that is no text has other fields, which are kept. */
export const message = object({
  content: z.array(object({ type: text, text: text.optional() })),
  ...each(text, 'id', 'model', 'role', 'type', 'stop_reason', 'stop_sequence'),
  usage: object(each(whole, 'input_tokens', 'output_tokens')),
});

export type Message = Served<z.output<typeof message>>;

/** docs/gateway.md G14.3 and G14.5. `isOpening`: the message of the event `message_start`. */
export const messageRules = (
  { stop_reason, stop_sequence, type, content = [] }: Message,
  isOpening = false,
): readonly string[] => {
  const isText = (block: (typeof content)[number]): boolean => block?.type === 'text';
  return [
    ...(isOpening && stop_reason != null ? ['stop_reason is set in the opening event'] : []),
    ...(!isOpening && (stop_reason === null || stop_reason === '') ? ['stop_reason is empty'] : []),
    ...(stop_sequence === '' ? ['stop_sequence is an empty string'] : []),
    ...(stop_sequence != null && stop_sequence !== '' && stop_reason !== 'stop_sequence' && !isOpening
      ? ['stop_sequence is set though none was generated']
      : []),
    ...(type != null && type !== 'message' ? ['type is not message'] : []),
    ...(content.some((block) => isText(block) && block?.text == null) ? ['content[].text is missing'] : []),
  ];
};

/** docs/gateway.md G14.2: names with or without the vendor before them. */
export const isVendorModel = (model: string): boolean => /(?:^|\/)claude/i.test(model);

/** docs/gateway.md G14.1 */
export const messages = defineModelEndpoint({
  name: 'messages',
  method: 'POST',
  path: '/v1/messages',
  answers: 'stream',
  statement: 'G14.1',
  summary: 'Exchange chat messages with a model.',
  example:
    '{ "model": "claude-haiku-4-5", "max_tokens": 500, "messages": [{ "role": "user", "content": "Hello" }] }',
  input: z.looseObject({
    model: z.string().min(1).describe('model ID'),
    messages: z
      .array(
        z.looseObject({
          role: z.string().min(1),
          // Richer content than text is open.
          content: z.union([z.string(), z.array(z.unknown())]),
        }),
      )
      .min(1)
      .describe('text of the user; can be repeated for a conversation in turns')
      .meta({ flag: 'message' }),
    max_tokens: z.int().positive().default(4096).describe('tokens of the answer at most'),
    stream: z.boolean().default(false).describe('answer in events as they are generated'),
    temperature: z.number().optional().describe('1 where it is missing'),
    top_k: z.int().optional().describe('sample from the K likeliest tokens'),
    top_p: z.number().optional().describe('nucleus sampling'),
    vendor_version: z
      .string()
      .min(1)
      .default('2023-06-01')
      .describe('header for models of the vendor’s own family'),
    vendor_beta: z
      .array(z.string().min(1))
      .optional()
      .describe('header for models of the vendor’s own family; can be repeated'),
  }),
  headers: ['vendor_version', 'vendor_beta'],
  sendsHeaders: ({ model }) => isVendorModel(model),
  answer: message,
  essential: ['content'],
  rules: (answer) => messageRules(answer),
});
