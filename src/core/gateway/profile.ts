import type { CallLogRole } from './call-log-columns.ts';
import type { TimeFormName } from './time-forms.ts';

/** Known kinds of rows; the first two are spend. */
export const rowKinds = ['consumption', 'refund', 'top-up', 'management', 'system', 'error'] as const;

/** The stated format of a log export; data does not override it. */
export type LogExportFormat = {
  /** Header names, by role. */
  readonly columns?: Readonly<{ [Role in CallLogRole]?: string | undefined }> | undefined;
  /** Kinds of rows, by the gateway's own labels. */
  readonly kinds?: Readonly<Record<string, (typeof rowKinds)[number]>> | undefined;
  /** Lines before the header. */
  readonly titleLines?: number | undefined;
  /** Whether a line after the rows contains their sum. */
  readonly totalLine?: boolean | undefined;
  /** Whether cells may begin with a `'` that is not part of the value. */
  readonly guards?: boolean | undefined;
};

/**
 * What the contract leaves open and this gateway was observed, or configured, to do (docs/gateway.md, under “Open”).
 * `auto` derives it from the data each time; a setting in YAML overrides what is learned.
 */
export type GatewayProfile = {
  /** The format of `created_at` in the log export. */
  readonly timestamps: 'auto' | TimeFormName;
  /** IANA zone of naive log timestamps. */
  readonly naiveZone: string;
  /** Whether amounts are currency or integer units. */
  readonly amounts: 'auto' | 'currency' | 'units';
  /** Decimals to which amounts in a currency are rounded as they land; omitted where more decimals are an error. */
  readonly roundAmounts?: number | undefined;
  /** How many integer units make 1 of the currency: of the account's if stated, else of the US dollar. */
  readonly unitsPerCurrency: number;
  /** `units_per_currency` is set in YAML. */
  readonly unitsStated?: boolean | undefined;
  /** IANA zone in which the usage export cuts days and writes times without a zone. */
  readonly usageZone: string;
  /** Stated in the YAML for the log export; omitted settings are derived from the data. */
  readonly logExport?: LogExportFormat | undefined;
};

export const unknownGateway: GatewayProfile = {
  timestamps: 'auto',
  naiveZone: 'UTC',
  amounts: 'auto',
  unitsPerCurrency: 500_000,
  usageZone: 'UTC',
};
