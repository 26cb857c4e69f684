import { usageTime } from './usage-time.ts';

/** long: a row a bucket and entry. wide: a row a bucket. transposed: a row an entry. */
export type UsageLayout = 'long' | 'wide' | 'transposed';

/** A line of a usage export; lines count from 1. */
export type UsageRecord = { readonly line: number; readonly cells: readonly string[] };

/** What was asked for, and the zone of the gateway's days. */
export type SeriesNames = { readonly dimension: string; readonly metric: string; readonly zone: string };

/** The rest, as the gateway sums up what `top_n` leaves out. */
export const isOther = (name: string): boolean => /^(others?|其他|其它)$/i.test(name.trim());
export const isTotal = (name: string): boolean => /^((grand )?total|sum|合计|总计)$/i.test(name.trim());

export const amountText = /^'?[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/;
const timeNames = /^'?(time|date|day|hour|week|bucket|timestamp|created_at|period|时间|日期)$/i;
const valueNames = /^(value|amount|spend|quota|cost|count|metric|金额|消费)$/i;

/** Which layout a header and the rows under it have. Nothing when it is none that is known. */
export const layoutOf = (
  header: UsageRecord,
  rows: readonly UsageRecord[],
  series: SeriesNames,
): UsageLayout | undefined => {
  const isTime = (cell: string | undefined): boolean => usageTime(cell ?? '', series.zone) !== undefined;
  const [first, ...others] = header.cells;
  if (first === undefined || isTime(first)) return undefined;
  const lone = first.trim().toLowerCase();
  // A span without figures leaves the first column alone.
  if (others.length === 0)
    return lone === series.dimension.toLowerCase() ? 'transposed' : timeNames.test(lone) ? 'wide' : undefined;
  const plain = others.filter((cell) => !isTotal(cell));
  if (plain.length > 0 && plain.every(isTime)) return 'transposed';
  if (others.some(isTime)) return undefined;
  const body = rows.filter(({ cells }) => !isTotal(cells[0] ?? ''));
  if (header.cells.length === 3) {
    const last = header.cells[2]?.trim() ?? '';
    const named = valueNames.test(last) || last.toLowerCase() === series.metric.toLowerCase();
    const worded = body.some(({ cells }) =>
      cells.some((cell) => cell.trim() !== '' && !isTime(cell) && !amountText.test(cell.trim())),
    );
    if (named || worded) return 'long';
  }
  if (body.length === 0) return timeNames.test(first.trim()) ? 'wide' : undefined;
  return isTime(body[0]?.cells[0]) ? 'wide' : undefined;
};
