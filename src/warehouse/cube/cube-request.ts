import type { Interval, LocalDay, Money, UnixMillis, UnixSeconds } from '../../core/index.ts';
import type { AmountForm } from '../logs/log-batch.ts';
import type { ResultTable } from './result-table.ts';

/** `month`: from the first of the month that the period ends in; `history`: eight weeks that end with it. */
export type CubePeriodName = 'current' | 'comparison' | 'month' | 'history';

/** Periods may share days; each has its own rows in the tables of a report. */
export type CubePeriod = { readonly name: CubePeriodName; readonly days: readonly LocalDay[] };

/** Who pays for keys whose names, or those of their services, match one of the patterns, in which `*` stands for anything. */
export type CubeTeam = { readonly name: string; readonly keys: readonly string[] };

/** What is left of the account; what is left out of it restricts nothing. */
export type CubeFilter = {
  /** Names of teams, null being what no team pays for. */
  readonly teams?: readonly (string | null)[] | undefined;
  /** Patterns of names, in which `*` stands for anything. */
  readonly models?: readonly string[] | undefined;
  /** Of keys or their services. */
  readonly keys?: readonly string[] | undefined;
};

/** Money for a million tokens of each class. */
export type ModelPrice = {
  /** Names of models, in which `*` stands for anything; of several that match the closest applies. */
  readonly pattern: string;
  readonly currency: string;
  readonly input?: Money | undefined;
  readonly cached?: Money | undefined;
  readonly cacheWrite?: Money | undefined;
  readonly audioInput?: Money | undefined;
  readonly image?: Money | undefined;
  readonly output?: Money | undefined;
  readonly reasoning?: Money | undefined;
  readonly audioOutput?: Money | undefined;
};

/** What may be spent in a calendar month: by a team, or by the whole account where no team is named. */
export type Budget = { readonly team?: string | undefined; readonly month: Money; readonly currency: string };

/** What a report's SQL may be told of its run. */
export type CubeRun = {
  /** The moment the run is for. */
  readonly now: UnixMillis;
  readonly zone: string;
  /** What the call log covers; nothing while nothing has been pulled. */
  readonly covered?: Interval<UnixSeconds> | undefined;
};

export type CubeRequest = {
  readonly account: string;
  /** What the account is asked for in; amounts of an account that was asked for in another one are a fault. */
  readonly currency?: string;
  readonly periods: readonly CubePeriod[];
  /** The queries to come, so that they share scans of the call log; others may be run all the same. */
  readonly queries?: readonly string[];
  /** The first that matches a key pays for it. */
  readonly teams?: readonly CubeTeam[] | undefined;
  readonly only?: CubeFilter;
  readonly prices?: readonly ModelPrice[];
  readonly budgets?: readonly Budget[];
  readonly run?: CubeRun;
  /** Milliseconds one query may take; 60,000 when left out. */
  readonly timeLimit?: number;
  /** Most rows one query may give; 100,000 when left out. More is a fault, never a cut table. */
  readonly rowLimit?: number;
  readonly signal?: AbortSignal | undefined;
};

/** What the figures rest on. */
export type CubeFacts = {
  /** How amounts are stored; missing while nothing proves it. */
  readonly amounts: AmountForm | undefined;
  /** Of the amounts, whatever was asked for; missing where nothing was landed. */
  readonly currency: string | undefined;
  /** Whether their form is proven, or there is no charge. While it is not, spend and amounts are unknown (NULL). */
  readonly isProven: boolean;
};

/** Exactly one SELECT over `cube`, `days` and the views of a report. @throws fault report-query-failed. */
export type CubeQuery = (sql: string) => Promise<ResultTable>;
