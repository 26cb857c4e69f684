import { z } from 'zod';
import type { Clock, Log, Secret, SecretRegistry } from '../../core/index.ts';
import { isNetworkProblem, retryAfter } from '../../http/index.ts';
import type { Http, HttpAnswer } from '../../http/index.ts';
import { addressOf, parseBaseUrl } from '../base-url.ts';
import type { CallOptions } from '../call.ts';
import { gatewayTerms } from '../gateway-terms.ts';
import type { GatewayTerms } from '../gateway-terms.ts';
import { parseJson } from '../json.ts';
import { registerKeys } from '../admin/key-secrets.ts';
import { optional, wholeNumber } from '../scalars.ts';

/** A minimal call of a model: one short input and, for a chat, one output token. */
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
  readonly tokens?: number;
  /** The gateway's message, redacted and shortened, or the connection error; may be empty. */
  readonly message: string;
  /** Milliseconds that the gateway requests to wait. */
  readonly retryAfter?: number | undefined;
  readonly passing: boolean;
};

export type ModelCaller = (
  key: Secret,
  question: ModelQuestion,
  options?: CallOptions,
) => Promise<ModelAnswer>;

export type ModelCallDeps = {
  /** The address of the account: it serves both the admin and the model endpoints. */
  readonly baseUrl: string;
  readonly http: Http;
  readonly clock: Clock;
  readonly log: Log;
  readonly secrets: SecretRegistry;
};

const word = 'toll';

/** Bytes; the largest embedding seen has about 80 kB. */
const answerLimit = 1024 * 1024;

/** Milliseconds. */
const timeouts = { headers: 30_000, idle: 30_000, total: 60_000 };

const paths = { embeddings: '/v1/embeddings', messages: '/v1/messages' } as const;

const fewDimensions = 8;

/** docs/gateway.md G15.1 and G14.1. */
const bodyOf = ({ kind, model }: ModelQuestion, dimensions: number | undefined): string =>
  JSON.stringify(
    kind === 'embeddings'
      ? { model, input: word, dimensions }
      : { model, max_tokens: 1, stream: false, messages: [{ role: 'user', content: word }] },
  );

const usage = z.looseObject({
  total_tokens: optional(wholeNumber),
  input_tokens: optional(wholeNumber),
  output_tokens: optional(wholeNumber),
});
const results = {
  embeddings: z.looseObject({
    data: z.array(z.looseObject({ embedding: z.unknown() })).min(1),
    usage: optional(usage),
  }),
  messages: z.looseObject({ content: z.array(z.unknown()), role: z.string(), usage: optional(usage) }),
} as const;

/** The tokens of a result that matches the contract (docs/gateway.md G14.3, G15.3); undefined for any other. */
const readResult = ({ kind }: ModelQuestion, text: string): { readonly tokens?: number } | undefined => {
  try {
    const read = results[kind].safeParse(parseJson(text));
    if (!read.success) return undefined;
    const counted = read.data.usage;
    const tokens =
      counted?.total_tokens ??
      (counted?.input_tokens === undefined ? undefined : counted.input_tokens + (counted.output_tokens ?? 0));
    return tokens === undefined ? {} : { tokens };
  } catch {
    return undefined;
  }
};

/** Codes that gateways of the family return when no channel serves a model; texts are translated and decide nothing. */
const noChannel = (code: string | undefined): boolean =>
  code !== undefined &&
  (['model_not_found', 'get_channel_failed'].includes(code) || code.startsWith('channel:'));

const messageIn = ({ message, code }: GatewayTerms, redact: (text: string) => string): string =>
  [
    ...(code === undefined ? [] : [redact(code).slice(0, 60)]),
    ...(message === '' ? [] : [`“${message}”`]),
  ].join(' ');

type Finding = Omit<ModelAnswer, keyof ModelQuestion>;

/** Decided only by the status and a code (docs/gateway.md G9.2, G9.3). */
const findingOf = (
  question: ModelQuestion,
  { status, headers }: HttpAnswer,
  text: string,
  { secrets, clock }: Pick<ModelCallDeps, 'secrets' | 'clock'>,
): Finding => {
  const result = status === 200 ? readResult(question, text) : undefined;
  if (result !== undefined) return { verdict: 'works', status, message: '', passing: false, ...result };
  const terms = gatewayTerms(text, secrets.redact);
  const message = messageIn(terms, secrets.redact);
  if (status === 401 || status === 403) return { verdict: 'refused', status, message, passing: true };
  if ((status === 503 || status === 404) && noChannel(terms.code))
    return { verdict: 'no-channel', status, message, passing: true };
  const wait = retryAfter(headers, clock.now());
  const later = wait === undefined ? {} : { retryAfter: wait };
  if (status === 429) return { verdict: 'limited', status, message, passing: true, ...later };
  const passing = status === 408 || status >= 500 || status === 200;
  return { verdict: 'unknown', status, message, passing, ...later };
};

/** Calls models with API keys. Throws only the reason of the signal: every answer is a finding. */
export const createModelCaller = (deps: ModelCallDeps): ModelCaller => {
  const base = parseBaseUrl(deps.baseUrl);
  const ask = async (
    key: Secret,
    question: ModelQuestion,
    dimensions: number | undefined,
    { signal }: CallOptions,
  ): Promise<Finding> => {
    try {
      const answer = await deps.http.send({
        method: 'POST',
        url: addressOf(base, paths[question.kind]),
        headers: {
          authorization: `Bearer ${key.reveal()}`,
          accept: 'application/json',
          'content-type': 'application/json',
        },
        body: bodyOf(question, dimensions),
        timeouts,
        signal,
      });
      deps.log.debug('model answered', { request: `POST ${paths[question.kind]}`, status: answer.status });
      const text = await answer.text(answerLimit);
      registerKeys(text, deps.secrets);
      return findingOf(question, answer, text, deps);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isNetworkProblem(error)) throw error;
      const passing = error.kind !== 'certificate' && error.kind !== 'tls';
      return { verdict: 'unknown', message: deps.secrets.redact(error.message), passing };
    }
  };
  return async (key, question, options = {}) => {
    const plaintext = key.reveal();
    deps.secrets.register(plaintext);
    deps.secrets.register(plaintext.replace(/^sk-/, ''));
    if (!/^[\x21-\x7e]+$/.test(plaintext))
      return {
        ...question,
        verdict: 'refused',
        message: 'the key contains a character that is not allowed in a header',
        passing: false,
      };
    const short = question.kind === 'embeddings' ? fewDimensions : undefined;
    const first = await ask(key, question, short, options);
    // Some models reject `dimensions`; a rejected request costs nothing.
    const turnedDown = short !== undefined && (first.status === 400 || first.status === 422);
    const found = turnedDown ? await ask(key, question, undefined, options) : first;
    return { ...question, ...found };
  };
};
