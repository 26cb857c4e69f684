import { fault } from '../core/index.ts';
import type { FaultCode } from '../core/index.ts';
import { isNetworkProblem } from '../http/index.ts';
import type { ProblemKind } from '../http/index.ts';
import type { Endpoint } from './endpoint.ts';
import { nameOf, outcomeUnknown } from './refusals.ts';

const codeOf: Readonly<Record<ProblemKind, FaultCode>> = {
  unreachable: 'gateway-unreachable',
  certificate: 'gateway-certificate',
  tls: 'gateway-unreachable',
  timeout: 'gateway-timeout',
  'connection-lost': 'gateway-connection-lost',
  protocol: 'gateway-answer-unreadable',
  'too-large': 'gateway-answer-too-large',
};

/** Problems in which the request was never sent. */
const nothingSent: ReadonlySet<ProblemKind> = new Set(['unreachable', 'certificate', 'tls']);

/** The catalogue error of a network problem; anything else, including an abort's reason, is returned unchanged. */
export const networkFault = (error: unknown, endpoint: Endpoint): unknown => {
  if (!isNetworkProblem(error)) return error;
  const unknownOutcome = endpoint.method !== 'GET' && !nothingSent.has(error.kind);
  return fault(codeOf[error.kind], `${nameOf(endpoint)}: ${error.message}`, {
    cause: error,
    ...(error.kind === 'tls' ? { retryHelps: false } : {}),
    ...(unknownOutcome ? { retryHelps: false, advice: outcomeUnknown } : {}),
  });
};
