import type { LocalDay } from '../../core/index.ts';
import type { Waterfall } from '../../monitoring/index.ts';
import type { Locale } from '../../messages/index.ts';
import type { DataState } from './model.ts';
import type { Period, Range } from '../definition/period.ts';
import type { QueryTable } from './query-table.ts';

/** The common input of all parts of a report. */
export type Context = {
  readonly locale: Locale;
  readonly currency: string;
  /** Whether amounts may be shown: their form is proven. */
  readonly hasAmounts: boolean;
  readonly zone: string;
  readonly period: Period;
  /** The days of each period of the report. */
  readonly rangeOf: (name: 'current' | 'comparison' | 'month' | 'history') => Range;
  /** What figures are compared with, as a reader sees it. */
  readonly comparedLabel: string;
  /** The days whose average figures are compared with; 1 for every other comparison. */
  readonly averagedDays: number;
  /** Whether a change against the comparison period is meaningful. */
  readonly comparable: boolean;
  /** The first day of the data, if it is after the start of the comparison period. */
  readonly noDataBefore?: string;
  readonly covers: (day: Pick<LocalDay, 'start' | 'end'>) => DataState;
  /** A result; of a comparison with an average, columns *_before hold the average. */
  readonly table: (file: string) => QueryTable;
  /** A result as the SQL returned it: *_before are sums over the days of the comparison. */
  readonly sums: (file: string) => QueryTable;
  /** Waterfalls that were computed, by SQL file: several parts of a report show the same one. */
  readonly waterfalls: Map<string, Waterfall>;
  /** Models and keys that a sentence of the report names: tables show them in a row of their own. */
  readonly named: ReadonlySet<string>;
  /** The colour numbers of series, the same in all reports of the account. */
  readonly colours: ReadonlyMap<string, number>;
};
