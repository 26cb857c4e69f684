import { fault, type Fault, type UnixMillis } from '../core/index.ts';
import { retryAfter } from '../http/index.ts';
import type { Endpoint } from './endpoint.ts';
import { gatewayTerms, quoted, type GatewayTerms } from './gateway-terms.ts';

/** What the errors of an endpoint need besides the answer. */
export type RefusalDeps = { readonly redact: (text: string) => string; readonly now: UnixMillis };

export type RefusedAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The URL of the request. */
  readonly url: string;
  /** The start of the body. */
  readonly text: string;
};

/** `GET /api/user/self`, for messages. */
export const nameOf = (endpoint: Endpoint): string => `${endpoint.method} ${endpoint.path}`;

/** Advice when it is unknown whether the gateway executed the request. */
export const outcomeUnknown = 'the outcome is unknown; list the keys before you try again';

/**
 * Milliseconds to wait after a 429 without a time: three such waits exceed the longest rate window seen for reads, 180
 * s.
 */
const unsaidWait = 60_000;

/** Codes in use for either reason; any other code decides nothing. */
const keyCodes = new Set([
  '401',
  'invalid_token',
  'invalid_api_key',
  'invalid_admin_key',
  'unauthorized',
  'token_expired',
]);
const scopeCodes = new Set([
  '403',
  'insufficient_scope',
  'missing_scope',
  'insufficient_permissions',
  'permission_denied',
]);

const keyRefused = (endpoint: Endpoint, status: number, terms: GatewayTerms): Fault =>
  fault(
    'gateway-key-refused',
    `the gateway refused the Admin Key for ${nameOf(endpoint)} (${status})${quoted(terms.message)}`,
    {
      advice: `check admin_key: it starts with sk-admin-, must not be revoked, and needs the scope ${endpoint.scope}`,
    },
  );

const scopeMissing = (endpoint: Endpoint, status: number, terms: GatewayTerms): Fault =>
  fault(
    'gateway-scope-missing',
    `the Admin Key may not use ${nameOf(endpoint)} (${status}): it needs the scope ${endpoint.scope}${quoted(terms.message)}`,
    {
      advice: `issue an Admin Key with the scope ${endpoint.scope}; some gateways also answer like this for a revoked key`,
    },
  );

/** Whether a code means that the key, or its scope, is the cause. */
const denied = (
  endpoint: Endpoint,
  status: number,
  terms: GatewayTerms,
  code: string | undefined,
): Fault | undefined => {
  if (code === undefined) return undefined;
  if (scopeCodes.has(code)) return scopeMissing(endpoint, status, terms);
  return keyCodes.has(code) ? keyRefused(endpoint, status, terms) : undefined;
};

const redirected = (answer: RefusedAnswer, endpoint: Endpoint, redact: (text: string) => string): Fault => {
  const location = answer.headers['location'];
  const target =
    location !== undefined && URL.canParse(location, answer.url) ? new URL(location, answer.url) : undefined;
  const where = target === undefined ? 'without a target' : `to ${redact(target.origin + target.pathname)}`;
  return fault('gateway-redirect', `${nameOf(endpoint)} was redirected ${where} (${answer.status})`);
};

/** The key or scope error in an unexpected answer under HTTP 200, by a code only. */
export const denialIn = (terms: GatewayTerms, endpoint: Endpoint): Fault | undefined =>
  denied(endpoint, 200, terms, terms.code);

/**
 * `success: false` under HTTP 200: the message is translated and only quoted; a code, if present, may be more precise.
 */
export const envelopeRefusal = (
  body: string,
  endpoint: Endpoint,
  redact: (text: string) => string,
): Fault => {
  const terms = gatewayTerms(body, redact);
  return (
    denialIn(terms, endpoint) ??
    fault(
      'gateway-refused',
      `the gateway refused ${nameOf(endpoint)}, which needs the scope ${endpoint.scope}${quoted(terms.message)}`,
      {
        advice: `the quoted message is from the gateway; check the request, that admin_key is not revoked, and that it has the scope ${endpoint.scope}`,
      },
    )
  );
};

/** The catalogue error of an answer with an unexpected status. */
export const refusalOf = (answer: RefusedAnswer, endpoint: Endpoint, deps: RefusalDeps): Fault => {
  const { status, headers } = answer;
  if (status >= 300 && status < 400) return redirected(answer, endpoint, deps.redact);
  const terms = gatewayTerms(answer.text, deps.redact);
  const name = nameOf(endpoint);
  const quotation = quoted(terms.message);
  const wait = retryAfter(headers, deps.now);
  const later = wait === undefined ? {} : { retryAfter: wait };
  if (status === 401 || status === 403) {
    const challenge = /\berror="?([\w-]+)/.exec(headers['www-authenticate'] ?? '')?.[1]?.toLowerCase();
    return (
      denied(endpoint, status, terms, challenge) ??
      denied(endpoint, status, terms, terms.code) ??
      (status === 401 ? keyRefused(endpoint, status, terms) : scopeMissing(endpoint, status, terms))
    );
  }
  if (status === 404)
    return /\/\d+$/.test(endpoint.path)
      ? fault('gateway-not-found', `the gateway found nothing at ${name} (404)${quotation}`, {
          advice: 'the key may have been deleted: list the keys; otherwise check base_url',
        })
      : fault('gateway-not-found', `the gateway has no ${name} (404)${quotation}`);
  if (status === 429)
    return fault('gateway-rate-limited', `the gateway rate-limited ${name} (429)${quotation}`, {
      retryAfter: wait ?? unsaidWait,
    });
  const passing = endpoint.method === 'GET' ? later : { ...later, retryHelps: false, advice: outcomeUnknown };
  if (status === 408)
    return fault('gateway-timeout', `the gateway timed out waiting for ${name} (408)${quotation}`, passing);
  if (status >= 500)
    return fault('gateway-server-error', `the gateway failed at ${name} (${status})${quotation}`, passing);
  return fault('gateway-http-error', `the gateway answered ${name} with status ${status}${quotation}`);
};
