/**
 * Every point the gateway's document leaves open, as a switch. The values are the behaviours seen in gateways of
 * the same family (gateway-field-notes.md; `note` names its section).
 */

export type Point = {
  readonly values: readonly [string, ...string[]];
  readonly default: string;
  readonly meaning: string;
  readonly note: string;
};

const zones = ['UTC', 'Asia/Shanghai', 'Europe/Berlin', 'America/New_York'] as const;

export const variantTable = {
  page_size_default: {
    values: ['10', '20'],
    default: '10',
    meaning: 'Keys on a page when page_size is left out.',
    note: 'Keys: page size',
  },
  page_size_cap: {
    values: ['100', 'none'],
    default: '100',
    meaning: 'A page_size over 100 is silently capped, or taken as it is.',
    note: 'Keys: page size',
  },
  page_size_echo: {
    values: ['effective', 'asked'],
    default: 'effective',
    meaning: 'The page_size in the answer: the one applied, or the one asked for.',
    note: 'Keys: page size',
  },
  page_order: {
    values: ['newest-first', 'oldest-first'],
    default: 'newest-first',
    meaning: 'Order of the key list; pages are cut by offset either way.',
    note: 'Keys: page order',
  },
  page_total: {
    values: ['exact', 'zero'],
    default: 'exact',
    meaning: 'total of the key list: the count, or always 0.',
    note: 'Keys: page order',
  },
  update: {
    values: ['replace', 'keep'],
    default: 'replace',
    meaning:
      'PUT with fields left out: they become empty (expired, exhausted, default group), or keep their values.',
    note: 'Keys: PUT with fields left out',
  },
  update_quota: {
    values: ['overwrite', 'keep-spend'],
    default: 'overwrite',
    meaning:
      'PUT of remain_quota overwrites what was spent since the last read, or takes that spend off again.',
    note: 'Keys: PUT of remain_quota',
  },
  quota_request_unit: {
    values: ['currency', 'units'],
    default: 'currency',
    meaning:
      'remain_quota in requests: US dollars, or integer units with 500,000 = 1 USD. Answers show dollars.',
    note: 'Keys: unit of remain_quota in requests',
  },
  key_status: {
    values: ['written', 'late', 'never'],
    default: 'written',
    meaning: 'Status 3 (expired) and 4 (exhausted) shown at once, 600 s late, or never.',
    note: 'Keys: status',
  },
  name_limit: {
    values: ['characters', 'bytes'],
    default: 'characters',
    meaning: 'A key name holds 50 characters, or 50 bytes of UTF-8.',
    note: 'Keys: names',
  },
  past_expiry: {
    values: ['accepted', 'refused'],
    default: 'accepted',
    meaning: 'An expired_time in the past on creation.',
    note: 'Keys: create',
  },
  zero_expiry: {
    values: ['kept', 'never'],
    default: 'kept',
    meaning: 'expired_time 0 on creation stays 0 (expired), or turns into -1 (never expires).',
    note: 'Keys: create',
  },
  key_cap: {
    values: ['1000', 'none'],
    default: '1000',
    meaning: 'Keys an account may have.',
    note: 'Keys: create',
  },
  key_prefix: {
    values: ['sk-', 'none', 'none-required'],
    default: 'sk-',
    meaning:
      'The plaintext comes with its sk- prefix, or without; calls work with both forms, or (none-required) with the prefix alone.',
    note: 'Keys: create',
  },
  gateway_clock: {
    values: ['right', 'behind', 'ahead'],
    default: 'right',
    meaning:
      'The clock that stamps rows, keys and the Date header: right, or an hour behind or ahead of the caller.',
    note: 'When money arrives late',
  },
  missing_id: {
    values: ['404', 'database-text'],
    default: '404',
    meaning: 'A key id that does not exist: HTTP 404, or HTTP 200 with success false and raw database text.',
    note: 'Keys: DELETE or GET of a missing id',
  },
  key_cache: {
    values: ['0', '60', '600'],
    default: '0',
    meaning: 'Seconds a deleted, expired or disabled key still works in model calls.',
    note: 'Keys: effect of DELETE or expiry',
  },
  business_errors: {
    values: ['http-200', 'http-400'],
    default: 'http-200',
    meaning: 'HTTP status of a refused admin request; the envelope says success false either way.',
    note: 'Errors: business errors',
  },
  message_language: {
    values: ['en', 'zh'],
    default: 'en',
    meaning: 'Language of the messages of admin errors.',
    note: 'Errors: business errors',
  },
  authentication_errors: {
    values: ['401', '403', 'http-200'],
    default: '401',
    meaning:
      'A bad Admin Key: 401 (and 403 for a missing scope), always 403, or HTTP 200 with success false.',
    note: 'Errors: authentication',
  },
  authentication_code: {
    values: ['absent', 'present'],
    default: 'absent',
    meaning: 'Authentication errors carry a code beside the message.',
    note: 'Errors: authentication',
  },
  rate_limit: {
    values: ['off', 'on'],
    default: 'off',
    meaning: '180 requests in 180 s, key writes 20 in 20 min; then 429, empty body, no Retry-After.',
    note: 'Errors: rate limits',
  },
  compression: {
    values: ['gzip', 'none'],
    default: 'gzip',
    meaning: 'Exports are compressed when the client accepts gzip.',
    note: 'Log export',
  },
  created_at: {
    values: ['seconds', 'milliseconds', 'rfc3339', 'naive'],
    default: 'seconds',
    meaning: 'Form of created_at; rfc3339 and naive are written in log_zone.',
    note: 'Log export: created_at',
  },
  log_zone: {
    values: zones,
    default: 'UTC',
    meaning: 'Zone of rfc3339 and naive times in the log export.',
    note: 'Log export: created_at',
  },
  log_quota: {
    values: ['currency', 'units'],
    default: 'currency',
    meaning: 'Amounts of the log export: currency with up to 8 decimals, or integer units of 1/500,000 USD.',
    note: 'Log export: quota',
  },
  amounts_change: {
    values: ['none', 'log', 'statistics', 'usage', 'log-and-statistics', 'all'],
    default: 'none',
    meaning:
      'From the first midnight UTC after the start on, these endpoints give integer units where they gave a currency, and US dollars where they gave units.',
    note: 'Log export: quota',
  },
  amounts_change_by: {
    values: ['answer', 'row'],
    default: 'answer',
    meaning:
      'An amounts_change of the log export holds for every row of an answer given after the moment, or for rows of calls made after it.',
    note: 'Log export: quota',
  },
  log_currency: {
    values: ['USD', 'CNY'],
    default: 'USD',
    meaning: 'Currency of the log export when the parameter is left out.',
    note: 'Log export: quota',
  },
  refund_rows: {
    values: ['negative', 'absent'],
    default: 'negative',
    meaning: 'Refunds are booked as rows with a negative amount, or the account has none.',
    note: 'Log export: quota',
  },
  cached_header: {
    values: ['cached_tokens', 'cache_tokens'],
    default: 'cached_tokens',
    meaning: 'Header of the cached tokens; both names are understood in columns.',
    note: 'Log export: header names',
  },
  quota_header: {
    values: ['quota', 'cost_usd'],
    default: 'quota',
    meaning:
      'Header of the amount (cost_cny when the export is in CNY); both names are understood in columns.',
    note: 'Log export: header names',
  },
  column_order: {
    values: ['asked', 'own'],
    default: 'asked',
    meaning: 'Columns in the order asked for, or in an order of the gateway’s own.',
    note: 'Log export: header names',
  },
  extra_columns: {
    values: ['absent', 'present'],
    default: 'absent',
    meaning: 'Columns nobody asked for appear between the others.',
    note: 'Log export: header names',
  },
  unknown_columns: {
    values: ['ignored', 'error'],
    default: 'ignored',
    meaning: 'A column name the gateway does not know.',
    note: 'Log export: header names',
  },
  detailed_columns: {
    values: ['always', 'on-request'],
    default: 'always',
    meaning: 'Empty columns gives everything, or only the aggregate counts.',
    note: 'Log export: header names',
  },
  title_line: {
    values: ['absent', 'present'],
    default: 'absent',
    meaning: 'A title line before the header of the log export.',
    note: 'Log export: title line',
  },
  total_line: {
    values: ['absent', 'present'],
    default: 'absent',
    meaning: 'A total line after the rows of the log export.',
    note: 'Log export: total line',
  },
  guarded_cells: {
    values: ['none', 'text', 'all'],
    default: 'none',
    meaning: "A leading ' before cells that start like a formula: none, text cells, or negative amounts too.",
    note: 'Log export: guarded cells',
  },
  hidden_cap: {
    values: ['none', '777', '5000', '10000', '50000'],
    default: 'none',
    meaning:
      'Rows after which the log export ends without a word; a capped export gives the newest rows first.',
    note: 'Log export: hidden caps',
  },
  row_order: {
    values: ['oldest-first', 'newest-first'],
    default: 'oldest-first',
    meaning: 'Order of the rows of the log export.',
    note: 'Log export: hidden caps',
  },
  row_id: {
    values: ['absent', 'page-number', 'modulo-1024'],
    default: 'absent',
    meaning: 'An id column that is the number of a page of 100 rows, or a running number modulo 1024.',
    note: 'Log export: a row’s id',
  },
  prompt_tokens: {
    values: ['per-vendor', 'includes-cached', 'excludes-cached'],
    default: 'per-vendor',
    meaning: 'Whether prompt_tokens contain the cached (and cache-write) tokens.',
    note: 'Log export: prompt tokens',
  },
  completion_tokens: {
    values: ['includes-reasoning', 'excludes-reasoning', 'per-vendor'],
    default: 'includes-reasoning',
    meaning:
      'Whether completion_tokens contain the reasoning tokens; per vendor, google leaves them out. The charge is the same.',
    note: 'Log export: prompt tokens',
  },
  row_kinds: {
    values: ['all', 'calls'],
    default: 'all',
    meaning: 'Every kind of row is exported, or only consumption, error and refund rows.',
    note: 'Log export: row kinds',
  },
  kind_values: {
    values: ['word', 'number', 'own-word'],
    default: 'word',
    meaning:
      'The type column: a word, or 1 top-up, 2 consumption, 3 management, 4 system, 5 error, 6 refund, or a word of the gateway’s own.',
    note: 'Log export: row kinds',
  },
  kind_column: {
    values: ['present', 'absent', 'dropped'],
    default: 'present',
    meaning:
      'The type column is exported, is not, or is no longer exported for ranges that end later than a day before now.',
    note: 'Log export: row kinds',
  },
  status_column: {
    values: ['word', 'own-word', 'number', 'absent'],
    default: 'word',
    meaning:
      'The status column: success or error, two words of the gateway’s own, the numbers of row kinds, or not exported.',
    note: 'Log export: row kinds',
  },
  late_rows: {
    values: ['present', 'absent'],
    default: 'present',
    meaning: 'Some rows become visible up to ten minutes after their created_at.',
    note: 'When money arrives late',
  },
  log_range_end: {
    values: ['exclusive', 'inclusive'],
    default: 'exclusive',
    meaning: 'Whether end_timestamp belongs to the range of the log export.',
    note: 'Log export: both ends of the time range',
  },
  statistics_range_end: {
    values: ['exclusive', 'inclusive'],
    default: 'exclusive',
    meaning: 'Whether end_timestamp belongs to the range of the statistics.',
    note: 'Log export: both ends of the time range',
  },
  statistics_refunds: {
    values: ['included', 'excluded'],
    default: 'included',
    meaning: 'quota of the statistics: refunds are taken off, or consumption only.',
    note: 'Statistics',
  },
  statistics_unit: {
    values: ['USD', 'CNY', 'units'],
    default: 'USD',
    meaning: 'Currency or unit of quota and mpm in the statistics.',
    note: 'Statistics',
  },
  statistics_name_filter: {
    values: ['exact', 'contains'],
    default: 'exact',
    meaning: 'token_name of the statistics: the whole name, or any part of it in any case.',
    note: 'Statistics: the key-name filter',
  },
  throughput: {
    values: ['last-minute', 'range'],
    default: 'last-minute',
    meaning:
      'rpm, tpm and mpm: of the last 60 seconds whatever the range, or the mean a minute of the range.',
    note: 'Statistics',
  },
  profile_currency: {
    values: ['USD', 'CNY'],
    default: 'USD',
    meaning: 'Currency of balance and used_quota in the profile.',
    note: 'Statistics',
  },
  usage_unit: {
    values: ['USD', 'CNY', 'units'],
    default: 'USD',
    meaning: 'Currency or unit of spend in the usage export.',
    note: 'Usage export',
  },
  usage_refunds: {
    values: ['included', 'excluded'],
    default: 'included',
    meaning: 'spend of the usage export: refunds are taken off, or consumption only.',
    note: 'Usage export',
  },
  usage_written: {
    values: ['at-once', 'every-5-minutes'],
    default: 'at-once',
    meaning: 'The usage buckets hold every visible row, or those of the last full five minutes.',
    note: 'Usage export',
  },
  usage_range_end: {
    values: ['exclusive', 'inclusive'],
    default: 'exclusive',
    meaning: 'Whether the hour bucket starting at end_timestamp belongs to the usage export.',
    note: 'Log export: both ends of the time range',
  },
  usage_span: {
    values: ['184-days', '30-days'],
    default: '184-days',
    meaning: 'The longest span the usage export answers.',
    note: 'Usage export: some refuse spans over 30 days',
  },
  usage_layout: {
    values: ['long', 'wide', 'transposed'],
    default: 'long',
    meaning: 'One row a time and entry, one row a time, or one row an entry.',
    note: 'Usage export: layouts',
  },
  usage_header: {
    values: ['generic', 'named'],
    default: 'generic',
    meaning: 'Headers of the usage export: time,dimension,value, or the names of group_by and metric.',
    note: 'Usage export: layouts',
  },
  usage_time: {
    values: ['ms', 's', 'date', 'rfc3339'],
    default: 'ms',
    meaning:
      'Form of a bucket’s time: milliseconds, seconds, local date (with the hour if hourly), RFC 3339.',
    note: 'Usage export: layouts',
  },
  usage_zone: {
    values: zones,
    default: 'UTC',
    meaning: 'Zone in which the days and weeks of the usage export begin.',
    note: 'Usage export: the zone of a day',
  },
  usage_zero: {
    values: ['zero', 'blank'],
    default: 'zero',
    meaning: 'A zero is written as 0, or left blank.',
    note: 'Usage export: blank means 0',
  },
  usage_buckets: {
    values: ['all', 'missing'],
    default: 'all',
    meaning: 'Buckets and entries without a call appear with zero, or are left out.',
    note: 'Usage export: buckets may be missing',
  },
  usage_other: {
    values: ['when-cut', 'always', 'dropped'],
    default: 'when-cut',
    meaning: 'The entry Other: only when top_n cut a tail, always, or never (the tail is lost).',
    note: 'Usage export: top_n',
  },
  model_key_errors: {
    values: ['401', '403'],
    default: '401',
    meaning: 'HTTP status for wrong, expired, exhausted and disabled keys in model calls.',
    note: 'Calls with a new key',
  },
} as const satisfies Record<string, Point>;
