import { seedOf } from './files.ts';
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

/** A vector of length 1 that depends only on the input. */
const vectorOf = (input: Input, dimensions: number): Float32Array => {
  const random = seededRandom(seedOf(input), 2);
  const values = Float32Array.from({ length: dimensions }, () => random() * 2 - 1);
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
};

function* written(
  inputs: readonly Input[],
  embeddingOf: (input: Input) => unknown,
  more: Readonly<Record<string, unknown>>,
): Generator<string, void> {
  yield '{"object":"list","data":[';
  for (const [index, input] of inputs.entries())
    yield (
      (index === 0 ? '' : ',') + JSON.stringify({ object: 'embedding', embedding: embeddingOf(input), index })
    );
  yield `],${JSON.stringify(more).slice(1)}`;
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
  const isText = format === 'base64' && state.variants.embedding_encoding;
  const embeddingOf = (input: Input) => {
    const vector = vectorOf(input, dimensions);
    return isText ? Buffer.from(vector.buffer).toString('base64') : [...vector];
  };
  const usage = { prompt_tokens: tokens, total_tokens: tokens };
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: written(inputs, embeddingOf, {
      model: model.name,
      ...(state.variants.embedding_usage ? { usage } : {}),
    }),
  };
});
