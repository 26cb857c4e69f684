import { z } from 'zod';
import { unknownFields } from '../json.ts';
import { decimal, expiry, optional, seconds, wholeNumber } from '../scalars.ts';

const named = {
  id: wholeNumber,
  name: z.string(),
  key_mask: optional(z.string()),
  status: optional(wholeNumber),
  remain_quota: decimal,
  unlimited_quota: z.boolean(),
  expired_time: expiry,
  group: optional(z.string()),
  created_time: optional(seconds),
};

/** Some gateways answer a read with a `key`; whatever it contains, it is not stored. */
const neverKept = ['key'];

/** docs/gateway.md G8.1. What a `status` means is open (G8.2); expiry and exhaustion follow from the other fields. */
export const apiKey = z.looseObject(named).transform((fields) => ({
  id: fields.id,
  name: fields.name,
  keyMask: fields.key_mask,
  status: fields.status,
  /** Without meaning when the quota is unlimited. Its unit is open (docs/gateway.md G8.10). */
  remainQuota: fields.remain_quota,
  unlimitedQuota: fields.unlimited_quota,
  expiredTime: fields.expired_time,
  group: fields.group,
  createdTime: fields.created_time,
  rest: unknownFields(fields, [...Object.keys(named), ...neverKept]),
}));

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
