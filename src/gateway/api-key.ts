import { z } from 'zod';
import { unknownFields } from './json.ts';
import { decimal, expiry, optional, seconds, wholeNumber } from './scalars.ts';

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

/** Some gateways answer a read with a `key`; whatever it holds, it is not kept. */
const neverKept = ['key'];

/** gateway-api.md, API key. What a `status` means is not told; expiry and exhaustion follow from the other fields. */
export const apiKey = z.looseObject(named).transform((fields) => ({
  id: fields.id,
  name: fields.name,
  keyMask: fields.key_mask,
  status: fields.status,
  /** Means nothing when the quota is unlimited. Its unit is not told. */
  remainQuota: fields.remain_quota,
  unlimitedQuota: fields.unlimited_quota,
  expiredTime: fields.expired_time,
  group: fields.group,
  createdTime: fields.created_time,
  rest: unknownFields(fields, [...Object.keys(named), ...neverKept]),
}));

export type ApiKey = Readonly<z.output<typeof apiKey>>;

/** gateway-api.md, Key page; a gateway without keys may send null for its items. */
export const keyPage = z
  .looseObject({
    items: z.preprocess((value) => value ?? [], z.array(apiKey)),
    page: optional(wholeNumber),
    page_size: optional(wholeNumber),
    total: optional(wholeNumber),
  })
  .transform(({ items, page, page_size, total }) => ({ items, page, pageSize: page_size, total }));

export type KeyPage = Readonly<z.output<typeof keyPage>>;

/** gateway-api.md, Key creation result. */
export const createdKey = z.looseObject({ id: wholeNumber, key: z.string().min(1) });
