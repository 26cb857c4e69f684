import { divideMoney, money, multiplyMoney } from '../../core/index.ts';
import type { LocalDay, Money } from '../../core/index.ts';
import { changeOf, unknownChange } from './change.ts';
import type { Direction, Format, Quotient } from '../definition/definition.ts';
import type { Locale } from '../locales/locale.ts';
import type { Change, DataState, Shown } from './model.ts';
import type { Period, Range } from '../definition/period.ts';
import type { QueryTable, Row } from './query-table.ts';
import { showFigure } from './show-value.ts';

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

/** Whether a figure of the format is an amount that must not be shown, nor passed on. */
export const isWithheld = (format: Format, { hasAmounts }: Pick<Context, 'hasAmounts'>): boolean =>
  !hasAmounts && (format === 'money' || format === 'rate');

export const show = (value: Money | null | undefined, format: Format, context: Context): Shown =>
  value === null || value === undefined || isWithheld(format, context)
    ? { exact: null, text: '–' }
    : { exact: value, text: showFigure(value, format, context) };

/** `of × times ÷ by` to 18 places; unknown when `by` is zero. With a suffix the columns of the comparison. */
export const quotientOf = (
  table: QueryTable,
  row: Row,
  { of, by, times }: Quotient,
  suffix: '' | '_before' = '',
): Money | null => {
  const dividend = table.figure(row, of + suffix);
  const divisor = table.figure(row, by + suffix);
  if (dividend === null || divisor === null) return null;
  return divideMoney(multiplyMoney(dividend, money(String(times))), divisor, 18) ?? null;
};

export const compare = (
  now: Money | null,
  before: () => Money | null,
  good: Direction,
  context: Context,
): Change => (context.comparable ? changeOf(now, before(), good, context.locale) : unknownChange);
