import type { LocalDay } from '../../core/index.ts';
import type { Locale } from '../locales/locale.ts';
import type { DataState } from './model.ts';
import type { Period, Range } from '../definition/period.ts';
import type { QueryTable } from './query-table.ts';

/** What every part of a report is built with. */
export type Context = {
  readonly locale: Locale;
  readonly currency: string;
  /** Whether amounts may be shown: the form in which the gateway writes them is proven. */
  readonly hasAmounts: boolean;
  readonly zone: string;
  readonly period: Period;
  /** The days of each period that the report looks at. */
  readonly rangeOf: (name: 'current' | 'comparison' | 'month' | 'history') => Range;
  /** Whether a change against the comparison period says anything. */
  readonly comparable: boolean;
  /** The day on which the data begins, where that is after the comparison period does. */
  readonly noDataBefore?: string;
  readonly covers: (day: Pick<LocalDay, 'start' | 'end'>) => DataState;
  readonly table: (file: string) => QueryTable;
  /** Numbers of the colours that series keep in all reports of the account. */
  readonly colours: ReadonlyMap<string, number>;
};
