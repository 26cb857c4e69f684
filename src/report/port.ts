import type { LocalDay } from '../base/index.ts';

/** Numbers are exact decimal strings, dates `YYYY-MM-DD`. */
export type Cell = string | boolean | null;

export type ResultTable = {
  readonly columns: readonly {
    readonly name: string;
    readonly type: 'decimal' | 'integer' | 'text' | 'date' | 'boolean' | 'other';
  }[];
  readonly rows: readonly (readonly Cell[])[];
};

export type CubeRequest = {
  readonly account: string;
  /** What the amounts are to be in. */
  readonly currency?: string;
  readonly periods: readonly {
    readonly name: 'current' | 'comparison';
    readonly days: readonly LocalDay[];
  }[];
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
