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
  readonly currency: string;
  readonly locale: LocaleTag;
};

const [thisMonth = otherColour] = coloursOf([0]);

/** The colours of the lines. */
export const monthColours = { month: thisMonth, lastMonth: otherColour, budget: colour.bad } as const;

/** By day of the month, the sum up to the end of the day. */
const sumsSoFar = (days: MonthChart['days'], month: LocalDate): readonly Money[] => {
  let sum = zero;
  return days
    .filter(({ date }) => startOfMonth(date) === month)
    .map(({ spend }) => (sum = addMoney(sum, spend)));
};

/** Spend of this month up to each day as a line, beside the last month and the budget. */
export const monthChartSvg = ({ days, budget, currency, locale }: MonthChart): string => {
  const month = startOfMonth(days.at(-1)?.date ?? '1970-01-01');
  const lines = [
    [monthColours.month, sumsSoFar(days, month)],
    [monthColours.lastMonth, sumsSoFar(days, addMonths(month, -1))],
  ] as const;
  const daysOfMonth = (first: LocalDate): number =>
    Math.round((Date.parse(addMonths(first, 1)) - Date.parse(first)) / 86_400_000);
  const length = Math.max(daysOfMonth(month), lines[1][1].length);
  const bars = Array.from({ length }, (_, at): BarModel => {
    const parts = lines.flatMap(([colour, sums]) => {
      const value = sums[at];
      return value === undefined ? [] : [{ colour, value }];
    });
    const limit = budget === undefined ? [] : [{ colour: monthColours.budget, value: budget }];
    return { label: String(at + 1), state: 'complete', total: zero, parts: [...parts, ...limit] };
  });
  return chartSvg(
    { chart: 'line', isCumulative: true, format: 'money', labels: 'some', bars, annotation: undefined },
    { currency, locale },
  );
};
