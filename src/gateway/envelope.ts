import { z } from 'zod';
import { fault } from '../core/index.ts';
import type { HttpAnswer } from '../http/index.ts';
import type { Endpoint } from './endpoint.ts';
import { callOnce, callWithRetry, type Call, type CallDeps } from './call.ts';
import { gatewayTerms, quoted } from './gateway-terms.ts';
import { parseJson } from './json.ts';
import { denialIn, envelopeRefusal, nameOf, outcomeUnknown } from './refusals.ts';

/** docs/gateway.md G3.1. */
const envelope = z.looseObject({ success: z.boolean(), data: z.unknown().optional() });

/** Bytes; a key page of the largest size seen has some 40 kB. A parsed answer takes up to a hundred times its size. */
const answerLimit = 4 * 1024 * 1024;

const pathOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${String(part)}`),
    'data',
  );

const unreadable = (endpoint: Endpoint, what: string): Error =>
  fault(
    'gateway-answer-unreadable',
    `the answer to ${nameOf(endpoint)} does not match the gateway contract: ${what}`,
    endpoint.method === 'GET' ? {} : { advice: outcomeUnknown },
  );

const readJson = (text: string, endpoint: Endpoint, redact: (text: string) => string): unknown => {
  try {
    return parseJson(text);
  } catch {
    const quotation = text.trim() === '' ? ' but an empty body' : quoted(gatewayTerms(text, redact).message);
    throw unreadable(endpoint, `no JSON${quotation}`);
  }
};

/** The `data` of a successful envelope. @throws Fault */
export const readEnvelope = <T>(
  text: string,
  schema: z.ZodType<T>,
  endpoint: Endpoint,
  redact: (text: string) => string,
): T => {
  const opened = envelope.safeParse(readJson(text, endpoint, redact));
  if (!opened.success) {
    const terms = gatewayTerms(text, redact);
    throw (
      denialIn(terms, endpoint) ?? unreadable(endpoint, `no envelope with success${quoted(terms.message)}`)
    );
  }
  if (!opened.data.success) throw envelopeRefusal(text, endpoint, redact);
  const read = schema.safeParse(opened.data.data);
  if (read.success) return read.data;
  const [first] = read.error.issues;
  throw unreadable(endpoint, `${pathOf(first?.path ?? [])}: ${redact(first?.message ?? 'unknown')}`);
};

/** Milliseconds: a page that arrives byte by byte would hold up all that waits for the account. */
export const usualPageTimeout = 60_000;

/** Calls an endpoint that answers with an envelope and reads its data. */
export const callForData = <T>(deps: CallDeps, call: Call, schema: z.ZodType<T>): Promise<T> => {
  const { pageTimeout = usualPageTimeout } = deps;
  const use = async (answer: HttpAnswer): Promise<T> => {
    const text = await answer.text(answerLimit);
    call.firstSight?.(text);
    return readEnvelope(text, schema, call.endpoint, deps.secrets.redact);
  };
  return call.endpoint.method === 'GET'
    ? callWithRetry(deps, { ...call, total: pageTimeout }, use)
    : callOnce(deps, call, use);
};

/**
 * Writes to an endpoint whose answer is open (update, delete; docs/gateway.md G8.12, G8.14): an empty one succeeds, an
 * envelope must not refuse.
 */
export const callForOutcome = (deps: CallDeps, call: Call): Promise<void> =>
  callOnce(deps, call, async (answer) => {
    const text = await answer.text(answerLimit);
    call.firstSight?.(text);
    if (text.trim() !== '') readEnvelope(text, z.unknown(), call.endpoint, deps.secrets.redact);
  });
