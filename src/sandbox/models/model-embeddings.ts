import { bookCall, calledModel, isAnswer, modelCall, tokensOf } from './model-call.ts';
import { seededRandom } from '../traffic/random.ts';

type Input = string | readonly number[];

// docs/gateway.md G15.2.
const TOKENS_AN_INPUT = 8_192;
const TOKENS_A_REQUEST = 300_000;
const ARRAY_LIMIT = 2_048;
const FULL_DIMENSIONS = 1_536;

const isTokens = (value: unknown): value is readonly number[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((token) => Number.isSafeInteger(token) && Number(token) >= 0);

const readInputs = (input: unknown): readonly Input[] | string => {
  if (typeof input === 'string') return input === '' ? 'input must not be empty' : [input];
  if (!Array.isArray(input) || input.length === 0)
    return 'input must be a text, or an array of texts or tokens';
  if (input.length > ARRAY_LIMIT) return `input must have ${ARRAY_LIMIT} items at most`;
  if (isTokens(input)) return [input];
  const items = input as readonly unknown[];
  if (items.every((item) => typeof item === 'string'))
    return items.includes('') ? 'an input must not be empty' : items;
  if (!items.every(isTokens)) return 'input must be all texts or all arrays of tokens, none of them empty';
  if (items.some((item) => item.length > ARRAY_LIMIT))
    return `an array of tokens must have ${ARRAY_LIMIT} items at most`;
  return items;
};

const countOf = (input: Input): number => (typeof input === 'string' ? tokensOf(input) : input.length);

const seedOf = (input: Input): number => {
  let seed = 17;
  for (const unit of typeof input === 'string' ? Buffer.from(input) : input)
    seed = (Math.imul(seed, 31) + unit) | 0;
  return seed;
};

/** A vector of length 1 that depends only on the input. */
const vectorOf = (input: Input, dimensions: number): Float32Array => {
  const random = seededRandom(seedOf(input), 2);
  const values = Float32Array.from({ length: dimensions }, () => random() * 2 - 1);
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
};

function* written(
  inputs: readonly Input[],
  model: string,
  tokens: number,
  format: { readonly dimensions: number; readonly base64: boolean; readonly usage: boolean },
): Generator<string, void> {
  yield '{"object":"list","data":[';
  for (const [index, input] of inputs.entries()) {
    const vector = vectorOf(input, format.dimensions);
    const embedding = format.base64 ? Buffer.from(vector.buffer).toString('base64') : [...vector];
    yield (index === 0 ? '' : ',') + JSON.stringify({ object: 'embedding', embedding, index });
  }
  const usage = format.usage ? `,"usage":{"prompt_tokens":${tokens},"total_tokens":${tokens}}` : '';
  yield `],"model":${JSON.stringify(model)}${usage}}`;
}

/** POST /v1/embeddings (docs/gateway.md G15.1). */
export const embeddings = modelCall({}, (call) => {
  const { state, body } = call;
  const inputs = readInputs(body['input']);
  if (typeof inputs === 'string') return inputs;
  const counts = inputs.map(countOf);
  if (counts.some((count) => count > TOKENS_AN_INPUT))
    return `an input can have ${TOKENS_AN_INPUT} tokens at most`;
  const tokens = counts.reduce((sum, count) => sum + count, 0);
  if (tokens > TOKENS_A_REQUEST) return `a request can have ${TOKENS_A_REQUEST} tokens at most`;
  const format = body['encoding_format'] ?? 'float';
  if (format !== 'float' && format !== 'base64') return 'encoding_format must be float or base64';
  const dimensions = body['dimensions'] ?? FULL_DIMENSIONS;
  const whole = typeof dimensions === 'number' && Number.isSafeInteger(dimensions);
  if (state.variants.embedding_dimensions === 'refused' && body['dimensions'] !== undefined)
    return 'this model does not support dimensions';
  if (!whole || dimensions < 1 || dimensions > FULL_DIMENSIONS)
    return `dimensions must be 1 to ${FULL_DIMENSIONS}`;
  const model = calledModel(state, body['model'], 'embeddings');
  if (isAnswer(model)) return model;
  bookCall(call, model, { text: tokens });
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: written(inputs, model.name, tokens, {
      dimensions,
      base64: format === 'base64' && state.variants.embedding_encoding,
      usage: state.variants.embedding_usage,
    }),
  };
});
