import {
  absoluteMoney,
  addMoney,
  compareMoney,
  money,
  multiplyMoney,
  zero,
  type Interval,
  type Money,
  type UnixMillis,
  type UnixSeconds,
} from '../core/index.ts';
import type { KnownGap, StoredComparison } from '../warehouse/index.ts';
import { isBad, isGood } from './verdict.ts';

type Range = Interval<UnixSeconds>;

const overlaps = (left: Range, right: Range): boolean => left.start < right.end && left.end > right.start;

const holds = (outer: Range, inner: Range): boolean => outer.start <= inner.start && outer.end >= inner.end;

/** Sources that round, or that include slightly more time, report the same gap with a slightly different size. */
const alike = money('1.01');

/** Whether the gap was notified before: as a part of a range that is pulled again, or by another source. */
const isTold = (found: StoredComparison, known: readonly KnownGap[]): boolean => {
  const near = known.filter(({ range, state }) => state !== 'healed' && overlaps(range, found.range));
  const sums = new Map<string, Money>();
  for (const { source, unit, gap } of near) {
    // Gaps in two units, or of unknown size, cannot be compared.
    if (unit !== found.unit || gap === 'unknown' || found.gap === 'unknown') return true;
    sums.set(source, addMoney(sums.get(source) ?? zero, absoluteMoney(gap)));
  }
  if (found.gap === 'unknown') return false;
  const size = absoluteMoney(found.gap);
  return [...sums.values()].some((sum) => compareMoney(multiplyMoney(sum, alike), size) >= 0);
};

/**
 * The gaps to record, new ones and those whose state changes, after a pull found these totals. A gap is new if its
 * source agreed the last time and no notified gap accounts for it: a lasting gap is reported once. Pure.
 */
export const judgeGaps = (
  found: readonly StoredComparison[],
  known: readonly KnownGap[],
  notedAt: UnixMillis,
): readonly KnownGap[] => {
  const gaps = [...known];
  const changed = new Set<KnownGap>();
  const opened = new Set<KnownGap>();
  for (const total of found.filter(({ entry }) => entry === undefined)) {
    const { source, range, gap, unit, verdict, text } = total;
    if (!isBad(verdict))
      for (const [at, one] of gaps.entries()) {
        if (one.source !== source || one.state === 'healed') continue;
        const isPast = one.state === 'open' && isGood(verdict) && range.end >= one.range.end;
        const state = holds(range, one.range) ? 'healed' : isPast ? 'passed' : one.state;
        if (state === one.state) continue;
        changed.delete(one);
        const next: KnownGap = { ...one, state };
        gaps[at] = next;
        changed.add(next);
      }
    const isOpen = gaps.some((one) => one.source === source && one.state === 'open');
    // Sources that find the same gap at once share a notification.
    const before = gaps.filter((one) => !opened.has(one));
    if (!isBad(verdict) || isOpen || isTold(total, before)) continue;
    const fresh: KnownGap = { source, range, gap, unit, verdict, text, state: 'open', notedAt };
    gaps.push(fresh);
    changed.add(fresh);
    opened.add(fresh);
  }
  return [...changed];
};
