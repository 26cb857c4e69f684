import { compareMoney, toSeconds, zero, type UnixMillis, type UnixSeconds } from '../../core/index.ts';
import type { ApiKey } from '../../gateway/index.ts';

/** What gateways of this family write for a disabled key (docs/gateway.md G8.2). */
const disabledStatus = 2;

/** When the gateway created a key; nothing where it does not report it, or reports 0. */
export const creationTime = ({ createdTime }: Pick<ApiKey, 'createdTime'>): UnixSeconds | undefined =>
  createdTime === undefined || createdTime <= 0 ? undefined : createdTime;

export const isExpired = ({ expiredTime }: ApiKey, now: UnixMillis): boolean =>
  expiredTime !== 'never' && expiredTime <= toSeconds(now);

/** Fields that a decision about the key needs and whose values are out of range, with those values. */
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
 * Why no call can be made with a key. Expiry and exhaustion are worked out from the fields, since gateways write their status
 * late or never; who lists statuses says by it which are in use.
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
