import { compareMoney, dateAt, fault, zero } from '../../core/index.ts';
import type { Waterfall } from '../../monitoring/index.ts';
import type { SectionShape } from '../definition/definition.ts';
import { type Locale, localeOf } from '../../messages/index.ts';
import { coloured } from './build-chart.ts';
import type { BuildRequest } from './build-request.ts';
import type { Context } from './context.ts';
import type { DataState } from './model.ts';
import { averagedDays, coverageOf, isOfPeriod, rangeOf, type QueryResults } from './queries.ts';
import { queryTable } from './query-table.ts';
import type { ResultTable } from '../definition/port.ts';
import type { ComparedRange, Range } from '../definition/period.ts';

/** A period without any data shows only text: sums would read as zero. Changes need a period to compare with. */
export const isShown = (section: SectionShape, state: DataState, context: Context): boolean =>
  (state !== 'missing' ||
    section.kind === 'notes' ||
    (section.kind === 'text' && section.sql === undefined)) &&
  isOfPeriod(section, context.period) &&
  (section.kind !== 'table' || section.by_change_of === undefined || context.comparable);

export const shownSections = (
  sections: readonly SectionShape[],
  state: DataState,
  context: Context,
): readonly SectionShape[] => sections.filter((section) => isShown(section, state, context));

/**
 * The first day of the call log if it begins after the comparison period does: earlier values are unknown, not zero.
 */
const noDataBefore = ({ period, facts, zone, locale }: BuildRequest): Pick<Context, 'noDataBefore'> => {
  const { dataSince } = facts;
  const { comparison } = period;
  if (
    dataSince === undefined ||
    comparison.days.length === 0 ||
    // An average is of the days that have data.
    dataSince <= comparison.interval.start ||
    (comparison.isAverage === true && dataSince < comparison.interval.end)
  )
    return {};
  const day = dateAt(dataSince, zone);
  const { shortDay, longDay } = localeOf(locale ?? 'en');
  return { noDataBefore: day.slice(0, 4) === period.last.slice(0, 4) ? shortDay(day) : longDay(day) };
};

/** What figures are compared with. An average names the days that it leaves out. */
const comparedLabel = (
  { label, days, isAverage }: ComparedRange,
  used: Range['days'],
  { messages, shortDay, list }: Locale,
): string => {
  if (isAverage !== true) return label;
  const left = days.filter((day) => !used.includes(day)).map(({ date }) => shortDay(date));
  return messages.averageOf(used.length, label, left.length === 0 ? '' : list(left));
};

export type BuildResults = QueryResults & Pick<Context, 'colours' | 'waterfalls'>;

/** The colours of all series in the shown charts. */
export const withColours = async (request: BuildRequest, results: QueryResults): Promise<BuildResults> => {
  const bare = { ...results, colours: new Map<string, number>(), waterfalls: new Map<string, Waterfall>() };
  const { context, state } = contextOf(request, bare);
  const names = request.definition.sections.flatMap((section) =>
    section.kind === 'chart' && isShown(section, state, context) ? coloured(section, context) : [],
  );
  const colours = names.length === 0 ? undefined : await request.assignColours?.(names);
  return colours === undefined ? bare : { ...bare, colours };
};

export const contextOf = (
  request: BuildRequest,
  { tables, sums, currency, hasAmounts, colours, waterfalls }: BuildResults,
): { context: Context; state: DataState } => {
  const { definition, period, facts } = request;
  const { comparison } = period;
  const compared = rangeOf(request, 'comparison').days;
  const tableIn = (results: ReadonlyMap<string, ResultTable>) => (file: string) => {
    const result = results.get(file);
    if (result === undefined) throw fault('report-invalid', `the report names ${file}, which is not there`);
    return queryTable(file, result);
  };
  const table = tableIn(tables);
  const { sql, name } = definition.headline;
  const totals = table(sql);
  const row = totals.only();
  const hasSpend = compareMoney(totals.figure(row, name) ?? zero, zero) !== 0;
  const reached = definition.rests_on === 'snapshots' ? 'complete' : coverageOf(period.interval, facts);
  const state = reached === 'missing' && hasSpend ? 'partial' : reached;
  const before = totals.has(`${name}_before`) ? (totals.figure(row, `${name}_before`) ?? zero) : zero;
  const isCovered =
    state === 'complete' &&
    hasAmounts &&
    compared.length > 0 &&
    (comparison.isAverage === true || coverageOf(comparison.interval, facts) === 'complete');
  return {
    state,
    context: {
      locale: localeOf(request.locale ?? 'en'),
      currency,
      hasAmounts,
      zone: request.zone,
      period,
      rangeOf: (range) => rangeOf(request, range),
      comparedLabel: comparedLabel(comparison, compared, localeOf(request.locale ?? 'en')),
      averagedDays: averagedDays(request),
      comparable: isCovered && compareMoney(before, zero) !== 0,
      ...noDataBefore(request),
      covers: (day) => coverageOf(day, facts),
      table,
      named: new Set(),
      sums: tableIn(sums),
      colours,
      waterfalls,
    },
  };
};
