import { interval, unixSeconds, type Interval, type UnixSeconds } from '../../core/index.ts';

/** A calendar month of UTC. */
export type Month = { readonly name: string; readonly range: Interval<UnixSeconds> };

const secondsOf = (year: number, month: number): UnixSeconds => unixSeconds(Date.UTC(year, month) / 1000);

/** The UTC month that contains the moment; its name is `2025-01`. */
export const monthAt = (moment: UnixSeconds): Month => {
  const date = new Date(moment * 1000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return {
    name: `${String(year).padStart(4, '0')}-${String(month + 1).padStart(2, '0')}`,
    range: interval(secondsOf(year, month), secondsOf(year, month + 1)),
  };
};

export type MonthRows = Month & { readonly rows: number };

/** Rows by month, oldest first, from rows by day (in any order; `day` is any second of it). */
export const rowsByMonth = (
  days: readonly { readonly day: UnixSeconds; readonly rows: number }[],
): readonly MonthRows[] => {
  const months = new Map<string, MonthRows>();
  for (const { day, rows } of days) {
    const month = monthAt(day);
    months.set(month.name, { ...month, rows: rows + (months.get(month.name)?.rows ?? 0) });
  }
  return [...months.values()].toSorted((left, right) => left.range.start - right.range.start);
};
