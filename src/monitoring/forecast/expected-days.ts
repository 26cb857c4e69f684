import { addDays, median, type LocalDate } from '../../core/index.ts';
import type { DayOfSpend } from './month-forecast.ts';

/** Days that a person knows to be unusual; both ends are included. */
export type ExpectedDays = { readonly first: LocalDate; readonly last: LocalDate };

export const isExpected = (date: LocalDate, expected: readonly ExpectedDays[]): boolean =>
  expected.some(({ first, last }) => date >= first && date <= last);

/** Weeks before and after a day whose same weekday stands in for it. */
const weeks = [1, 2, 3, 4];

/**
 * The days, with each expected one as the median of its weekday in the weeks around it: history without what a person knows about. A
 * day without such weeks is as the median of all other days.
 */
export const withoutExpected = (
  days: readonly DayOfSpend[],
  expected: readonly ExpectedDays[],
): readonly DayOfSpend[] => {
  if (expected.length === 0) return days;
  const others = new Map(
    days.flatMap(({ date, spend }) => (isExpected(date, expected) ? [] : [[date, spend] as const])),
  );
  if (others.size === days.length || others.size === 0) return days;
  return days.map((day) => {
    if (others.has(day.date)) return day;
    const around = weeks
      .flatMap((week) => [addDays(day.date, -7 * week), addDays(day.date, 7 * week)])
      .flatMap((date) => others.get(date) ?? []);
    return { date: day.date, spend: median(around.length === 0 ? [...others.values()] : around) };
  });
};
