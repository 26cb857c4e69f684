import type {
  Interval,
  LocalDay,
  Money,
  PriceName,
  TagName,
  UnixMillis,
  UnixSeconds,
} from '../../core/index.ts';
import type { AmountForm } from '../logs/log-batch.ts';
import type { TagRule } from './tags.ts';
import type { ResultTable } from './result-table.ts';

/**
 * `month`: from the first of the month in which the period ends; `history`: the eight weeks that end with the period.
 */
export type CubePeriodName = 'current' | 'comparison' | 'month' | 'history';

/** Periods may share days; each has its own rows in the report tables. */
export type CubePeriod = { readonly name: CubePeriodName; readonly days: readonly LocalDay[] };

/** The cost owner of keys whose name or service matches one of the patterns; `*` matches anything. */
export type CubeTeam = { readonly name: string; readonly keys: readonly string[] };

/** Restricts a report to a part of the account; an omitted field is no restriction. */
export type CubeFilter = {
  /** Names of teams; null stands for what no team pays for. */
  readonly teams?: readonly (string | null)[] | undefined;
  /** Name patterns, in which `*` matches anything. */
  readonly models?: readonly string[] | undefined;
  /** Patterns of keys or their services. */
  readonly keys?: readonly string[] | undefined;
  /** Patterns of the values of tags; an untagged key matches none. */
  readonly tags?: Readonly<Partial<Record<TagName, readonly string[] | undefined>>> | undefined;
  /** Exact values of a tag, whatever they contain; null stands for keys without it. */
  readonly tagged?: { readonly tag: TagName; readonly values: readonly (string | null)[] } | undefined;
};

/** Price of a million tokens of each class. */
export type ModelPrice = {
  /** A pattern of model names, in which `*` matches anything; the closest match applies. */
  readonly pattern: string;
  readonly currency: string;
} & { readonly [Name in PriceName]?: Money | undefined };

/** The budget of a calendar month, of a team or, without one, of the whole account. */
export type Budget = { readonly team?: string | undefined; readonly month: Money; readonly currency: string };

/** A line of the journal of a month: a posted amount is on one side. */
export type JournalLine = {
  readonly kind: 'spend' | 'correction' | 'balance';
  /** The account that it is posted to. */
  readonly account: string;
  /** Cost center or team; null for the balance, and for spend without one. */
  readonly name: string | null;
  /** `2026-10` */
  readonly month: string;
  readonly debit: Money | null;
  readonly credit: Money | null;
  /** Before it was rounded; negative where refunds or corrections exceed the spend. */
  readonly exact: Money;
};

/** The journal of a month. A draft is of the call log as it is: the month is not closed. */
export type Journal = { readonly isDraft: boolean; readonly lines: readonly JournalLine[] };

/** The end of the calendar month that a period ends in, forecast from the end of the period. In the currency of the account. */
export type MonthForecast = {
  readonly amount: Money;
  readonly low: Money;
  readonly high: Money;
  readonly method: string;
  /** How far the latest forecasts at the same point of a month were off, by what the month came to: 0.031 is 3.1 %. */
  readonly accuracy?: { readonly mean: Money; readonly most: Money; readonly months: number } | undefined;
};

/** An account of the configuration in the period of a report. Amounts are in its currency; unknown ones are undefined. */
export type AccountSpend = {
  readonly account: string;
  readonly currency: string;
  readonly spend: Money | undefined;
  readonly spendBefore: Money | undefined;
  /** Of its newest comparison that overlaps the period. */
  readonly verdict: string | undefined;
  /** The watermark of its call log. */
  readonly through: UnixSeconds | undefined;
  /** The value of one unit of its currency in that of the report. */
  readonly rate: Money | undefined;
  readonly rateFrom: 'own' | 'declared' | 'gateway' | undefined;
  /** In the currency of the report. */
  readonly converted: Money | undefined;
  readonly convertedBefore: Money | undefined;
};

/** Facts about the run that a report's SQL can read. */
export type CubeRun = {
  /** The moment that the run is for. */
  readonly now: UnixMillis;
  /** The days whose average the comparison is; default 1: no average. */
  readonly comparisonDays?: number | undefined;
  /** The range that the call log covers; omitted before the first pull. */
  readonly covered?: Interval<UnixSeconds> | undefined;
};

export type CubeRequest = {
  readonly account: string;
  /** Whether a person or an assistant asks: at most two at once, with what reports leave of processor and memory. */
  readonly yields?: boolean;
  /**
   * The currency that the account's exports are requested in. Stored amounts requested in another currency are a fault.
   */
  readonly currency?: string;
  /** The zone of the days; default UTC. */
  readonly zone?: string;
  readonly periods: readonly CubePeriod[];
  /** Announces queries so that they share scans of the call log; other queries can run too. */
  readonly queries?: readonly string[];
  /** The first team that matches a key pays for it. */
  readonly teams?: readonly CubeTeam[] | undefined;
  /** The tags of keys. */
  readonly tags?: readonly TagRule[] | undefined;
  readonly only?: CubeFilter;
  readonly prices?: readonly ModelPrice[];
  readonly budgets?: readonly Budget[];
  readonly journal?: Journal | undefined;
  readonly forecast?: MonthForecast | undefined;
  readonly accounts?: readonly AccountSpend[] | undefined;
  readonly run?: CubeRun;
  /** Timeout of one query in milliseconds; default 60,000. */
  readonly timeLimit?: number;
  /** Maximum rows of one result; default 100,000. More rows are a fault: no result is ever truncated. */
  readonly rowLimit?: number;
  readonly signal?: AbortSignal | undefined;
};

/** What the figures are based on. */
export type CubeFacts = {
  /** How amounts are stored; undefined until data proves it. */
  readonly amounts: AmountForm | undefined;
  /** The currency of the amounts, whatever was requested; undefined before the first landing. */
  readonly currency: string | undefined;
  /** Whether the form of amounts is proven, or there is no charge. Otherwise spend and amounts are unknown (NULL). */
  readonly isProven: boolean;
};

/** Exactly one SELECT over `cube`, `days` and the views of a report. @throws fault report-query-failed. */
export type CubeQuery = (sql: string) => Promise<ResultTable>;
