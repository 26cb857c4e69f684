import { fault, messageOf, systemCode, type UnixMillis } from '../../../core/index.ts';
import { isNetworkProblem, retryAfter, type HttpAnswer } from '../../../http/index.ts';
import { oneLine } from '../../address.ts';
import type { RouteOutcome } from '../../route.ts';

export type FaultContext = {
  /** The route and its host: `the route finance-chat (hooks.example.com)`. */
  readonly where: string;
  readonly redact: (text: string) => string;
};

const sizeLimit = 16 * 1024;

/** The start of the response body, on one line and without secrets; the outcome does not depend on it. */
const errorText = async (answer: HttpAnswer, { redact }: FaultContext): Promise<string> => {
  try {
    const text = oneLine(redact(await answer.text(sizeLimit)));
    return text === '' ? '' : `: “${text.slice(0, 200)}”`;
  } catch {
    return '';
  }
};

/** Statuses for which a retry may help: too early, too many requests, or a server error. */
const passing = (status: number): boolean =>
  status === 408 || status === 425 || status === 429 || status >= 500;

/** Only a 2xx status confirms the message. */
export const answerOutcome = async (
  answer: HttpAnswer,
  faultContext: FaultContext,
  now: UnixMillis,
): Promise<RouteOutcome> => {
  const { status, headers } = answer;
  const message = await errorText(answer, faultContext);
  if (status >= 200 && status < 300) return { state: 'sent', response: `${status}${message}` };
  if (passing(status)) {
    const wait = retryAfter(headers, now);
    return {
      state: 'deferred',
      fault: fault(
        'webhook-deferred',
        `${faultContext.where} answered ${status}${message}`,
        wait === undefined ? {} : { retryAfter: wait },
      ),
    };
  }
  const advice =
    status >= 300 && status < 400
      ? { advice: 'set the url of the route to the final address; messages are not posted elsewhere' }
      : {};
  return {
    state: 'failed',
    fault: fault('webhook-refused', `${faultContext.where} answered ${status}${message}`, advice),
  };
};

const noConnection = (error: unknown): boolean =>
  isNetworkProblem(error) &&
  (error.kind === 'unreachable' ||
    error.kind === 'certificate' ||
    error.kind === 'tls' ||
    systemCode(error) === 'UND_ERR_CONNECT_TIMEOUT');

/** An interrupted exchange: without a connection the message did not arrive, otherwise the outcome is unknown. */
export const problemOutcome = (error: unknown, { where, redact }: FaultContext): RouteOutcome => {
  const message = redact(messageOf(error));
  const cause = { cause: new Error(message) };
  return noConnection(error)
    ? { state: 'deferred', closed: true, fault: fault('webhook-unreachable', `${where}: ${message}`, cause) }
    : { state: 'unknown', fault: fault('webhook-outcome-unknown', `${where}: ${message}`, cause) };
};
