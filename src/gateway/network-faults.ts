import { fault, type Fault, type FaultCode, type FaultOptions } from '../core/index.ts';
import { isNetworkProblem, type NetworkProblem, type ProblemKind } from '../http/index.ts';
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

/** The catalogue error of a network problem. `whenSent`: for one after which it is unknown whether the gateway has executed the request. */
export const networkFaultOf = (error: NetworkProblem, name: string, whenSent: FaultOptions): Fault =>
  fault(codeOf[error.kind], `${name}: ${error.message}`, {
    cause: error,
    ...(error.kind === 'tls' ? { retryHelps: false } : {}),
    ...(nothingSent.has(error.kind) ? {} : whenSent),
  });

/** The same for an admin endpoint; anything else, including an abort's reason, is returned unchanged. */
export const networkFault = (error: unknown, endpoint: Endpoint): unknown =>
  isNetworkProblem(error)
    ? networkFaultOf(
        error,
        nameOf(endpoint),
        endpoint.method === 'GET' ? {} : { retryHelps: false, advice: outcomeUnknown },
      )
    : error;
