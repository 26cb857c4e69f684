import { usageTime } from './usage-time.ts';

/** long: a row a bucket and entry. wide: a row a bucket. transposed: a row an entry. */
export type UsageLayout = 'long' | 'wide' | 'transposed';

/** A line of a usage export; lines count from 1. */
export type UsageRecord = { readonly line: number; readonly cells: readonly string[] };

/** The requested series, and the time zone of the gateway's days. */
export type SeriesNames = { readonly dimension: string; readonly metric: string; readonly zone: string };

/** The remainder, as the gateway sums up what `top_n` omits. */
export const isOther = (name: string): boolean => /^(others?|其他|其它)$/i.test(name.trim());
export const isTotal = (name: string): boolean => /^((grand )?total|sum|合计|总计)$/i.test(name.trim());

export const amountText = /^'?[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/;
export const isTimeName = (name: string): boolean =>
  /^'?(time|date|day|hour|week|bucket|timestamp|created_at|period|时间|日期)$/i.test(name.trim());
export const isValueName = (name: string): boolean =>
  /^(value|amount|spend|quota|cost|count|metric|金额|消费)$/i.test(name.trim());
const dimensionNames = /^(dimension|entry|name|item|group|series|维度|名称)$/i;

/** The layout of a header and its rows. Undefined when it is unknown. */
export const layoutOf = (
  header: UsageRecord,
  rows: readonly UsageRecord[],
  series: SeriesNames,
): UsageLayout | undefined => {
  const isTime = (cell: string | undefined): boolean => usageTime(cell ?? '', series.zone) !== undefined;
  const [first, ...others] = header.cells;
  if (first === undefined || isTime(first)) return undefined;
  const lone = first.trim().toLowerCase();
  // A range without figures has only the first column.
  if (others.length === 0)
    return lone === series.dimension.toLowerCase() ? 'transposed' : isTimeName(lone) ? 'wide' : undefined;
  const plain = others.filter((cell) => !isTotal(cell));
  const body = rows.filter(({ cells }) => !isTotal(cells[0] ?? ''));
  // Entries may be named like times: if the first column is named time and contains times, the others contain none.
  const timed = isTimeName(first) && body.length > 0 && body.every(({ cells }) => isTime(cells[0]));
  if (!timed && plain.length > 0 && plain.every(isTime)) return 'transposed';
  if (!timed && others.some(isTime)) return undefined;
  if (header.cells.length === 3) {
    // An entry of a wide layout may be named like a value, and one of a long layout may be a number: two signs are
    // required.
    const names = header.cells.map((cell) => cell.trim().toLowerCase());
    const valued = names.some((name) => isValueName(name) || name === series.metric.toLowerCase());
    const dimension = series.dimension.toLowerCase();
    const dimensioned = names.some(
      (name) => dimensionNames.test(name) || name === dimension || name.startsWith(`${dimension}_`),
    );
    const worded = body.filter(({ cells }) =>
      cells.some((cell) => cell.trim() !== '' && !isTime(cell) && !amountText.test(cell.trim())),
    ).length;
    const signs = [valued, dimensioned, worded > 0, worded > 0 && worded === body.length];
    if (signs.filter(Boolean).length >= 2) return 'long';
  }
  if (body.length === 0) return isTimeName(first) ? 'wide' : undefined;
  return isTime(body[0]?.cells[0]) ? 'wide' : undefined;
};
