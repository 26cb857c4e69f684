import type { LocalDay } from '../../base/index.ts';
import type { AmountForm } from '../logs/log-batch.ts';
import type { ResultTable } from './result-table.ts';

export type CubePeriod = { readonly name: 'current' | 'comparison'; readonly days: readonly LocalDay[] };

export type CubeRequest = {
  readonly account: string;
  /** What the amounts are to be in; another one is a fault, never a wrong sign before a figure. */
  readonly currency?: string;
  readonly periods: readonly CubePeriod[];
  /** Milliseconds one query may take; 60,000 when left out. */
  readonly timeLimit?: number;
  /** Most rows one query may give; 100,000 when left out. More is a fault, never a cut table. */
  readonly rowLimit?: number;
  readonly signal?: AbortSignal;
};

/** What the figures rest on. */
export type CubeFacts = {
  /** Whether amounts were served as currency or units; nothing while too little was seen (then taken as currency). */
  readonly amounts: AmountForm | undefined;
};

/** Exactly one SELECT over the tables `cube` and `days`. @throws fault report-query-failed. */
export type CubeQuery = (sql: string) => Promise<ResultTable>;
