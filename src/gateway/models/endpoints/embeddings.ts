import { z } from 'zod';
import { defineModelEndpoint } from '../endpoint.ts';
import { each, object, text, whole } from '../fields.ts';

const token = z.int().nonnegative();

/** docs/gateway.md G15.2 */
const limits = { tokens: 8192, elements: 2048, total: 300_000 };

/**
 * At least so many tokens: no tokenizer in use joins words, more than three digits, or punctuation with a word. CJK texts
 * have more.
 */
export const leastTokens = (input: string): number =>
  input.match(/\p{L}+|\p{N}{1,3}|[^\s\p{L}\p{N}]+/gu)?.length ?? 0;

type Input = string | readonly string[] | readonly number[] | readonly (readonly number[])[];

/** One entry for each embedding that is requested: a text, or tokens. */
const entriesOf = (input: Input): readonly (string | readonly number[])[] => {
  if (typeof input === 'string') return [input];
  return typeof input[0] === 'number'
    ? [input as readonly number[]]
    : (input as readonly (string | readonly number[])[]);
};

const tooMany = (count: number, estimated: boolean): string =>
  estimated ? `an estimated ${count} tokens at least` : `${count} tokens`;

const checkInput = (input: Input): readonly string[] => {
  if (Array.isArray(input) && input.length === 0) return ['input is an empty array'];
  const entries = entriesOf(input);
  const found: string[] = [];
  if (Array.isArray(input) && input.length > limits.elements)
    found.push(`input has ${input.length} elements, more than ${limits.elements}`);
  let total = 0;
  let estimated = false;
  for (const [at, entry] of entries.entries()) {
    const name = entries.length === 1 ? 'input' : `input[${at}]`;
    if (entry.length === 0)
      found.push(`${name} is ${typeof entry === 'string' ? 'an empty string' : 'an empty array'}`);
    if (typeof entry !== 'string' && entries.length > 1 && entry.length > limits.elements)
      found.push(`${name} has ${entry.length} elements, more than ${limits.elements}`);
    const count = typeof entry === 'string' ? leastTokens(entry) : entry.length;
    estimated ||= typeof entry === 'string';
    total += count;
    if (count > limits.tokens)
      found.push(`${name} has ${tooMany(count, typeof entry === 'string')}, more than ${limits.tokens}`);
    if (found.length >= 20) return found;
  }
  if (total > limits.total)
    found.push(`input has ${tooMany(total, estimated)} in total, more than ${limits.total}`);
  return found;
};

type Embedding = string | readonly number[];

/** The numbers of an embedding in either form; undefined when it is neither. */
export const embeddingNumbers = (embedding: Embedding): readonly number[] | undefined => {
  if (typeof embedding !== 'string') return embedding;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(embedding)) return undefined;
  const bytes = Buffer.from(embedding, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0) return undefined;
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
};

/** docs/gateway.md G15.1 */
export const embeddings = defineModelEndpoint({
  name: 'embeddings',
  method: 'POST',
  path: '/v1/embeddings',
  answers: 'json',
  statement: 'G15.1',
  summary: 'Create embeddings of texts.',
  example: '{ "model": "text-embedding-3-small", "input": ["one text", "another"] }',
  input: z.looseObject({
    model: z.string().min(1).describe('model ID'),
    input: z
      .union([z.string(), z.array(z.string()), z.array(token), z.array(z.array(token))])
      .describe('text; can be repeated'),
    encoding_format: z.enum(['float', 'base64']).optional().describe('form of the embeddings'),
    dimensions: z.int().positive().optional().describe('numbers of an embedding'),
  }),
  check: ({ input }) => checkInput(input),
  answer: object({
    object: text,
    data: z.array(
      object({
        object: text,
        // An array of numbers, or 32-bit floats in base64 (little-endian).
        embedding: z.union([z.array(z.number()), z.string()]),
        index: whole,
      }),
    ),
    model: text,
    usage: object(each(whole, 'prompt_tokens', 'total_tokens')),
  }),
  essential: ['data'],
  maxBytes: 64 * 1024 * 1024,
  rules: ({ object: kind, data = [] }) => [
    ...(kind != null && kind !== 'list' ? ['object is not list'] : []),
    ...(data.some(
      ({ embedding } = {}) =>
        embedding !== undefined && embeddingNumbers(embedding as Embedding) === undefined,
    )
      ? ['data[].embedding is not base64 of 32-bit floats']
      : []),
  ],
});
