/** What columns of the log export are taken for. */
type LogColumnRole =
  | 'created_at'
  | 'model_name'
  | 'token_name'
  | 'kind'
  | 'prompt_tokens'
  | 'completion_tokens'
  | 'cached_tokens'
  | 'cache_write_tokens'
  | 'reasoning_tokens'
  | 'audio_tokens'
  | 'audio_input_tokens'
  | 'audio_output_tokens'
  | 'image_tokens'
  | 'quota';

/** Kinds of rows that are known; the first two are spend. */
export const rowKinds = ['consumption', 'refund', 'top-up', 'management', 'system', 'error'] as const;

/** What is known, and not asked of the data, of how a log export is written. */
export type LogExportFormat = {
  /** Header names, by what they are taken for. */
  readonly columns?: Readonly<{ [Role in LogColumnRole]?: string | undefined }> | undefined;
  /** What rows are, by the gateway's own words for their kinds. */
  readonly kinds?: Readonly<Record<string, (typeof rowKinds)[number]>> | undefined;
  /** Lines before the header. */
  readonly titleLines?: number | undefined;
  /** Whether a line after the rows adds them up. */
  readonly totalLine?: boolean | undefined;
  /** Whether cells may begin with a `'` that is no part of them. */
  readonly guards?: boolean | undefined;
};

/**
 * What the contract leaves open and this gateway was found, or said, to do (docs/gateway.md, under “Open”).
 * `auto` asks the data each time; a setting in YAML overrides what is learned.
 */
export type GatewayProfile = {
  /** How `created_at` of the log export is written. */
  readonly timestamps: 'auto' | 'seconds' | 'milliseconds' | 'rfc3339' | 'naive';
  /** IANA zone of naive log timestamps. */
  readonly naiveZone: string;
  /** Whether amounts come as currency or as integer units. */
  readonly amounts: 'auto' | 'currency' | 'units';
  /** How many integer units make 1 of the currency: of the account's where it is stated, else of the US dollar. */
  readonly unitsPerCurrency: number;
  /** `units_per_currency` is set in YAML. */
  readonly unitsStated?: boolean | undefined;
  /** IANA zone in which the usage export cuts its days and writes times without a zone. */
  readonly usageZone: string;
  /** Said in the YAML of the log export; what is left out is asked of the data. */
  readonly logExport?: LogExportFormat | undefined;
};

export const unknownGateway: GatewayProfile = {
  timestamps: 'auto',
  naiveZone: 'UTC',
  amounts: 'auto',
  unitsPerCurrency: 500_000,
  usageZone: 'UTC',
};
