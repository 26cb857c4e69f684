import { compareMoney, toSeconds, zero, type UnixMillis, type UnixSeconds } from '../../core/index.ts';
import type { ApiKey } from '../../gateway/index.ts';

/** The status of a disabled key in this family of gateways (docs/gateway.md G8.2). */
const disabledStatus = 2;

/** The creation time of a key; undefined if the gateway omits it or reports 0. */
export const creationTime = ({ createdTime }: Pick<ApiKey, 'createdTime'>): UnixSeconds | undefined =>
  createdTime === undefined || createdTime <= 0 ? undefined : createdTime;

export const isExpired = ({ expiredTime }: ApiKey, now: UnixMillis): boolean =>
  expiredTime !== 'never' && expiredTime <= toSeconds(now);

/** Fields that decisions about the key need and whose values are out of range, with these values. */
export const unreadableFields = ({ unreadable = {} }: Pick<ApiKey, 'unreadable'>): string | undefined => {
  const found = ['name', 'remain_quota', 'expired_time'].flatMap((name) => {
    const value = unreadable[name];
    return value === undefined ? [] : [`${name} (${value})`];
  });
  return found.length === 0 ? undefined : `the gateway reports an impossible ${found.join(' and ')}`;
};

export const isExhausted = ({ unlimitedQuota, remainQuota, unreadable }: ApiKey): boolean =>
  !unlimitedQuota && unreadable?.['remain_quota'] === undefined && compareMoney(remainQuota, zero) <= 0;

/**
 * Why calls with a key fail. Expiry and exhaustion are derived from the fields, because gateways write the status late or never. `status`: the
 * statuses that a selection names, which therefore count as usable.
 */
export const deadBy = (
  key: ApiKey,
  now: UnixMillis,
  status?: readonly number[],
): 'disabled' | 'expired' | 'exhausted' | undefined => {
  if (key.status === disabledStatus && status?.includes(disabledStatus) !== true) return 'disabled';
  if (isExpired(key, now)) return 'expired';
  return isExhausted(key) ? 'exhausted' : undefined;
};
