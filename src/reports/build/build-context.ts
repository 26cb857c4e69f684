import { compareMoney, dateAt, fault, zero, type Interval, type UnixSeconds } from '../../core/index.ts';
import type { Waterfall } from '../../monitoring/index.ts';
import type { SectionShape } from '../definition/definition.ts';
import { localeOf } from '../locales/locales.ts';
import { coloured } from './build-chart.ts';
import type { BuildRequest } from './build-request.ts';
import type { Context } from './context.ts';
import type { DataState } from './model.ts';
import { isOfPeriod, rangeOf, type QueryResults } from './queries.ts';
import { queryTable } from './query-table.ts';

/** The watermark: data is complete in `[dataSince, dataThrough)`; without `dataThrough` nothing has been pulled. */
type Watermark = { readonly dataThrough?: UnixSeconds; readonly dataSince?: UnixSeconds };

/** Whether the data covers a range. */
const coverageOf = (range: Interval<UnixSeconds>, watermark: Watermark): DataState => {
  const { dataThrough, dataSince } = watermark;
  if (dataThrough === undefined || dataThrough <= range.start) return 'missing';
  if (dataSince !== undefined && dataSince >= range.end) return 'missing';
  return dataThrough >= range.end && (dataSince === undefined || dataSince <= range.start)
    ? 'complete'
    : 'partial';
};

/** A period without any data shows only text: sums would read as zero. */
export const isShown = (section: SectionShape, state: DataState, context: Context): boolean =>
  (state !== 'missing' ||
    section.kind === 'notes' ||
    (section.kind === 'text' && section.sql === undefined)) &&
  isOfPeriod(section, context.period);

/**
 * The first day of the call log if it begins after the comparison period does: earlier values are unknown, not zero.
 */
const noDataBefore = ({ period, facts, zone, locale }: BuildRequest): Pick<Context, 'noDataBefore'> => {
  const { dataSince } = facts;
  const { comparison } = period;
  if (dataSince === undefined || comparison.days.length === 0 || dataSince <= comparison.interval.start)
    return {};
  const day = dateAt(dataSince, zone);
  const { shortDay, longDay } = localeOf(locale ?? 'en');
  return { noDataBefore: day.slice(0, 4) === period.last.slice(0, 4) ? shortDay(day) : longDay(day) };
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
  { tables, currency, hasAmounts, colours, waterfalls }: BuildResults,
): { context: Context; state: DataState } => {
  const { definition, period, facts } = request;
  const table = (file: string) => {
    const result = tables.get(file);
    if (result === undefined) throw fault('report-invalid', `the report names ${file}, which is not there`);
    return queryTable(file, result);
  };
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
    period.comparison.days.length > 0 &&
    coverageOf(period.comparison.interval, facts) === 'complete';
  return {
    state,
    context: {
      locale: localeOf(request.locale ?? 'en'),
      currency,
      hasAmounts,
      zone: request.zone,
      period,
      rangeOf: (range) => rangeOf(request, range),
      comparable: isCovered && compareMoney(before, zero) !== 0,
      ...noDataBefore(request),
      covers: (day) => coverageOf(day, facts),
      table,
      colours,
      waterfalls,
    },
  };
};
