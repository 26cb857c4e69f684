import { compareMoney, money, subtractMoney, toMillis } from '../../core/index.ts';
import type { ApiKey } from '../../gateway/index.ts';
import { creationTime } from '../plan/key-state.ts';
import type { KeyRequest } from '../journal/request-memory.ts';
import { probeService } from '../update/probe.ts';
import { clockSkew } from './clock-skew.ts';

/** Milliseconds for which a request whose answer was lost may be on its way. */
const longestWay = 3_600_000;

/** A quota is written rounded down, to whole units at most. */
const maxRounding = money('1');

const isCreatedByRequest = (key: ApiKey, { askedAt }: KeyRequest): boolean => {
  const created = creationTime(key);
  if (created === undefined) return true;
  const made = toMillis(created);
  return made >= askedAt - clockSkew && made <= askedAt + longestWay + clockSkew;
};

const hasQuotaOf = (key: ApiKey, { service, spec }: KeyRequest): boolean => {
  if (spec.unlimitedQuota || key.unlimitedQuota) return spec.unlimitedQuota === key.unlimitedQuota;
  // A probe is what shows in which unit the gateway takes a quota: until then the listed one may be another.
  if (service === probeService) return true;
  const missing = subtractMoney(spec.remainQuota, key.remainQuota);
  return compareMoney(missing, money('0')) >= 0 && compareMoney(missing, maxRounding) < 0;
};

/** How a listed key differs from the one that was asked for; nothing where it can be that one. */
export const mismatchOf = (key: ApiKey, request: KeyRequest): string | undefined => {
  const { spec, askedAt } = request;
  if (!isCreatedByRequest(key, request))
    return `its creation time does not match the request of ${new Date(askedAt).toISOString()}`;
  if (!hasQuotaOf(key, request)) return 'its quota differs';
  if (key.expiredTime !== spec.expiredTime) return 'its expiry differs';
  // An empty group asks for the default one, whatever that is called.
  if (spec.group !== '' && key.group !== undefined && key.group !== spec.group) return 'its group differs';
  return undefined;
};
