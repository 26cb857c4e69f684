import { z } from 'zod';
import type { CallDeps, CallOptions } from '../call.ts';
import type { Endpoint } from '../endpoint.ts';
import { callForData } from '../envelope.ts';
import { unknownFields } from '../json.ts';
import { countInRange, decimal, isOutOfRange, optional } from '../scalars.ts';

const named = {
  username: z.string(),
  display_name: optional(z.string()),
  balance: decimal,
  used_quota: decimal,
  request_count: optional(countInRange),
  group: optional(z.string()),
  level: optional(countInRange),
};

/** docs/gateway.md G4.2 promises that these are never served; if they are, they are not stored. */
const neverKept = ['password', 'access_token', 'session', 'id_number'];

/** docs/gateway.md G4.1. The currency and unit of `balance` and `usedQuota` are open (G4.3). */
const accountProfile = z.looseObject(named).transform((fields) => ({
  username: fields.username,
  displayName: fields.display_name,
  balance: fields.balance,
  usedQuota: fields.used_quota,
  requestCount: isOutOfRange(fields.request_count) ? undefined : fields.request_count,
  group: fields.group,
  level: isOutOfRange(fields.level) ? undefined : fields.level,
  rest: unknownFields(fields, [...Object.keys(named), ...neverKept]),
}));

export type AccountProfile = Readonly<z.output<typeof accountProfile>>;

const endpoint: Endpoint = { method: 'GET', path: '/api/user/self', scope: 'account:read' };

export const profileEndpoint = (deps: CallDeps) => ({
  profile: (options?: CallOptions): Promise<AccountProfile> =>
    callForData(deps, { ...options, endpoint }, accountProfile),
});
