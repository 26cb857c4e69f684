import { monthAt, type Month, type UnixSeconds } from '../../core/index.ts';

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
