import { isLoopback, type Clock, type Fault, type SecretRegistry, messageOf } from '../../core/index.ts';
import {
  isNetworkProblem,
  retryAfter,
  type Http,
  type HttpAnswer,
  type HttpRequest,
} from '../../http/index.ts';
import { failed, refused, errorText } from './sink-faults.ts';

export type Talk = {
  readonly http: Http;
  readonly clock: Clock;
  readonly secrets: SecretRegistry;
  /** `Vault at vault.example.com`. */
  readonly who: string;
};

export type Answer = { readonly status: number; readonly text: string; readonly fault: () => Fault };

/** Milliseconds. Short, because a rotation waits for the answer and can retry later. */
const timeouts = { headers: 30_000, idle: 15_000, total: 60_000 };

const sizeLimit = 4 * 1024 * 1024;

const adviceFor: Readonly<Record<number, string>> = {
  401: 'check the token or secret of the sink',
  403: 'check the permissions of the token of the sink',
  404: 'check the address and the path of the sink',
};

/** Statuses for which a retry may succeed. */
const passing = (status: number): boolean => [408, 409, 412, 425, 429].includes(status) || status >= 500;

const faultOf = (answer: HttpAnswer, text: string, { clock, secrets, who }: Talk, given?: string): Fault => {
  const { status } = answer;
  const description = errorText(given ?? text, secrets);
  const message = `${who} answered ${status}${description === '' ? '' : `: “${description}”`}`;
  if (passing(status)) {
    const wait = retryAfter(answer.headers, clock.now());
    return failed(message, wait === undefined ? {} : { retryAfter: wait });
  }
  const advice =
    status >= 300 && status < 400 ? 'use the final address: redirects are not followed' : adviceFor[status];
  return refused(message, advice === undefined ? {} : { advice });
};

/**
 * Sends one request; any status is an answer. `quote` returns the part of a body that may be shown. @throws Fault sink-failed without an answer,
 * sink-refused for an untrusted certificate
 */
export const ask = async (
  talk: Talk,
  request: Omit<HttpRequest, 'timeouts'>,
  quote?: (text: string) => string,
): Promise<Answer> => {
  try {
    const answer = await talk.http.send({ ...request, timeouts });
    const text = await answer.text(sizeLimit);
    return { status: answer.status, text, fault: () => faultOf(answer, text, talk, quote?.(text)) };
  } catch (error) {
    request.signal?.throwIfAborted();
    if (!isNetworkProblem(error)) throw error;
    const message = errorText(messageOf(error), talk.secrets);
    const lasting = error.kind === 'certificate';
    throw lasting
      ? refused(`${talk.who}: ${message}`, {
          advice: 'set ca of the sink to the issuing certificate authority',
        })
      : failed(`${talk.who}: ${message}`);
  }
};

/** A URL to which secrets may be sent. @throws Fault sink-refused */
export const secureUrl = (text: string, what: string): URL => {
  if (!URL.canParse(text)) throw refused(`${what} is not a valid URL`);
  const url = new URL(text);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url;
  throw refused(`${what} is not https`, {
    advice: 'use https: plain http is only allowed on loopback',
  });
};
