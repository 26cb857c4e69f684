import type { Interval, Money, UnixMillis, UnixSeconds } from '../../core/index.ts';

/** What the log is compared with, as it is stored and shown. */
export type ComparisonSource = 'statistics' | 'usage by model' | 'usage by key' | 'used_quota' | 'balance';

/** The log's sum over a span held against another source's figure. */
export type Comparison = {
  readonly source: ComparisonSource;
  /** A model or a key; missing for the total of the source. */
  readonly entry?: string | undefined;
  /** What was compared, which may be less than what was asked for. */
  readonly range: Interval<UnixSeconds>;
  /** In `unit`. */
  readonly ours: Money;
  readonly theirs: Money;
  /** Theirs less ours. */
  readonly gap: Money;
  /** USD, CNY or units. */
  readonly unit: string;
  readonly verdict: string;
  /** One sentence. */
  readonly text: string;
};

export type StoredComparison = Comparison & { readonly comparedAt: UnixMillis };

/** Open until later time agrees with the source (`passed`), or the very span does (`healed`). */
export type GapState = 'open' | 'passed' | 'healed';

/** A gap that a pull found and people are told of, once. */
export type KnownGap = Pick<Comparison, 'source' | 'range' | 'gap' | 'unit' | 'verdict' | 'text'> & {
  readonly state: GapState;
  readonly notedAt: UnixMillis;
};

/** What a source was found to count in. */
export type SourceUnit = {
  readonly source: ComparisonSource;
  readonly unit: string;
  /** What 1 of the account's currency is there; 1 where it is that currency itself. */
  readonly perCurrency: Money;
  /** Whether refunds are taken off there; `unknown` while there was none. */
  readonly refunds: 'taken off' | 'not taken off' | 'unknown';
  /** The most decimals seen, and in how many figures that were not zero. */
  readonly places: number;
  readonly figures: number;
  /** JSON object of the figures that showed it. */
  readonly evidence: string;
  readonly learnedAt: UnixMillis;
};

/** Charge of the log over a span, in the account's currency. */
export type LogTotals = {
  readonly consumption: Money;
  /** What was given back, as a positive amount. */
  readonly refunds: Money;
  /** Consumption less refunds. */
  readonly net: Money;
  /** What was paid in, as far as the log tells. */
  readonly topUps: Money;
  /** Calls and refunds. */
  readonly rows: number;
};

/** The same of one model or key in one bucket, whose number counts from 0 in the order given. */
export type EntryTotals = LogTotals & { readonly bucket: number; readonly entry: string };

/** A landing that holds something of a span. */
export type LandingMoment = { readonly window: Interval<UnixSeconds>; readonly landedAt: UnixMillis };

export type ComparisonQuery = {
  /** Those whose span overlaps it. */
  readonly range?: Interval<UnixSeconds>;
  readonly source?: ComparisonSource;
};

/** A search for missing rows that went through a span to its end. */
export type GapSearchRecord = { readonly range: Interval<UnixSeconds>; readonly searchedAt: UnixMillis };

export type ComparisonTable = {
  /** All or none. */
  readonly put: (account: string, comparisons: readonly StoredComparison[]) => Promise<void>;
  /** By the moment they were made, then source; totals before entries. */
  readonly list: (account: string, query?: ComparisonQuery) => Promise<readonly StoredComparison[]>;
  /** The newest comparison of the total of each source. */
  readonly newest: (account: string) => Promise<readonly StoredComparison[]>;
  /** Totals since the first one that was truncated or unexplained, by the moment they were made. */
  readonly disputed: (account: string) => Promise<readonly StoredComparison[]>;
  /** Searches for missing rows, the oldest first. */
  readonly searches: (account: string) => Promise<readonly GapSearchRecord[]>;
  readonly noteSearch: (account: string, search: GapSearchRecord) => Promise<void>;
  /** Gaps that were noted, the oldest first. */
  readonly gaps: (account: string) => Promise<readonly KnownGap[]>;
  /** Adds gaps, or changes the state of those that are there. */
  readonly noteGaps: (account: string, gaps: readonly KnownGap[]) => Promise<void>;
  readonly learn: (account: string, unit: SourceUnit) => Promise<void>;
  readonly learned: (account: string, source: ComparisonSource) => Promise<SourceUnit | undefined>;
  /** What the log holds of the span, archived calls included. */
  readonly totals: (account: string, range: Interval<UnixSeconds>) => Promise<LogTotals>;
  /** The same by model or key, of buckets that follow one another: each begins at a full quarter of an hour. */
  readonly entries: (
    account: string,
    by: 'model' | 'key',
    buckets: readonly Interval<UnixSeconds>[],
  ) => Promise<readonly EntryTotals[]>;
  /** Landings that hold something of the span, the oldest first; those since a moment when one is given. */
  readonly landings: (
    account: string,
    range: Interval<UnixSeconds>,
    since?: UnixMillis,
  ) => Promise<readonly LandingMoment[]>;
  /** The same of a usage series; its windows in seconds. */
  readonly usageLandings: (
    account: string,
    series: { readonly dimension: string; readonly granularity: string },
    range: Interval<UnixSeconds>,
  ) => Promise<readonly LandingMoment[]>;
};
