import { fault, type Fault, type UnixMillis } from '../../core/index.ts';
import { retryAfter } from '../../http/index.ts';
import { gatewayTerms, quoted, type GatewayTerms } from '../gateway-terms.ts';
import type { ModelEndpoint } from './endpoint.ts';

/** `POST /v1/messages`, for messages. */
export const nameOf = ({ method, path }: Pick<ModelEndpoint, 'method' | 'path'>): string =>
  `${method} ${path}`;

/** What an answer that is no result says. */
export type RefusedCall = Fault & {
  readonly status: number;
  /** Whether no channel serves the model, which only a valid key learns. */
  readonly noChannel: boolean;
  /** The gateway's code and message; both may be empty. */
  readonly terms: string;
};

export const isRefusedCall = (error: unknown): error is RefusedCall =>
  error instanceof Error && error.name === 'Fault' && 'noChannel' in error;

/** Codes that gateways of the family return when no channel serves a model; texts are translated and decide nothing. */
const meansNoChannel = (code: string | undefined): boolean =>
  code !== undefined &&
  (['model_not_found', 'get_channel_failed'].includes(code) || code.startsWith('channel:'));

const chargeOpen = 'the call was sent and may have been charged: check the call log before you repeat it';

/** Advice for a call whose outcome is open; a GET changes nothing. */
export const whenOpen = ({ method }: Pick<ModelEndpoint, 'method'>) =>
  method === 'GET' ? {} : { retryHelps: false, advice: chargeOpen };

type Refused = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The start of the body. */
  readonly text: string;
};

const shownTerms = ({ message, code }: GatewayTerms, redact: (text: string) => string): string =>
  [
    ...(code === undefined ? [] : [redact(code).slice(0, 60)]),
    ...(message === '' ? [] : [`“${message}”`]),
  ].join(' ');

const withCode = ({ code, message }: GatewayTerms, redact: (text: string) => string): string =>
  `${code === undefined ? '' : `, ${redact(code).slice(0, 60)}`})${quoted(message)}`;

const faultFor = (
  endpoint: ModelEndpoint,
  status: number,
  terms: string,
  wait: number | undefined,
): Fault => {
  const name = nameOf(endpoint);
  const later = wait === undefined ? {} : { retryAfter: wait };
  if (status >= 300 && status < 400)
    return fault('gateway-redirect', `the gateway redirects ${name} (${status}${terms}`, {
      advice: 'set base_url to the final address; API keys are not sent to another origin',
    });
  if (status === 401 || status === 403)
    return fault('model-key-refused', `the gateway refused the API key for ${name} (${status}${terms}`);
  if (status === 429)
    return fault('gateway-rate-limited', `the gateway rate-limited ${name} (${status}${terms}`, later);
  if (status === 404)
    return fault('gateway-not-found', `the gateway found nothing at ${name} (${status}${terms}`, {
      advice: 'check the ID in the request, and that base_url is the address of the gateway',
    });
  if (status === 408)
    return fault('gateway-timeout', `the gateway timed out at ${name} (${status}${terms}`, {
      ...later,
      ...whenOpen(endpoint),
    });
  if (status >= 500)
    return fault('gateway-server-error', `the gateway failed at ${name} (${status}${terms}`, {
      ...later,
      ...whenOpen(endpoint),
    });
  return fault('model-call-refused', `the gateway refused ${name} (${status}${terms}`);
};

/** The catalogue error of an answer that is no result. Decided only by the status and a code (docs/gateway.md G9.2, G9.3, G9.6). */
export const refusedCall = (
  endpoint: ModelEndpoint,
  { status, headers, text }: Refused,
  { redact, now }: { readonly redact: (text: string) => string; readonly now: UnixMillis },
): RefusedCall => {
  const terms = gatewayTerms(text, redact);
  const noChannel = status >= 400 && status !== 401 && status !== 403 && meansNoChannel(terms.code);
  const error = noChannel
    ? fault(
        'model-unavailable',
        `no channel of the gateway serves the model at ${nameOf(endpoint)} (${status}${withCode(terms, redact)}`,
      )
    : faultFor(endpoint, status, withCode(terms, redact), retryAfter(headers, now));
  return Object.assign(error, { status, noChannel, terms: shownTerms(terms, redact) });
};

export const unreadable = (endpoint: ModelEndpoint, what: string): Fault =>
  fault(
    'gateway-answer-unreadable',
    `the answer to ${nameOf(endpoint)} does not match the gateway contract (${endpoint.statement}): ${what}`,
    endpoint.method === 'GET' ? {} : { advice: chargeOpen },
  );
