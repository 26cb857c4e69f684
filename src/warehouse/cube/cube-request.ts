import type { LocalDay } from '../../base/index.ts';
import type { ResultTable } from './result-table.ts';

export type CubePeriod = { readonly name: 'current' | 'comparison'; readonly days: readonly LocalDay[] };

export type CubeRequest = {
  readonly account: string;
  readonly periods: readonly CubePeriod[];
  /** Milliseconds one query may take; 60,000 when left out. */
  readonly timeLimit?: number;
  /** Most rows one query may give; 100,000 when left out. More is a fault, never a cut table. */
  readonly rowLimit?: number;
  readonly signal?: AbortSignal;
};

/** Exactly one SELECT over the tables `cube` and `days`. @throws fault report-query-failed. */
export type CubeQuery = (sql: string) => Promise<ResultTable>;
