import type { Interval, Money, UnixMillis } from '../../core/index.ts';

/**
 * A series of the usage export; values are stored in the unit of its first ones. The gateway does not name their
 * currency and unit.
 */
export type UsageSeries = {
  readonly account: string;
  /** `group_by`: model, token… */
  readonly dimension: string;
  readonly metric: string;
  readonly granularity: 'hour' | 'day' | 'week';
};

/** One bucket of one entry; two entries may share a name. */
export type UsageValue = { readonly bucket: UnixMillis; readonly entry: string; readonly value: Money };

export type UsageBatch = UsageSeries & {
  /** The buckets it replaces: those that start in it. */
  readonly window: Interval<UnixMillis>;
  readonly values: readonly UsageValue[];
  /** long, wide or transposed. */
  readonly layout: string;
  readonly bytes: number;
  /** How many integer units make 1 of a currency: figures in the other unit are converted. */
  readonly unitsPerCurrency: number;
  /** Allows the window to begin the covered range. */
  readonly opensRange: boolean;
};

export type LandedUsage = { readonly rows: number; readonly replaced: number; readonly total: Money };
