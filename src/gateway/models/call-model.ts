import {
  errorFields,
  fault,
  isFault,
  withRetry,
  type Clock,
  type Log,
  type Measure,
  type RetryPolicy,
  type Secret,
  type SecretRegistry,
} from '../../core/index.ts';
import { isNetworkProblem, type Http, type HttpAnswer, type HttpTimeouts } from '../../http/index.ts';
import { registerKeys } from '../admin/key-secrets.ts';
import { addressOf, parseBaseUrl, type BaseUrl } from '../base-url.ts';
import { measureCall } from '../call.ts';
import { gatewayTerms, quoted } from '../gateway-terms.ts';
import { networkFaultOf } from '../network-faults.ts';
import { startOf } from '../start-of-body.ts';
import type { Blobs, BlobStore } from './blobs.ts';
import type { ModelEndpoint } from './endpoint.ts';
import { liftBlobs, saveBody } from './lift-blobs.ts';
import { nameOf, refusedCall, unreadable, whenOpen } from './model-faults.ts';
import { isNestedDeeper, readAnswer, type ReadAnswer } from './read-answer.ts';
import { checkedInput, requestOf } from './request.ts';
import type { z } from 'zod';

export type ModelDeps = {
  readonly base: BaseUrl;
  readonly http: Http;
  readonly clock: Clock;
  /** 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  readonly log: Log;
  readonly secrets: SecretRegistry;
  /** For GETs; a model call is never repeated, since it costs. */
  readonly retry: RetryPolicy;
  /** Receives each exchange, up to the headers of its answer. */
  readonly measure?: Measure | undefined;
};

const defaultRetry = { attempts: 4, initial: 500, max: 30_000, longestRetryAfter: 300_000 };

/**
 * `baseUrl` is the address of the account, which serves both the admin and the model endpoints.
 * @throws Fault `config-invalid`, `gateway-url-insecure`
 */
export const createModelDeps = ({
  baseUrl,
  retry = defaultRetry,
  ...deps
}: Omit<ModelDeps, 'base' | 'retry'> & {
  readonly baseUrl: string;
  readonly retry?: RetryPolicy;
}): ModelDeps => ({
  ...deps,
  base: parseBaseUrl(baseUrl),
  retry,
});

export type ModelCallOptions = {
  readonly signal?: AbortSignal | undefined;
  readonly timeouts?: Partial<Omit<HttpTimeouts, 'connect'>> | undefined;
  /** Receives images and sounds of the answer; without it they are held in memory, up to the limit of an answer. */
  readonly store?: BlobStore | undefined;
};

export type ModelResult<T> = ReadAnswer<T> & {
  /** Strings of the value that stand for saved images and sounds. */
  readonly blobs: Blobs;
};

/** Milliseconds. A model may work for minutes before it sends anything. */
const defaultTimeouts = { headers: 600_000, idle: 120_000, total: 1_800_000 };

/** Bytes of an answer that is held in memory. */
const defaultLimit = 16 * 1024 * 1024;

/** Bytes of an answer whose images are saved. */
const savedLimit = 1024 ** 3;

const deepest = 100;

/** One exchange. Any status but 2xx is an error. The key goes only to the address of the account. */
export const sendModel = async (
  deps: ModelDeps,
  endpoint: ModelEndpoint,
  key: Secret,
  input: Readonly<Record<string, unknown>>,
  options: ModelCallOptions & { readonly accept?: string; readonly limit?: number },
): Promise<HttpAnswer> => {
  const { path, headers, body } = requestOf(endpoint, input);
  const { signal, timeouts } = options;
  const measured = measureCall(deps, endpoint);
  let status: number | undefined;
  try {
    const answer = await deps.http.send({
      method: endpoint.method,
      url: addressOf(deps.base, path),
      headers: {
        authorization: `Bearer ${key.reveal()}`,
        accept: options.accept ?? 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body,
      limit: options.limit,
      timeouts: { ...defaultTimeouts, ...timeouts },
      signal,
    });
    ({ status } = answer);
    deps.log.debug('model endpoint answered', { request: nameOf(endpoint), status: answer.status });
    if (answer.status >= 200 && answer.status < 300) {
      measured('ok', status);
      return answer;
    }
    const text = await startOf(answer);
    signal?.throwIfAborted();
    registerKeys(text, deps.secrets);
    throw refusedCall(endpoint, { ...answer, text }, { redact: deps.secrets.redact, now: deps.clock.now() });
  } catch (error) {
    const failure = isNetworkProblem(error)
      ? networkFaultOf(error, nameOf(endpoint), whenOpen(endpoint))
      : error;
    measured(isFault(failure) ? failure.code : 'aborted', status);
    throw failure;
  }
};

/** An answer under a status of success that says it failed (docs/gateway.md G9.6). */
const saysFailed = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  const { error, type, success } = value as Readonly<Record<string, unknown>>;
  return success === false || type === 'error' || (error !== undefined && error !== null && error !== false);
};

const parsed = (text: string, endpoint: ModelEndpoint, redact: (text: string) => string): unknown => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unreadable(
      endpoint,
      text.trim() === '' ? 'an empty body' : `no JSON${quoted(gatewayTerms(text, redact).message)}`,
    );
  }
  if (isNestedDeeper(value, deepest)) throw unreadable(endpoint, `nested deeper than ${deepest} levels`);
  return value;
};

/** Whether the essential fields are there, as names of docs/gateway.md. */
const lacking = ({ essential }: ModelEndpoint, value: unknown): readonly string[] =>
  essential.filter((name) => (value as Readonly<Record<string, unknown>> | undefined)?.[name] == null);

/** The typed result of an answer's text. @throws Fault gateway-answer-unreadable, model-call-refused and others of refusedCall */
export const resultOf = <Input extends z.ZodObject, Answer extends z.ZodType>(
  deps: Pick<ModelDeps, 'secrets' | 'clock'>,
  endpoint: ModelEndpoint<Input, Answer>,
  answer: Pick<HttpAnswer, 'status' | 'headers'>,
  text: string,
): ReadAnswer<z.output<Answer>> => {
  registerKeys(text, deps.secrets);
  const raw = parsed(text, endpoint, deps.secrets.redact);
  const refusal = () =>
    refusedCall(endpoint, { ...answer, text }, { redact: deps.secrets.redact, now: deps.clock.now() });
  if (saysFailed(raw)) throw refusal();
  const read = readAnswer(endpoint.answer, raw);
  const refused = lacking(endpoint, read.value).length > 0 ? undefined : endpoint.refusal?.(read.value);
  if (refused !== undefined) {
    const { redact } = deps.secrets;
    const code = redact(refused.code).slice(0, 60);
    const message = redact(refused.message).slice(0, 200);
    throw fault(
      'model-call-refused',
      `the gateway did not accept ${nameOf(endpoint)} (code ${code === '' ? 'missing' : code})${message === '' ? '' : `: “${message}”`}`,
    );
  }
  const missing = lacking(endpoint, read.value);
  if (missing.length > 0 || read.value === undefined || read.value === null)
    throw unreadable(
      endpoint,
      missing.length === 0 ? (read.deviations[0] ?? 'null') : `${missing.join(', ')} missing or unreadable`,
    );
  return { value: read.value, deviations: [...read.deviations, ...(endpoint.rules?.(read.value) ?? [])] };
};

const isBinary = ({ headers }: HttpAnswer): boolean =>
  /^(?:image|audio|video)\/|^application\/octet-stream/i.test(headers['content-type'] ?? '');

const markOf = (random: () => number): string => `tollkeeper-blob-${random().toString(36).slice(2)}-`;

const once = async <Input extends z.ZodObject, Answer extends z.ZodType>(
  deps: ModelDeps,
  endpoint: ModelEndpoint<Input, Answer>,
  key: Secret,
  input: Readonly<Record<string, unknown>>,
  options: ModelCallOptions,
): Promise<ModelResult<z.output<Answer>>> => {
  const { store, signal } = options;
  const limit = endpoint.maxBytes ?? defaultLimit;
  const answer = await sendModel(deps, endpoint, key, input, {
    ...options,
    limit: store === undefined ? limit : savedLimit,
  });
  try {
    if (isBinary(answer)) {
      if (store === undefined || endpoint.answersMedia !== true) {
        await answer.discard();
        const why = endpoint.answersMedia === true ? ', which needs a place to be saved' : '';
        throw unreadable(endpoint, `the body is ${answer.headers['content-type']}${why}`);
      }
      const mark = `${markOf(deps.random)}0`;
      const saved = await saveBody(answer.body, store);
      const read = readAnswer(endpoint.answer, { file: mark });
      return { ...read, blobs: new Map([[mark, saved]]) };
    }
    if (store === undefined)
      return { ...resultOf(deps, endpoint, answer, await answer.text(limit)), blobs: new Map() };
    const { text, blobs } = await liftBlobs(answer.body, { store, mark: markOf(deps.random), limit });
    return { ...resultOf(deps, endpoint, answer, text), blobs };
  } catch (error) {
    signal?.throwIfAborted();
    throw isNetworkProblem(error) ? networkFaultOf(error, nameOf(endpoint), whenOpen(endpoint)) : error;
  }
};

/** Registers the key for redaction, with and without its prefix. @throws Fault model-key-refused for one that no header can have */
export const usableKey = (key: Secret, secrets: SecretRegistry): Secret => {
  const plaintext = key.reveal();
  secrets.register(plaintext);
  secrets.register(plaintext.replace(/^sk-/, ''));
  if (!/^[\x21-\x7e]+$/.test(plaintext))
    throw fault(
      'model-key-refused',
      'the API key is empty or contains a space, a line break or a non-ASCII character',
      { advice: 'nothing was sent; check the file or the variable that has the key' },
    );
  return key;
};

/** Retries a GET while that may help; anything else is sent once. */
export const retried = <T>(
  deps: ModelDeps,
  endpoint: ModelEndpoint,
  signal: AbortSignal | undefined,
  operation: () => Promise<T>,
): Promise<T> =>
  endpoint.method === 'GET'
    ? withRetry(operation, deps.retry, {
        clock: deps.clock,
        random: deps.random,
        signal,
        onRetry: (error, wait, attempt) =>
          deps.log.warn('model endpoint failed; retrying', {
            request: nameOf(endpoint),
            attempt,
            wait,
            ...(isFault(error) ? errorFields(error) : {}),
          }),
      })
    : operation();

/**
 * Calls a model endpoint (docs/gateway.md G9.1). @throws Fault `model-input-invalid` before anything is sent, otherwise
 * what the answer says; the signal's reason
 */
export const callModel = async <Input extends z.ZodObject, Answer extends z.ZodType>(
  deps: ModelDeps,
  endpoint: ModelEndpoint<Input, Answer>,
  key: Secret,
  input: z.input<Input>,
  options: ModelCallOptions = {},
): Promise<ModelResult<z.output<Answer>>> => {
  const checked = checkedInput(endpoint, input);
  usableKey(key, deps.secrets);
  return retried(deps, endpoint, options.signal, () => once(deps, endpoint, key, checked, options));
};
