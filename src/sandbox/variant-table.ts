import { modelErrors } from './variants/model-errors.ts';
import { modelPoints } from './variants/model-points.ts';
import type { Point } from './variants/point.ts';
import { rowId } from './variants/row-id.ts';
import { statusColumn } from './variants/status-column.ts';
import { titleLine } from './variants/title-line.ts';

/**
 * One variant per point that the contract leaves open; its values are behaviours seen in gateways of the same family
 * (docs/gateway.md; `statement` is the one that leaves the point open).
 */

const zones = ['UTC', 'Asia/Shanghai', 'Europe/Berlin', 'America/New_York'] as const;

export const variantTable = {
  page_size_default: {
    values: ['10', '20'],
    default: '10',
    meaning: 'Keys on a page when page_size is left out.',
    statement: 'G8.4',
  },
  page_size_cap: {
    values: ['100', 'none'],
    default: '100',
    meaning: 'A page_size over 100 is silently capped, or taken as it is.',
    statement: 'G8.4',
  },
  page_size_echo: {
    values: ['effective', 'asked'],
    default: 'effective',
    meaning: 'The page_size in the answer: the one applied, or the one asked for.',
    statement: 'G8.4',
  },
  page_order: {
    values: ['newest-first', 'oldest-first'],
    default: 'newest-first',
    meaning: 'Order of the key list; pages are cut by offset either way.',
    statement: 'G8.5',
  },
  page_total: {
    values: ['exact', 'zero'],
    default: 'exact',
    meaning: 'total of the key list: the count, or always 0.',
    statement: 'G8.5',
  },
  update: {
    values: ['replace', 'keep'],
    default: 'replace',
    meaning:
      'PUT with fields left out: they become empty (expired, exhausted, default group), or keep their values.',
    statement: 'G8.12',
  },
  update_quota: {
    values: ['overwrite', 'keep-spend'],
    default: 'overwrite',
    meaning:
      'PUT of remain_quota overwrites what was spent since the last read, or takes that spend off again.',
    statement: 'G8.13',
  },
  quota_request_unit: {
    values: ['currency', 'units'],
    default: 'currency',
    meaning:
      'remain_quota in requests: US dollars, or integer units with 500,000 = 1 USD. Answers show dollars.',
    statement: 'G8.10',
  },
  key_status: {
    values: ['written', 'late', 'never'],
    default: 'written',
    meaning: 'Status 3 (expired) and 4 (exhausted) shown at once, 600 s late, or never.',
    statement: 'G8.2',
  },
  name_limit: {
    values: ['characters', 'bytes'],
    default: 'characters',
    meaning: 'A key name holds 50 characters, or 50 bytes of UTF-8.',
    statement: 'G8.9',
  },
  past_expiry: {
    values: ['accepted', 'refused'],
    default: 'accepted',
    meaning: 'An expired_time in the past on creation.',
    statement: 'G8.11',
  },
  zero_expiry: {
    values: ['kept', 'never'],
    default: 'kept',
    meaning: 'expired_time 0 on creation stays 0 (expired), or turns into -1 (never expires).',
    statement: 'G8.11',
  },
  key_cap: {
    values: ['1000', 'none'],
    default: '1000',
    meaning: 'Keys an account may have.',
    statement: 'G8.7',
  },
  key_prefix: {
    values: ['sk-', 'none', 'none-required'],
    default: 'sk-',
    meaning:
      'The plaintext comes with its sk- prefix, or without; calls work with both forms, or (none-required) with the prefix alone.',
    statement: 'G8.8',
  },
  gateway_clock: {
    values: ['right', 'behind', 'ahead', 'date-behind', 'date-ahead'],
    default: 'right',
    meaning:
      'The clock that stamps rows, keys and the Date header: right, or an hour behind or ahead of the caller; or the Date header alone is three hours behind or ahead.',
    statement: 'G16.4',
  },
  missing_id: {
    values: ['404', 'database-text'],
    default: '404',
    meaning: 'A key id that does not exist: HTTP 404, or HTTP 200 with success false and raw database text.',
    statement: 'G8.15',
  },
  key_cache: {
    values: ['0', '60', '600'],
    default: '0',
    meaning: 'Seconds a deleted, expired or disabled key still works in model calls.',
    statement: 'G8.16',
  },
  business_errors: {
    values: ['http-200', 'http-400'],
    default: 'http-200',
    meaning: 'HTTP status of a refused admin request; the envelope says success false either way.',
    statement: 'G3.2',
  },
  message_language: {
    values: ['en', 'zh'],
    default: 'en',
    meaning: 'Language of the messages of admin errors.',
    statement: 'G3.2',
  },
  authentication_errors: {
    values: ['401', '403', 'http-200'],
    default: '401',
    meaning:
      'A bad Admin Key: 401 (and 403 for a missing scope), always 403, or HTTP 200 with success false.',
    statement: 'G2.7',
  },
  authentication_code: {
    values: ['absent', 'present'],
    default: 'absent',
    meaning: 'Authentication errors carry a code beside the message.',
    statement: 'G2.7',
  },
  rate_limit: {
    values: ['off', 'on'],
    default: 'off',
    meaning: '180 requests in 180 s, key writes 20 in 20 min; then 429, empty body, no Retry-After.',
    statement: 'G3.3',
  },
  compression: {
    values: ['gzip', 'none'],
    default: 'gzip',
    meaning: 'Exports are compressed when the client accepts gzip.',
    statement: 'G6.2',
  },
  created_at: {
    values: ['seconds', 'milliseconds', 'rfc3339', 'naive'],
    default: 'seconds',
    meaning: 'Form of created_at; rfc3339 and naive are written in log_zone.',
    statement: 'G6.5',
  },
  log_zone: {
    values: zones,
    default: 'UTC',
    meaning: 'Zone of rfc3339 and naive times in the log export.',
    statement: 'G6.5',
  },
  log_quota: {
    values: ['currency', 'units'],
    default: 'currency',
    meaning: 'Amounts of the log export: currency with up to 8 decimals, or integer units of 1/500,000 USD.',
    statement: 'G6.8',
  },
  amounts_change: {
    values: ['none', 'log', 'statistics', 'usage', 'log-and-statistics', 'all'],
    default: 'none',
    meaning:
      'From the first midnight UTC after the start on, these endpoints give integer units where they gave a currency, and US dollars where they gave units.',
    statement: 'G6.8',
  },
  amounts_change_by: {
    values: ['answer', 'row'],
    default: 'answer',
    meaning:
      'An amounts_change of the log export holds for every row of an answer given after the moment, or for rows of calls made after it.',
    statement: 'G6.8',
  },
  log_currency: {
    values: ['USD', 'CNY'],
    default: 'USD',
    meaning: 'Currency of the log export when the parameter is left out.',
    statement: 'G6.7',
  },
  refund_rows: {
    values: ['negative', 'absent'],
    default: 'negative',
    meaning: 'Refunds are booked as rows with a negative amount, or the account has none.',
    statement: 'G6.9',
  },
  cached_header: {
    values: ['cached_tokens', 'cache_tokens'],
    default: 'cached_tokens',
    meaning: 'Header of the cached tokens; both names are understood in columns.',
    statement: 'G6.3',
  },
  cached_column: {
    values: ['present', 'absent', 'appears', 'disappears'],
    default: 'present',
    meaning:
      'The cached_tokens column is exported, is not, or is exported in answers given from, or until, the first midnight UTC after the start.',
    statement: 'G6.3',
  },
  quota_header: {
    values: ['quota', 'cost_usd'],
    default: 'quota',
    meaning:
      'Header of the amount (cost_cny when the export is in CNY); both names are understood in columns.',
    statement: 'G6.3',
  },
  column_order: {
    values: ['asked', 'own'],
    default: 'asked',
    meaning: 'Columns in the order asked for, or in an order of the gateway’s own.',
    statement: 'G6.3',
  },
  extra_columns: {
    values: ['absent', 'present'],
    default: 'absent',
    meaning: 'Columns nobody asked for appear between the others.',
    statement: 'G6.3',
  },
  unknown_columns: {
    values: ['ignored', 'error'],
    default: 'ignored',
    meaning: 'A column name the gateway does not know.',
    statement: 'G6.4',
  },
  detailed_columns: {
    values: ['always', 'on-request'],
    default: 'always',
    meaning: 'Empty columns gives everything, or only the aggregate counts.',
    statement: 'G6.4',
  },
  title_line: titleLine,
  total_line: {
    values: ['absent', 'present'],
    default: 'absent',
    meaning: 'A total line after the rows of the log export.',
    statement: 'G6.13',
  },
  guarded_cells: {
    values: ['none', 'text', 'all'],
    default: 'none',
    meaning: "A leading ' before cells that start like a formula: none, text cells, or negative amounts too.",
    statement: 'G6.13',
  },
  hidden_cap: {
    values: ['none', '777', '5000', '10000', '50000'],
    default: 'none',
    meaning:
      'Rows after which the log export ends without a word; a capped export gives the newest rows first.',
    statement: 'G6.14',
  },
  row_order: {
    values: ['oldest-first', 'newest-first'],
    default: 'oldest-first',
    meaning: 'Order of the rows of the log export.',
    statement: 'G6.14',
  },
  row_id: rowId,
  prompt_tokens: {
    values: ['per-vendor', 'includes-cached', 'excludes-cached'],
    default: 'per-vendor',
    meaning: 'Whether prompt_tokens contain the cached (and cache-write) tokens.',
    statement: 'G6.12',
  },
  completion_tokens: {
    values: ['includes-reasoning', 'excludes-reasoning', 'per-vendor'],
    default: 'includes-reasoning',
    meaning:
      'Whether completion_tokens contain the reasoning tokens; per vendor, google leaves them out. The charge is the same.',
    statement: 'G6.12',
  },
  row_kinds: {
    values: ['all', 'calls'],
    default: 'all',
    meaning: 'Every kind of row is exported, or only consumption, error and refund rows.',
    statement: 'G6.10',
  },
  kind_values: {
    values: ['word', 'number', 'own-word'],
    default: 'word',
    meaning:
      'The type column: a word, or 1 top-up, 2 consumption, 3 management, 4 system, 5 error, 6 refund, or a word of the gateway’s own.',
    statement: 'G6.10',
  },
  kind_column: {
    values: ['present', 'absent', 'dropped'],
    default: 'present',
    meaning:
      'The type column is exported, is not, or is no longer exported for ranges that end later than a day before now.',
    statement: 'G6.10',
  },
  status_column: statusColumn,
  late_rows: {
    values: ['present', 'absent'],
    default: 'present',
    meaning: 'Some rows become visible up to ten minutes after their created_at.',
    statement: 'G16.1',
  },
  log_range_end: {
    values: ['exclusive', 'inclusive'],
    default: 'exclusive',
    meaning: 'Whether end_timestamp belongs to the range of the log export.',
    statement: 'G6.6',
  },
  statistics_range_end: {
    values: ['exclusive', 'inclusive'],
    default: 'exclusive',
    meaning: 'Whether end_timestamp belongs to the range of the statistics.',
    statement: 'G5.6',
  },
  statistics_refunds: {
    values: ['included', 'excluded'],
    default: 'included',
    meaning: 'quota of the statistics: refunds are taken off, or consumption only.',
    statement: 'G5.3',
  },
  statistics_unit: {
    values: ['USD', 'CNY', 'units'],
    default: 'USD',
    meaning: 'Currency or unit of quota and mpm in the statistics.',
    statement: 'G5.3',
  },
  statistics_name_filter: {
    values: ['exact', 'contains'],
    default: 'exact',
    meaning: 'token_name of the statistics: the whole name, or any part of it in any case.',
    statement: 'G5.5',
  },
  throughput: {
    values: ['last-minute', 'range'],
    default: 'last-minute',
    meaning:
      'rpm, tpm and mpm: of the last 60 seconds whatever the range, or the mean a minute of the range.',
    statement: 'G5.4',
  },
  profile_currency: {
    values: ['USD', 'CNY'],
    default: 'USD',
    meaning: 'Currency of balance and used_quota in the profile.',
    statement: 'G4.3',
  },
  usage_unit: {
    values: ['USD', 'CNY', 'units'],
    default: 'USD',
    meaning: 'Currency or unit of spend in the usage export.',
    statement: 'G7.9',
  },
  usage_refunds: {
    values: ['included', 'excluded'],
    default: 'included',
    meaning: 'spend of the usage export: refunds are taken off, or consumption only.',
    statement: 'G7.9',
  },
  usage_written: {
    values: ['at-once', 'every-5-minutes'],
    default: 'at-once',
    meaning: 'The usage buckets hold every visible row, or those of the last full five minutes.',
    statement: 'G7.11',
  },
  usage_range_end: {
    values: ['exclusive', 'inclusive'],
    default: 'exclusive',
    meaning: 'Whether the hour bucket starting at end_timestamp belongs to the usage export.',
    statement: 'G7.10',
  },
  usage_span: {
    values: ['184-days', '30-days'],
    default: '184-days',
    meaning: 'The longest span the usage export answers.',
    statement: 'G7.3',
  },
  usage_layout: {
    values: ['long', 'wide', 'transposed'],
    default: 'long',
    meaning: 'One row a time and entry, one row a time, or one row an entry.',
    statement: 'G7.5',
  },
  usage_header: {
    values: ['generic', 'named'],
    default: 'generic',
    meaning: 'Headers of the usage export: time,dimension,value, or the names of group_by and metric.',
    statement: 'G7.5',
  },
  usage_time: {
    values: ['ms', 's', 'date', 'rfc3339'],
    default: 'ms',
    meaning:
      'Form of a bucket’s time: milliseconds, seconds, local date (with the hour if hourly), RFC 3339.',
    statement: 'G7.5',
  },
  usage_zone: {
    values: zones,
    default: 'UTC',
    meaning: 'Zone in which the days and weeks of the usage export begin.',
    statement: 'G7.6',
  },
  usage_zero: {
    values: ['zero', 'blank'],
    default: 'zero',
    meaning: 'A zero is written as 0, or left blank.',
    statement: 'G7.7',
  },
  usage_buckets: {
    values: ['all', 'missing'],
    default: 'all',
    meaning: 'Buckets and entries without a call appear with zero, or are left out.',
    statement: 'G7.7',
  },
  usage_other: {
    values: ['when-cut', 'always', 'dropped'],
    default: 'when-cut',
    meaning: 'The entry Other: only when top_n cut a tail, always, or never (the tail is lost).',
    statement: 'G7.8',
  },
  model_key_errors: {
    values: ['401', '403'],
    default: '401',
    meaning: 'HTTP status for wrong, expired, exhausted and disabled keys in model calls.',
    statement: 'G9.2',
  },
  ...modelPoints,
  model_errors: modelErrors,
} as const satisfies Record<string, Point>;
