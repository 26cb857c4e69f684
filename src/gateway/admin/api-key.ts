import { z } from 'zod';
import { unknownFields } from '../json.ts';
import { zero } from '../../core/index.ts';
import {
  amountInRange,
  countInRange,
  expiry,
  isOutOfRange,
  nameInRange,
  optional,
  timeInRange,
  wholeNumber,
  type OutOfRange,
} from '../scalars.ts';

const named = {
  id: wholeNumber,
  name: nameInRange,
  key_mask: optional(z.string()),
  status: optional(countInRange),
  remain_quota: amountInRange,
  unlimited_quota: z.boolean(),
  expired_time: expiry,
  group: optional(z.string()),
  created_time: optional(timeInRange),
};

/** Some gateways answer a read with a `key`; whatever it contains, it is not stored. */
const neverKept = ['key'];

const inRange = <T>(value: T | OutOfRange, otherwise: T): T => (isOutOfRange(value) ? otherwise : value);

/** Fields whose value cannot be what they say, with that value as text. */
const outOfRange = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.keys(named).flatMap((name) => {
      const value = fields[name];
      return isOutOfRange(value) ? [[name, value.outOfRange]] : [];
    }),
  );

/**
 * docs/gateway.md G8.1. What a `status` means is open (G8.2); expiry and exhaustion follow from the other fields. A value
 * out of range is unknown: it is named in `unreadable`, and its field has a value that has no effect.
 */
export const apiKey = z.looseObject(named).transform((fields) => {
  const unreadable = outOfRange(fields);
  return {
    id: fields.id,
    name: isOutOfRange(fields.name) ? fields.name.outOfRange : fields.name,
    keyMask: fields.key_mask,
    status: inRange(fields.status, undefined),
    /** Means nothing when the quota is unlimited. Its unit is open (docs/gateway.md G8.10). */
    remainQuota: inRange(fields.remain_quota, zero),
    unlimitedQuota: fields.unlimited_quota,
    expiredTime: inRange(fields.expired_time, 'never'),
    group: fields.group,
    createdTime: inRange(fields.created_time, undefined),
    rest: unknownFields(fields, [...Object.keys(named), ...neverKept]),
    ...(Object.keys(unreadable).length === 0 ? {} : { unreadable }),
  };
});

export type ApiKey = Readonly<z.output<typeof apiKey>>;

/** docs/gateway.md G8.3; a gateway without keys may send null for its items. */
export const keyPage = z
  .looseObject({
    items: z.preprocess((value) => value ?? [], z.array(apiKey)),
    page: optional(wholeNumber),
    page_size: optional(wholeNumber),
    total: optional(wholeNumber),
  })
  .transform(({ items, page, page_size, total }) => ({ items, page, pageSize: page_size, total }));

export type KeyPage = Readonly<z.output<typeof keyPage>>;

/** docs/gateway.md G8.8. */
export const createdKey = z.looseObject({ id: wholeNumber, key: z.string().min(1) });
