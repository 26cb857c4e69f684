import { profileEndpoint } from './admin/account-profile.ts';
import { statisticsEndpoint } from './admin/call-statistics.ts';
import { exportEndpoints } from './admin/exports.ts';
import { createKeyEndpoints } from './admin/keys.ts';
import type { CallDeps } from './call.ts';

/** Every admin endpoint (docs/gateway.md G2.3), each with its client methods. */
const endpoints = [profileEndpoint, statisticsEndpoint, exportEndpoints, createKeyEndpoints] as const;

type All<Part> = (Part extends unknown ? (part: Part) => void : never) extends (part: infer Whole) => void
  ? Whole
  : never;

export type Endpoints = All<ReturnType<(typeof endpoints)[number]>>;

export const createEndpoints = (deps: CallDeps): Endpoints =>
  Object.assign({}, ...endpoints.map((create) => create(deps))) as Endpoints;
