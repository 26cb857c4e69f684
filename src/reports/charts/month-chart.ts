import {
  addMoney,
  addMonths,
  startOfMonth,
  zero,
  type LocalDate,
  type LocaleTag,
  type Money,
} from '../../core/index.ts';
import { coloursOf, otherColour } from '../compose/palette.ts';
import type { BarModel } from '../compose/model.ts';
import { colour } from '../render/styles.ts';
import { chartSvg } from './chart-svg.ts';

export type MonthChart = {
  /** Spend of whole days, ascending; the last one is today. */
  readonly days: readonly { readonly date: LocalDate; readonly spend: Money }[];
  readonly budget?: Money | undefined;
  /** Sums up to the end of each day that is left, and between what they are expected; consecutive, up to the end of the month. */
  readonly forecast?:
    | readonly {
        readonly date: LocalDate;
        readonly low: Money;
        readonly amount: Money;
        readonly high: Money;
      }[]
    | undefined;
  /** Days of this month to mark. */
  readonly unusual?: readonly LocalDate[] | undefined;
  readonly currency: string;
  readonly locale: LocaleTag;
};

const [thisMonth = otherColour] = coloursOf([0]);

/** The colours of the lines. */
export const monthColours = {
  month: thisMonth,
  lastMonth: otherColour,
  budget: colour.bad,
  forecast: '#8c9fe0',
  unusual: '#efb118',
} as const;

/** By day of the month, the sum up to the end of the day. */
const sumsSoFar = (days: MonthChart['days'], month: LocalDate): readonly Money[] => {
  let sum = zero;
  return days
    .filter(({ date }) => startOfMonth(date) === month)
    .map(({ spend }) => (sum = addMoney(sum, spend)));
};

/** By day of the month, what is expected; it begins where the known days end. */
const expectedOf = (
  forecast: NonNullable<MonthChart['forecast']>,
  known: readonly Money[],
): ReadonlyMap<number, { readonly low: Money; readonly amount: Money; readonly high: Money }> => {
  const days = forecast.map(({ date, ...one }) => [Number(date.slice(8)) - 1, one] as const);
  const [first = 0] = days[0] ?? [];
  const from = known[first - 1];
  return new Map([
    ...(from === undefined ? [] : [[first - 1, { low: from, amount: from, high: from }] as const]),
    ...days,
  ]);
};

/** Spend of this month up to each day as a line, beside the last month, the budget and what is expected. */
export const monthChartSvg = ({
  days,
  budget,
  forecast = [],
  unusual = [],
  currency,
  locale,
}: MonthChart): string => {
  const month = startOfMonth(days.at(-1)?.date ?? '1970-01-01');
  const lines = [
    [monthColours.month, sumsSoFar(days, month)],
    [monthColours.lastMonth, sumsSoFar(days, addMonths(month, -1))],
  ] as const;
  const expected = expectedOf(forecast, lines[0][1]);
  const marked = new Set(unusual.map((date) => Number(date.slice(8)) - 1));
  const daysOfMonth = (first: LocalDate): number =>
    Math.round((Date.parse(addMonths(first, 1)) - Date.parse(first)) / 86_400_000);
  const length = Math.max(daysOfMonth(month), lines[1][1].length);
  const bars = Array.from({ length }, (_, at): BarModel => {
    const parts = lines.flatMap(([colour, sums]) => {
      const value = sums[at];
      return value === undefined ? [] : [{ colour, value }];
    });
    const limit = budget === undefined ? [] : [{ colour: monthColours.budget, value: budget }];
    const ahead = expected.get(at);
    return {
      label: String(at + 1),
      state: 'complete',
      total: zero,
      parts: [
        ...parts,
        ...limit,
        ...(ahead === undefined ? [] : [{ colour: monthColours.forecast, value: ahead.amount }]),
      ],
      ...(ahead === undefined
        ? {}
        : { range: { colour: monthColours.forecast, low: ahead.low, high: ahead.high } }),
      ...(marked.has(at) ? { dot: { of: monthColours.month, colour: monthColours.unusual } } : {}),
    };
  });
  return chartSvg(
    { chart: 'line', isCumulative: true, format: 'money', labels: 'some', bars, annotation: undefined },
    { currency, locale },
  );
};
