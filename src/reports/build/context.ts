import type { LocalDay } from '../../core/index.ts';
import type { Waterfall } from '../../monitoring/index.ts';
import type { Locale } from '../locales/locale.ts';
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
  /** Whether a change against the comparison period is meaningful. */
  readonly comparable: boolean;
  /** The first day of the data, if it is after the start of the comparison period. */
  readonly noDataBefore?: string;
  readonly covers: (day: Pick<LocalDay, 'start' | 'end'>) => DataState;
  readonly table: (file: string) => QueryTable;
  /** Waterfalls that were computed, by SQL file: several parts of a report show the same one. */
  readonly waterfalls: Map<string, Waterfall>;
  /** The colour numbers of series, the same in all reports of the account. */
  readonly colours: ReadonlyMap<string, number>;
};
