import type { Interval, LocalDay, Money, UnixMillis, UnixSeconds } from '../base/index.ts';

/** Numbers are exact decimal strings, dates `YYYY-MM-DD`. */
export type Cell = string | boolean | null;

export type ResultTable = {
  readonly columns: readonly {
    readonly name: string;
    readonly type: 'decimal' | 'integer' | 'text' | 'date' | 'boolean' | 'other';
  }[];
  readonly rows: readonly (readonly Cell[])[];
};

/** Money for a million tokens of each class, for models whose names match the pattern. */
export type Price = {
  readonly pattern: string;
  readonly currency: string;
  readonly input?: Money;
  readonly cached?: Money;
  readonly cacheWrite?: Money;
  readonly audioInput?: Money;
  readonly image?: Money;
  readonly output?: Money;
  readonly reasoning?: Money;
  readonly audioOutput?: Money;
};

export type CubeRequest = {
  readonly account: string;
  /** What the amounts are to be in. */
  readonly currency?: string;
  readonly periods: readonly {
    readonly name: 'current' | 'comparison' | 'month' | 'history';
    readonly days: readonly LocalDay[];
  }[];
  /** The queries to come, so that they share the work of gathering what they read. */
  readonly queries?: readonly string[];
  readonly teams?: readonly { readonly name: string; readonly keys: readonly string[] }[];
  /** What of the account is left; null among teams is what no team pays for. */
  readonly only?: {
    readonly teams?: readonly (string | null)[];
    readonly models?: readonly string[];
    readonly keys?: readonly string[];
  };
  readonly prices?: readonly Price[];
  readonly budgets?: readonly {
    readonly team?: string;
    readonly month: Money;
    readonly currency: string;
  }[];
  readonly run?: {
    readonly now: UnixMillis;
    readonly zone: string;
    readonly covered?: Interval<UnixSeconds>;
  };
  /** Milliseconds. */
  readonly timeLimit?: number;
  readonly rowLimit?: number;
  readonly signal?: AbortSignal;
};

/** `amounts` is missing while it isn't known whether they are currency or integer units. */
export type CubeFacts = { readonly amounts: 'currency' | 'units' | undefined };

/** What a report needs of the warehouse: queries that see the tables `cube` and `days` of the periods asked for. */
export type CubeReader = {
  readonly readCube: <T>(
    request: CubeRequest,
    use: (query: (sql: string) => Promise<ResultTable>, facts?: CubeFacts) => Promise<T>,
  ) => Promise<T>;
};
