import { GRAINS_PER_UNIT, parseUsd } from '../decimal.ts';
import { HOUR } from '../traffic/rhythm.ts';
import { point } from './point.ts';

/** Milliseconds by which the clock of rows and keys is ahead, and by which the `Date` header is. */
const clockShifts = {
  right: [0, 0],
  behind: [-HOUR * 1000, 0],
  ahead: [HOUR * 1000, 0],
  'date-behind': [0, -3 * HOUR * 1000],
  'date-ahead': [0, 3 * HOUR * 1000],
} as const;

const databaseText =
  'record not found: SELECT * FROM `tokens` WHERE id = ? AND `tokens`.`deleted_at` IS NULL LIMIT 1';

/** What the contract leaves open about keys and the clock (docs/gateway.md G8, G16.4). */
export const keyPoints = {
  page_size_default: point('G8.4', { 10: 10, 20: 20 })('Keys on a page when page_size is left out.'),
  page_size_cap: point('G8.4', { 100: 100, none: Infinity })(
    'A page_size over 100 is silently capped, or taken as it is.',
  ),
  page_size_echo: point('G8.4', ['effective', 'asked'])(
    'The page_size in the answer: the one applied, or the one asked for.',
  ),
  page_order: point('G8.5', { 'newest-first': -1, 'oldest-first': 1 })(
    'Order of the key list; pages are cut by offset either way.',
  ),
  page_total: point('G8.5', { exact: (count: number) => count, zero: () => 0 })(
    'total of the key list: the count, or always 0.',
  ),
  update: point('G8.12', ['replace', 'keep'])(
    'PUT with fields left out: they become empty (expired, exhausted, default group), or keep their values.',
  ),
  update_quota: point('G8.13', {
    overwrite: (asked: bigint) => asked,
    'keep-spend': (asked: bigint, spent: bigint) => asked - spent,
  })('PUT of remain_quota overwrites what was spent since the last read, or takes that spend off again.'),
  quota_request_unit: point('G8.10', {
    currency: (value: number, digits = String(value)) => parseUsd(digits),
    units: (value: number) =>
      Number.isSafeInteger(value) ? BigInt(value) * BigInt(GRAINS_PER_UNIT) : undefined,
  })('remain_quota in requests: US dollars, or integer units with 500,000 = 1 USD. Answers show dollars.'),
  key_status: point('G8.2', { written: 0, late: 600, never: Infinity })(
    'Status 3 (expired) and 4 (exhausted) shown at once, 600 s late, or never.',
  ),
  name_limit: point('G8.9', {
    characters: (name: string) => Array.from(name).length,
    bytes: (name: string) => Buffer.byteLength(name),
  })('A key name holds 50 characters, or 50 bytes of UTF-8.'),
  past_expiry: point('G8.11', ['accepted', 'refused'])('An expired_time in the past on creation.'),
  zero_expiry: point('G8.11', { kept: 0, never: -1 })(
    'expired_time 0 on creation stays 0 (expired), or turns into -1 (never expires).',
  ),
  key_cap: point('G8.7', { 1000: 1000, none: Infinity })('Keys an account may have.'),
  key_prefix: point('G8.8', {
    'sk-': { shown: 'sk-', isRequired: false },
    none: { shown: '', isRequired: false },
    'none-required': { shown: '', isRequired: true },
  })(
    'The plaintext comes with its sk- prefix, or without; calls work with both forms, or (none-required) with the prefix alone.',
  ),
  gateway_clock: point(
    'G16.4',
    clockShifts,
  )(
    'The clock that stamps rows, keys and the Date header: right, or an hour behind or ahead of the caller; or the Date header alone is three hours behind or ahead.',
  ),
  missing_id: point('G8.15', {
    404: { status: 404, en: 'no such key', zh: '令牌不存在' },
    'database-text': { status: 200, en: databaseText, zh: databaseText },
  })('A key id that does not exist: HTTP 404, or HTTP 200 with success false and raw database text.'),
  key_cache: point('G8.16', { 0: 0, 60: 60, 600: 600 })(
    'Seconds a deleted, expired or disabled key keeps working in model calls.',
  ),
};
