import type { KeyFields } from '../keys.ts';
import { isRecord, writtenNumber, type Request } from '../request.ts';
import type { Choices } from '../variants.ts';

export type FieldFault = 'body' | 'name' | 'quota' | 'unlimited' | 'expiry' | 'group';

const NAME_LIMIT = 50;

const quotaOf = (variants: Choices, value: unknown, digits: string | undefined): bigint | undefined => {
  if (typeof value !== 'number' || value < 0 || !Number.isFinite(value)) return undefined;
  return variants.quota_request_unit(value, digits);
};

/** Missing fields come from `kept`, or are empty: quota 0, limited, expired at 0, default group. Then the name is required. */
export const readFields = (
  variants: Choices,
  { body, text }: Pick<Request, 'body' | 'text'>,
  kept: KeyFields | undefined,
): { -readonly [Field in keyof KeyFields]: KeyFields[Field] } | FieldFault => {
  if (!isRecord(body)) return 'body';
  const name = body['name'] ?? kept?.name;
  if (typeof name !== 'string' || name === '' || variants.name_limit(name) > NAME_LIMIT) return 'name';
  const asked = body['remain_quota'];
  const remain =
    asked === undefined
      ? (kept?.remain ?? 0n)
      : quotaOf(variants, asked, writtenNumber(text, 'remain_quota'));
  if (remain === undefined) return 'quota';
  const unlimited = body['unlimited_quota'] ?? kept?.unlimited ?? false;
  if (typeof unlimited !== 'boolean') return 'unlimited';
  const expiredTime = body['expired_time'] ?? kept?.expiredTime ?? 0;
  if (typeof expiredTime !== 'number' || !Number.isSafeInteger(expiredTime) || expiredTime < -1)
    return 'expiry';
  const group = body['group'] ?? kept?.group ?? '';
  if (typeof group !== 'string') return 'group';
  return { name, remain, unlimited, expiredTime, group: group === '' ? 'default' : group };
};
