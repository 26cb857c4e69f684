import { compareMoney, money, subtractMoney, toMillis } from '../../core/index.ts';
import type { ApiKey } from '../../gateway/index.ts';
import { creationTime } from '../plan/key-state.ts';
import type { KeyRequest } from '../model/key-state.ts';
import { probeService } from '../update/probe.ts';
import { clockSkew } from '../plan/clock-skew.ts';

/** Milliseconds for which a request without an answer may still reach the gateway. */
const longestWay = 3_600_000;

/** A written quota is rounded down, by less than a whole unit. */
const maxRounding = money('1');

const isCreatedByRequest = (key: ApiKey, { askedAt }: KeyRequest): boolean => {
  const created = creationTime(key);
  if (created === undefined) return true;
  const made = toMillis(created);
  return made >= askedAt - clockSkew && made <= askedAt + longestWay + clockSkew;
};

const hasQuotaOf = (key: ApiKey, { service, spec }: KeyRequest): boolean => {
  if (spec.unlimitedQuota || key.unlimitedQuota) return spec.unlimitedQuota === key.unlimitedQuota;
  // Only the probe shows in which unit the gateway accepts a quota, so the listed value may differ.
  if (service === probeService) return true;
  const missing = subtractMoney(spec.remainQuota, key.remainQuota);
  return compareMoney(missing, money('0')) >= 0 && compareMoney(missing, maxRounding) < 0;
};

/** How a listed key differs from the requested one; undefined if it may be that key. */
export const mismatchOf = (key: ApiKey, request: KeyRequest): string | undefined => {
  const { spec, askedAt } = request;
  if (!isCreatedByRequest(key, request))
    return `its creation time does not match the request of ${new Date(askedAt).toISOString()}`;
  if (!hasQuotaOf(key, request)) return 'its quota differs';
  if (key.expiredTime !== spec.expiredTime) return 'its expiry differs';
  // An empty group requests the default one, whose name is unknown.
  if (spec.group !== '' && key.group !== undefined && key.group !== spec.group) return 'its group differs';
  return undefined;
};
