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
  readonly periods: readonly {
    readonly name: 'current' | 'comparison';
    readonly days: readonly LocalDay[];
  }[];
  /** Milliseconds. */
  readonly timeLimit?: number;
  readonly rowLimit?: number;
  readonly signal?: AbortSignal;
};

/** What a report needs of the warehouse: queries that see the tables `cube` and `days` of the periods asked for. */
export type CubeReader = {
  readonly readCube: <T>(
    request: CubeRequest,
    use: (query: (sql: string) => Promise<ResultTable>) => Promise<T>,
  ) => Promise<T>;
};
