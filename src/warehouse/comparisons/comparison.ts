import type { Interval, Money, UnixMillis, UnixSeconds } from '../../core/index.ts';

/** The sources that the log is compared with, as stored and shown. */
export type ComparisonSource = 'statistics' | 'usage by model' | 'usage by key' | 'used_quota' | 'balance';

/** The figure of a source minus the log's; unknown while nothing shows whether the source subtracts refunds. */
export type ComparisonGap = Money | 'unknown';

/** The log's sum over a range, compared with another source's figure. */
export type Comparison = {
  readonly source: ComparisonSource;
  /** A model or a key; omitted for the total of the source. */
  readonly entry?: string | undefined;
  /** The compared range, which may be shorter than the requested one. */
  readonly range: Interval<UnixSeconds>;
  /** In `unit`. */
  readonly ours: Money;
  readonly theirs: Money;
  /** In `unit`. */
  readonly gap: ComparisonGap;
  /** USD, CNY or units. */
  readonly unit: string;
  readonly verdict: string;
  /** One sentence. */
  readonly text: string;
};

export type StoredComparison = Comparison & { readonly comparedAt: UnixMillis };

/** Open until a later range agrees with the source (`passed`), or the same range does (`healed`). */
export type GapState = 'open' | 'passed' | 'healed';

/** A gap that a pull found. Operators are notified of it once. */
export type KnownGap = Pick<Comparison, 'source' | 'range' | 'gap' | 'unit' | 'verdict' | 'text'> & {
  readonly state: GapState;
  readonly notedAt: UnixMillis;
};

/** The unit that a source was found to count in. */
export type SourceUnit = {
  readonly source: ComparisonSource;
  readonly unit: string;
  /** How many of its units are 1 of the account's currency; 1 where the source uses that currency. */
  readonly perCurrency: Money;
  /** Whether the source subtracts refunds; `unknown` while there was none. */
  readonly refunds: 'taken off' | 'not taken off' | 'unknown';
  /** The most decimals seen, and the number of non-zero figures that had them. */
  readonly places: number;
  readonly figures: number;
  /** JSON object of the figures that prove it. */
  readonly evidence: string;
  readonly learnedAt: UnixMillis;
};

/** Charges of the log over a range, in the account's currency. */
export type LogTotals = {
  readonly consumption: Money;
  /** Refunded amounts, as a positive sum. */
  readonly refunds: Money;
  /** Consumption minus refunds. */
  readonly net: Money;
  /** Top-ups, as far as the log contains them. */
  readonly topUps: Money;
  /** Calls and refunds. */
  readonly rows: number;
};

/** The same for one model or key in one bucket; buckets are numbered from 0 in the given order. */
export type EntryTotals = LogTotals & { readonly bucket: number; readonly entry: string };

/** A landing that overlaps a range. */
export type LandingMoment = { readonly window: Interval<UnixSeconds>; readonly landedAt: UnixMillis };

export type ComparisonQuery = {
  /** Only comparisons whose range overlaps it. */
  readonly range?: Interval<UnixSeconds>;
  readonly source?: ComparisonSource;
};

/** A search for missing rows that examined a range to its end. */
export type GapSearchRecord = { readonly range: Interval<UnixSeconds>; readonly searchedAt: UnixMillis };

/** The last comparison of a month, or the closed days of it, with the gateway's sum. */
export type LogCheck = {
  readonly range: Interval<UnixSeconds>;
  /** In the gateway's unit. */
  readonly gatewaySum: Money;
  readonly checkedAt: UnixMillis;
};

/** After this many tries without a change, operators are notified and the window rests. */
export const maxLateTries = 5;

/** A window of the log whose sum lags behind the gateway's. */
export type LaggingWindow = {
  readonly range: Interval<UnixSeconds>;
  /** In the gateway's unit. */
  readonly gatewaySum: Money;
  /** How often it was pulled again while the gateway's sum was this one. */
  readonly tries: number;
  readonly triedAt?: UnixMillis | undefined;
  readonly notifiedAt?: UnixMillis | undefined;
};

export type ComparisonTable = {
  /** Stores all or none. */
  readonly put: (account: string, comparisons: readonly StoredComparison[]) => Promise<void>;
  /** By the moment they were made, then source; totals before entries. */
  readonly list: (account: string, query?: ComparisonQuery) => Promise<readonly StoredComparison[]>;
  /** The newest comparison of the total of each source. */
  readonly newest: (account: string) => Promise<readonly StoredComparison[]>;
  /** Totals since the first truncated or unexplained one, by the moment they were made. */
  readonly disputed: (account: string) => Promise<readonly StoredComparison[]>;
  /** Searches for missing rows, oldest first. */
  readonly searches: (account: string) => Promise<readonly GapSearchRecord[]>;
  readonly noteSearch: (account: string, search: GapSearchRecord) => Promise<void>;
  /** Comparisons of months with the gateway's sum, oldest month first. */
  readonly checks: (account: string) => Promise<readonly LogCheck[]>;
  /** Replaces the checks of ranges that overlap its own. */
  readonly noteCheck: (account: string, check: LogCheck) => Promise<void>;
  /** Windows that lag behind the gateway, oldest window first. */
  readonly lagging: (account: string) => Promise<readonly LaggingWindow[]>;
  /** Replaces the lagging windows that overlap the range. */
  readonly noteLagging: (
    account: string,
    range: Interval<UnixSeconds>,
    windows: readonly LaggingWindow[],
  ) => Promise<void>;
  /** Recorded gaps, oldest first. */
  readonly gaps: (account: string) => Promise<readonly KnownGap[]>;
  /** Adds gaps, or changes the state of existing ones. */
  readonly noteGaps: (account: string, gaps: readonly KnownGap[]) => Promise<void>;
  readonly learn: (account: string, unit: SourceUnit) => Promise<void>;
  /** The learned units of all sources. */
  readonly units: (account: string) => Promise<readonly SourceUnit[]>;
  /** Sums of the log over the range, including archived calls. */
  readonly totals: (account: string, range: Interval<UnixSeconds>) => Promise<LogTotals>;
  /** The same by model or key, for consecutive buckets that each begin at a full quarter hour. */
  readonly entries: (
    account: string,
    by: 'model' | 'key',
    buckets: readonly Interval<UnixSeconds>[],
  ) => Promise<readonly EntryTotals[]>;
  /** Landings that overlap the range, oldest first; with a moment, only those since then. */
  readonly landings: (
    account: string,
    range: Interval<UnixSeconds>,
    since?: UnixMillis,
  ) => Promise<readonly LandingMoment[]>;
  /** The same for a usage series; its windows in seconds. */
  readonly usageLandings: (
    account: string,
    series: { readonly dimension: string; readonly granularity: string },
    range: Interval<UnixSeconds>,
  ) => Promise<readonly LandingMoment[]>;
};
