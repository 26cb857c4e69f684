import { isFault, type Fault, type Secret } from '../../core/index.ts';
import { isNetworkProblem } from '../../http/index.ts';
import { callModel, type ModelCallOptions, type ModelDeps } from './call-model.ts';
import { embeddings } from './endpoints/embeddings.ts';
import { messages } from './endpoints/messages.ts';
import { isRefusedCall } from './model-faults.ts';

/** A small call of a model that shows whether a key works. */
export type ModelQuestion = { readonly kind: 'embeddings' | 'messages'; readonly model: string };

/**
 * What an answer shows about the key of the request.
 * - `works`: the model answered
 * - `refused`: 401 or 403; right after a change it may come from a cache
 * - `no-channel`: no channel serves the model, which only an accepted key learns
 * - `limited`: 429
 * - `unknown`: anything else; `passing` when a later answer may differ
 */
export type ModelAnswer = ModelQuestion & {
  readonly verdict: 'works' | 'refused' | 'no-channel' | 'limited' | 'unknown';
  /** HTTP status; omitted when no answer arrived. */
  readonly status?: number | undefined;
  /** For a call that works, as the gateway counts them. */
  readonly tokens?: number | undefined;
  /** The gateway's message, redacted and shortened, or the connection error; may be empty. */
  readonly message: string;
  /** Milliseconds that the gateway requests to wait. */
  readonly retryAfter?: number | undefined;
  readonly passing: boolean;
};

export type ModelCaller = (
  key: Secret,
  question: ModelQuestion,
  options?: Pick<ModelCallOptions, 'signal'>,
) => Promise<ModelAnswer>;

const word = 'toll';
const fewDimensions = 8;

/** Tokens: a reasoning model uses hundreds before the first one of its answer. */
const enoughTokens = 1024;

/** Milliseconds. */
const timeouts = { headers: 60_000, idle: 30_000, total: 90_000 };

type Finding = Omit<ModelAnswer, keyof ModelQuestion>;

const works = (tokens: number | undefined): Finding => ({
  verdict: 'works',
  status: 200,
  message: '',
  passing: false,
  ...(tokens === undefined ? {} : { tokens }),
});

const withoutContent: Finding = {
  verdict: 'unknown',
  status: 200,
  message: 'the answer has no content',
  passing: true,
};

const ask = async (
  deps: ModelDeps,
  key: Secret,
  { kind, model }: ModelQuestion,
  dimensions: number | undefined,
  options: ModelCallOptions,
): Promise<Finding> => {
  if (kind === 'embeddings') {
    const { value } = await callModel(deps, embeddings, key, { model, input: word, dimensions }, options);
    const found = value.data?.some((item) => item?.embedding !== undefined && item.embedding.length > 0);
    return found === true ? works(value.usage?.total_tokens ?? undefined) : withoutContent;
  }
  const { value } = await callModel(
    deps,
    messages,
    key,
    {
      model,
      max_tokens: enoughTokens,
      messages: [{ role: 'user', content: 'Answer with the word ok.' }],
    },
    options,
  );
  const found = value.content?.some((block) => block?.type !== 'text' || (block.text ?? '') !== '');
  if (found !== true) return withoutContent;
  const { input_tokens: input, output_tokens: output } = value.usage ?? {};
  return works(input == null ? undefined : input + (output ?? 0));
};

/** What an error shows; decided only by status and code (docs/gateway.md G9.2, G9.3). */
const findingOf = (error: Fault, redact: (text: string) => string): Finding => {
  const later = error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter };
  if (!isRefusedCall(error)) {
    const { cause } = error;
    if (!isNetworkProblem(cause))
      return {
        verdict: 'unknown',
        message: redact(error.message),
        passing: true,
        ...(error.code === 'model-key-refused' ? { verdict: 'refused', passing: false } : { status: 200 }),
      };
    const passing = cause.kind !== 'certificate' && cause.kind !== 'tls';
    return { verdict: 'unknown', message: redact(cause.message), passing };
  }
  const { status, terms: message, noChannel } = error;
  if (status === 401 || status === 403) return { verdict: 'refused', status, message, passing: true };
  if (noChannel) return { verdict: 'no-channel', status, message, passing: true };
  if (status === 429) return { verdict: 'limited', status, message, passing: true, ...later };
  const passing = status === 408 || status >= 500 || status === 200;
  return { verdict: 'unknown', status, message, passing, ...later };
};

/** Verifies keys with small calls of models. Throws only the reason of the signal: every answer is a finding. */
export const createModelCaller = (deps: ModelDeps): ModelCaller => {
  const found = async (...args: Parameters<typeof ask>): Promise<Finding> => {
    try {
      return await ask(...args);
    } catch (error) {
      if (!isFault(error)) throw error;
      return findingOf(error, deps.secrets.redact);
    }
  };
  return async (key, question, options = {}) => {
    const short = question.kind === 'embeddings' ? fewDimensions : undefined;
    const calling = { ...options, timeouts };
    const first = await found(deps, key, question, short, calling);
    // Some models reject `dimensions`; a rejected request costs nothing.
    const turnedDown = short !== undefined && (first.status === 400 || first.status === 422);
    return { ...question, ...(turnedDown ? await found(deps, key, question, undefined, calling) : first) };
  };
};
