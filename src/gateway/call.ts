import {
  errorFields,
  isFault,
  readClock,
  withRetry,
  type Clock,
  type ClockReading,
  type Log,
  type Measure,
  type RetryPolicy,
  type Secret,
  type SecretRegistry,
} from '../core/index.ts';
import type { Http, HttpAnswer } from '../http/index.ts';
import { addressOf, type BaseUrl, type Query } from './base-url.ts';
import type { Endpoint } from './endpoint.ts';
import { networkFault } from './network-faults.ts';
import { nameOf, refusalOf } from './refusals.ts';
import { startOf } from './start-of-body.ts';

export type CallDeps = {
  readonly base: BaseUrl;
  readonly adminKey: Secret;
  readonly http: Http;
  readonly clock: Clock;
  /** 0 (inclusive) to 1 (exclusive): jitter for the waits between attempts. */
  readonly random: () => number;
  readonly log: Log;
  /** Registers every new key on arrival, and redacts quoted answers. */
  readonly secrets: SecretRegistry;
  readonly retry: RetryPolicy;
  /** Milliseconds for a read that answers with one page of JSON; a minute if omitted. Exports and writes may take longer. */
  readonly pageTimeout?: number | undefined;
  /** Receives each reading of the gateway's clock; never throws. */
  readonly onClock?: (reading: ClockReading) => Promise<void>;
  /** Called before each write, which ends when the signal is aborted. @throws Fault that prevents the write */
  readonly confirm?: (() => Promise<AbortSignal>) | undefined;
  /** Receives each attempt. */
  readonly measure?: Measure | undefined;
};

export type CallOptions = {
  readonly signal?: AbortSignal | undefined;
  /** Once it is aborted, an unreachable gateway is not called again. */
  readonly impatient?: AbortSignal | undefined;
};

export type Call = CallOptions & {
  readonly endpoint: Endpoint;
  readonly query?: Query;
  /** JSON text. */
  readonly body?: string | undefined;
  readonly accept?: string;
  /** Bytes of the body that is streamed. */
  readonly limit?: number;
  /** Milliseconds for the whole request; that of the connection if omitted. */
  readonly total?: number;
  /** Sees the text of any answer before everything else does. */
  readonly firstSight?: (text: string) => void;
};

/** Measures one attempt from its start. */
export const measureCall = (
  { measure, clock, base }: Pick<CallDeps, 'measure' | 'clock' | 'base'>,
  { method, path, template = path }: Pick<Endpoint, 'method' | 'path' | 'template'>,
) => {
  const start = clock.now();
  return (outcome: string, status: number | undefined): void =>
    measure?.({
      what: 'gateway-call',
      endpoint: `${method} ${template}`,
      origin: base.origin,
      status,
      outcome,
      seconds: (clock.now() - start) / 1000,
    });
};

/** One request and the handling of its answer; every failure of either is a catalogue error or the signal's reason. */
export const callOnce = async <T>(
  deps: CallDeps,
  call: Call,
  use: (answer: HttpAnswer) => Promise<T>,
): Promise<T> => {
  const { endpoint } = call;
  let { signal } = call;
  const measured = measureCall(deps, endpoint);
  let status: number | undefined;
  try {
    if (endpoint.method !== 'GET' && deps.confirm !== undefined) {
      const confirmed = await deps.confirm();
      signal = signal === undefined ? confirmed : AbortSignal.any([signal, confirmed]);
    }
    const sent = deps.clock.now();
    const answer = await deps.http.send({
      method: endpoint.method,
      url: addressOf(deps.base, endpoint.path, call.query),
      headers: {
        authorization: `Bearer ${deps.adminKey.reveal()}`,
        accept: call.accept ?? 'application/json',
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: call.body,
      limit: call.limit,
      ...(call.total === undefined ? {} : { timeouts: { total: call.total } }),
      signal,
    });
    ({ status } = answer);
    const reading = readClock(answer.headers, sent, deps.clock.now(), deps.clock.uptime?.());
    if (reading !== undefined) await deps.onClock?.(reading);
    deps.log.debug('gateway answered', { request: nameOf(endpoint), status: answer.status });
    const due =
      endpoint.method === 'GET' ? answer.status === 200 : answer.status >= 200 && answer.status < 300;
    if (due) {
      const used = await use(answer);
      measured('ok', status);
      return used;
    }
    const text = await startOf(answer);
    signal?.throwIfAborted();
    call.firstSight?.(text);
    throw refusalOf({ ...answer, text }, endpoint, { redact: deps.secrets.redact, now: deps.clock.now() });
  } catch (error) {
    const failure = networkFault(error, endpoint);
    measured(isFault(failure) ? failure.code : 'aborted', status);
    throw failure;
  }
};

/** For a GET: tries again while that may help. A write is sent once. */
export const callWithRetry = <T>(
  deps: CallDeps,
  call: Call,
  use: (answer: HttpAnswer) => Promise<T>,
): Promise<T> =>
  withRetry(() => callOnce(deps, call, use), deps.retry, {
    clock: deps.clock,
    random: deps.random,
    signal: call.signal,
    finalAfter: (error) =>
      isFault(error) && error.code === 'gateway-unreachable' ? call.impatient : undefined,
    onRetry: (error, wait, count) =>
      deps.log.warn('gateway call failed; retrying', {
        request: nameOf(call.endpoint),
        attempt: count,
        wait,
        ...(isFault(error) ? errorFields(error) : {}),
      }),
  });
