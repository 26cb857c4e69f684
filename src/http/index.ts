export { trustedContext } from './certificates.ts';
export type { MayReach } from './guarded-connect.ts';
export { createHttp, type HttpOptions } from './create-http.ts';
export { startDeadline } from './deadline.ts';
export type { Http, HttpAnswer, HttpRequest, HttpTimeouts } from './http.ts';
export { retryAfter } from './retry-after.ts';
export { isNetworkProblem, type NetworkProblem, type ProblemKind } from './problem.ts';
export { signatureOf } from './webhook-signature.ts';
