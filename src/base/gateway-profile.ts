/**
 * What a gateway's document leaves open and this gateway was found, or said, to do (gateway-api.md says "not shown").
 * `auto` asks the data each time; a setting in YAML overrides what is learned.
 */
export type GatewayProfile = {
  /** How `created_at` of the log export is written. */
  readonly timestamps: 'auto' | 'seconds' | 'milliseconds' | 'rfc3339' | 'naive';
  /** IANA zone of naive log timestamps. */
  readonly naiveZone: string;
  /** Whether amounts come as currency or as integer units. */
  readonly amounts: 'auto' | 'currency' | 'units';
  /** How many integer units make 1 of the currency. */
  readonly unitsPerCurrency: number;
  /** IANA zone in which the usage export cuts its days and writes times without a zone. */
  readonly usageZone: string;
};

export const unknownGateway: GatewayProfile = {
  timestamps: 'auto',
  naiveZone: 'UTC',
  amounts: 'auto',
  unitsPerCurrency: 500_000,
  usageZone: 'UTC',
};
