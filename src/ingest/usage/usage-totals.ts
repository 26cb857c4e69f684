import {
  compareMoney,
  fault,
  groupBy,
  money,
  multiplyMoney,
  subtractMoney,
  sumMoney,
} from '../../core/index.ts';
import type { UsageValue } from '../../warehouse/index.ts';
import { isTotal, type UsageLayout } from './usage-layout.ts';

/** A value with its original cell text. */
export type UsageCell = UsageValue & { readonly written: string };

export type UsageTotals = {
  /** All cells except totals. */
  readonly parts: readonly UsageCell[];
  /** Buckets whose own total exceeds the sum of their entries. */
  readonly shortBuckets: readonly number[];
};

type Bucket = { readonly total: UsageCell | undefined; readonly parts: readonly UsageCell[] };

const placesOf = (written: string): number => written.trim().split('.')[1]?.length ?? 0;

/** Positive when the total exceeds its parts by more than rounding allows, negative when it is smaller. */
const gapOf = (total: UsageCell, parts: readonly UsageCell[]): number => {
  const decimals = Math.max(...[total, ...parts].map(({ written }) => placesOf(written)));
  const slack = multiplyMoney(money(`0.5e-${decimals}`), money(String(parts.length + 1)));
  const sum = sumMoney(parts.map(({ value }) => value));
  if (compareMoney(subtractMoney(total.value, sum), slack) > 0) return 1;
  return compareMoney(subtractMoney(sum, total.value), slack) > 0 ? -1 : 0;
};

/** A total follows its parts: of several cells with such a name the last one is the total. */
const bucketOf = (cells: readonly UsageCell[]): Bucket => {
  const total = cells.findLast(({ entry }) => isTotal(entry));
  return { total, parts: cells.filter((cell) => cell !== total) };
};

/**
 * Separates totals from entries. A key or model may be named Total: it is less than all entries together, unlike a
 * total.
 * @throws fault usage-layout-unknown when the two cannot be distinguished.
 */
export const splitTotals = (cells: readonly UsageCell[], layout: UsageLayout): UsageTotals => {
  const gaps = [...groupBy(cells, ({ bucket }) => bucket).values()].map((bucket) => {
    const { total, parts } = bucketOf(bucket);
    return { total, parts, gap: total === undefined ? 0 : gapOf(total, parts) };
  });
  const small = gaps.find(({ gap }) => gap < 0)?.total;
  if (small === undefined)
    return {
      parts: gaps.flatMap(({ parts }) => parts),
      shortBuckets: gaps.flatMap(({ total, gap }) => (total !== undefined && gap > 0 ? [total.bucket] : [])),
    };
  // The long layout has no totals (docs/gateway.md G7.5).
  if (layout === 'long') return { parts: cells, shortBuckets: [] };
  throw fault(
    'usage-layout-unknown',
    `the usage export says ${small.value} under ${JSON.stringify(small.entry)}, which is less than the sum of the entries in its bucket; it may be a total or an entry of that name`,
  );
};
