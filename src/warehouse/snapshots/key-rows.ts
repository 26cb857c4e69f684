import { unixMillis, withFingerprints, type UnixMillis } from '../../core/index.ts';
import {
  type BoundRow,
  amount,
  column,
  flag,
  millis,
  optional,
  rowReader,
  seconds,
  text,
  wholeNumber,
} from '../../storage/index.ts';
import { exactDecimal } from './exact-decimal.ts';
import type { KeyState } from './snapshot.ts';
import { maskOf, withoutSecrets } from './without-secrets.ts';

/** A key for as long as it stays the same; milliseconds UTC, half-open. */
export type KeyRange = { readonly key: KeyState; readonly from: UnixMillis; readonly until: UnixMillis };

/** The end of a current range: a number, so that the engine can skip whole blocks of ended ranges. */
export const stillSo = unixMillis(Number.MAX_SAFE_INTEGER);

export const keyColumns = {
  key_id: 'BIGINT',
  valid_from: 'BIGINT',
  valid_until: 'BIGINT',
  name: 'VARCHAR',
  key_mask: 'VARCHAR',
  status: 'BIGINT',
  remain_quota: 'VARCHAR',
  unlimited_quota: 'BIGINT',
  expired_time: 'BIGINT',
  group_name: 'VARCHAR',
  created_time: 'BIGINT',
  rest: 'VARCHAR',
} as const;

/** Half a surrogate pair can't be stored; keys are compared in their storable form. */
const storable = (value: string): string => value.replaceAll(/\p{Surrogate}/gu, '\uFFFD');

/**
 * A key as it can be stored: exact, and without secrets. @throws faults export-amount-inexact,
 * gateway-answer-unreadable
 */
export const keptKey = (key: KeyState): KeyState => ({
  ...key,
  // As the exports name it: a name that looks like a key is its fingerprint on both sides.
  name: withFingerprints(storable(key.name)),
  keyMask: key.keyMask === undefined ? undefined : maskOf(storable(key.keyMask)),
  remainQuota: exactDecimal(key.remainQuota, `remain_quota of the key ${key.id}`),
  group: key.group === undefined ? undefined : storable(key.group),
  rest: withoutSecrets(storable(key.rest)),
});

export const boundRange = ({ key, from, until }: KeyRange): BoundRow<typeof keyColumns> => ({
  key_id: key.id,
  valid_from: from,
  valid_until: until,
  name: key.name,
  key_mask: key.keyMask ?? null,
  status: key.status ?? null,
  remain_quota: key.remainQuota,
  unlimited_quota: key.unlimitedQuota ? 1 : 0,
  expired_time: key.expiredTime === 'never' ? -1 : key.expiredTime,
  group_name: key.group ?? null,
  created_time: key.createdTime ?? null,
  rest: key.rest,
});

export const rangeOf = rowReader({
  from: column('valid_from', millis),
  until: column('valid_until', millis),
  key: rowReader({
    id: column('key_id', wholeNumber),
    name: text,
    keyMask: optional(text),
    status: optional(wholeNumber),
    remainQuota: amount,
    unlimitedQuota: flag,
    expiredTime: (row, name) => (wholeNumber(row, name) === -1 ? ('never' as const) : seconds(row, name)),
    group: column('group_name', optional(text)),
    createdTime: optional(seconds),
    rest: text,
  }),
});
