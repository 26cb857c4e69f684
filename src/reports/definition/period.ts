import {
  addDays,
  addMonths,
  endOfMonth,
  dateAt,
  fault,
  interval,
  isDate,
  localDays,
  startOfDay,
  startOfMonth,
  startOfWeek,
  toSeconds,
  unixSeconds,
  type ComparisonName,
  type Interval,
  type LocalDate,
  type LocalDay,
  type LocaleTag,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import { localeOf } from '../../messages/index.ts';

/** Whole calendar days of one zone. */
export type Range = {
  readonly label: string;
  /** First and last date, both included. */
  readonly first: LocalDate;
  readonly last: LocalDate;
  readonly days: readonly LocalDay[];
  /** From the first second of `first` to the first second after `last`. */
  readonly interval: Interval<UnixSeconds>;
};

/** With `isAverage`, figures are compared with the average of the days, and days without complete data are left out. */
export type ComparedRange = Range & { readonly isAverage?: true };

export type Period = Range & { readonly name: string; readonly comparison: ComparedRange };

export type PeriodRequest = string | { readonly from: LocalDate; readonly to: LocalDate };

export const periodNames = [
  'yesterday',
  'last-7-days',
  'last-week',
  'last-month',
  'last-quarter',
  'month-to-date',
  'this-month',
] as const;

/** Every form of a period, in one line. */
export const periodForms = `${periodNames.join(', ')}, a month as YYYY-MM, or FROM..TO as dates (TO is the first day that no longer belongs to it)`;

const longestDays = 3700;

/** Whole weeks, so that each weekday counts equally. */
const historyDays = 56;

type Dates = readonly [first: LocalDate, last: LocalDate];

const daysBetween = (first: LocalDate, last: LocalDate): number =>
  Math.round((Date.parse(`${last}T00:00:00Z`) - Date.parse(`${first}T00:00:00Z`)) / 86_400_000);

/** The same number of days directly before. */
const before = ([first, last]: Dates): Dates => [
  addDays(first, -daysBetween(first, last) - 1),
  addDays(first, -1),
];

/** The same days so many months before; whole months for whole months, whatever their length. */
const sameDays = ([first, last]: Dates, months: number): Dates => {
  const earlier = addMonths(first, -months);
  const same = addMonths(last, -months);
  const isWhole = first === startOfMonth(first) && last === endOfMonth(last);
  return [earlier, isWhole ? endOfMonth(same) : same];
};

const named = (name: string, yesterday: LocalDate, today: LocalDate): [Dates, Dates] | undefined => {
  switch (name) {
    case 'yesterday': {
      const dates: Dates = [yesterday, yesterday];
      return [dates, before(dates)];
    }
    case 'last-7-days': {
      const dates: Dates = [addDays(today, -7), yesterday];
      return [dates, before(dates)];
    }
    case 'last-week': {
      const monday = addDays(startOfWeek(today), -7);
      const dates: Dates = [monday, addDays(monday, 6)];
      return [dates, before(dates)];
    }
    case 'last-month': {
      const first = addMonths(startOfMonth(today), -1);
      const dates: Dates = [first, endOfMonth(first)];
      return [dates, sameDays(dates, 1)];
    }
    case 'last-quarter': {
      const monthOfQuarter = (Number(today.slice(5, 7)) - 1) % 3;
      const first = addMonths(startOfMonth(today), -3 - monthOfQuarter);
      const dates: Dates = [first, endOfMonth(addMonths(first, 2))];
      return [dates, sameDays(dates, 3)];
    }
    case 'this-month':
    case 'month-to-date': {
      const dates: Dates = [startOfMonth(yesterday), yesterday];
      return [dates, sameDays(dates, 1)];
    }
    default:
      return undefined;
  }
};

/** `2026-10`, compared with the whole month before. */
const monthOf = (text: string): [Dates, Dates] | undefined => {
  const first = `${text}-01`;
  if (!isDate(first)) return undefined;
  const dates: Dates = [first, endOfMonth(first)];
  return [dates, sameDays(dates, 1)];
};

const given = (request: PeriodRequest): [Dates, Dates] => {
  const shown = typeof request === 'string' ? request : `${request.from}..${request.to}`;
  const [from = '', to = '', ...rest] = shown.split('..');
  if (rest.length > 0 || !isDate(from) || !isDate(to))
    throw fault('period-invalid', `no such period: ${shown}`, { advice: `use ${periodForms}` });
  if (to <= from)
    throw fault(
      'period-invalid',
      `the period ${shown} is empty: its end is the first day that no longer belongs to it`,
    );
  if (daysBetween(from, to) > longestDays)
    throw fault('period-invalid', `the period ${shown} is longer than ${longestDays} days`);
  const dates: Dates = [from, addDays(to, -1)];
  return [dates, before(dates)];
};

const range = ([first, last]: Dates, zone: string, locale: LocaleTag): Range => {
  // A date that a zone skipped (Samoa, 2011-12-30) has no seconds and is no day.
  const days = localDays(first, last, zone).filter(({ start, end }) => end > start);
  return {
    label: localeOf(locale).range(first, last),
    first,
    last,
    days,
    interval: interval(startOfDay(first, zone), startOfDay(addDays(last, 1), zone)),
  };
};

const comparedWith = (
  kind: ComparisonName,
  dates: Dates,
  previous: Dates,
  zone: string,
  locale: LocaleTag,
): ComparedRange => {
  if (kind === 'same-weekday') return range([addDays(dates[0], -7), addDays(dates[1], -7)], zone, locale);
  if (kind === '7-day-average')
    return { ...range([addDays(dates[0], -7), addDays(dates[0], -1)], zone, locale), isAverage: true };
  if (kind === 'same-days-last-month') return range(sameDays(dates, 1), zone, locale);
  if (kind === 'same-days-last-year') return range(sameDays(dates, 12), zone, locale);
  if (kind === 'previous') return range(previous, zone, locale);
  const start = startOfDay(dates[0], zone);
  return { label: '', first: dates[0], last: dates[1], days: [], interval: interval(start, start) };
};

/** Further days for a report: the month to date in which the period ends, or the eight weeks that end with it. */
export const furtherRange = (
  { last }: Pick<Range, 'last'>,
  name: 'month' | 'history',
  zone: string,
  locale: LocaleTag = 'en',
): Range =>
  range(name === 'month' ? [startOfMonth(last), last] : [addDays(last, 1 - historyDays), last], zone, locale);

/**
 * The days of a report, in a zone's own calendar (days of 23, 24 or 25 hours), and the days of its comparison.
 *
 * - `yesterday`: the last complete day; compared with the same day of the week before.
 * - `last-7-days`: the seven days that end with yesterday; compared with the seven before.
 * - `last-week`: the last complete ISO week, Monday to Sunday; compared with the week before.
 * - `last-month`: the last complete month; compared with the whole month before, whatever its length.
 * - `last-quarter`: the last complete calendar quarter; compared with the whole quarter before.
 * - `2026-10`: that month, compared with the whole month before.
 * - `month-to-date`, or `this-month`: from the first of the month through yesterday, so that every day in it is
 * complete and a repeated run shows the same. On the 1st that is the whole previous month. Compared with the same days
 * of the month before.
 * - `FROM..TO` or `{ from, to }`: half-open, `TO` is the first excluded day: `2026-01-01..2026-02-01` is January.
 * Compared with the same number of days directly before; a single day with the same day of the week before.
 *
 * Another comparison can be set: the period directly before, the same days of the previous month or year, or none, which
 * is a range without days.
 *
 * @throws Fault `period-invalid`, also for a comparison of days with a period that is longer than a day
 */
export const resolvePeriod = (
  request: PeriodRequest,
  now: UnixMillis,
  zone: string,
  locale: LocaleTag = 'en',
  comparison?: ComparisonName,
): Period => {
  const today = dateAt(toSeconds(now), zone);
  // Computed from the clock, not the calendar: a zone may have skipped a date.
  const yesterday = dateAt(unixSeconds(startOfDay(today, zone) - 1), zone);
  const [dates, previous] =
    (typeof request === 'string' ? (named(request, yesterday, today) ?? monthOf(request)) : undefined) ??
    given(request);
  const name = typeof request === 'string' ? request : `${request.from}..${request.to}`;
  const isDay = dates[0] === dates[1];
  if (!isDay && (comparison === 'same-weekday' || comparison === '7-day-average'))
    throw fault(
      'period-invalid',
      `the comparison ${comparison} requires a period of one day, and ${name} is longer`,
      { advice: 'use the comparison previous, or the period yesterday' },
    );
  // The first day of a month is still compared with that of the month before.
  const usual = isDay && (name === 'yesterday' || name.includes('..')) ? 'same-weekday' : 'previous';
  return {
    name,
    ...range(dates, zone, locale),
    comparison: comparedWith(comparison ?? usual, dates, previous, zone, locale),
  };
};
