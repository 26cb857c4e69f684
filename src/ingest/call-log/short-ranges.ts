import {
  compareMoney,
  interval,
  zero,
  type Interval,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import type { StoredComparison } from '../../warehouse/index.ts';
import type { LandedPiece } from './gap-search.ts';
import type { LogWindow } from './log-windows.ts';
import { joinRanges } from '../reconcile-settled.ts';

type Range = Interval<UnixSeconds>;

/** A search that examined a range to its end; milliseconds UTC. */
export type PastSearch = { readonly range: Range; readonly searchedAt: UnixMillis };

/** A landing of the log, as in the ledger. */
export type LedgerLanding = {
  readonly window: LogWindow;
  readonly rows: number;
  readonly served: number;
  readonly landedAt: UnixMillis;
};

/** The rest of the range without the other. */
const without = (range: Range, other: Range): readonly Range[] =>
  other.end <= range.start || other.start >= range.end
    ? [range]
    : [
        ...(range.start < other.start ? [interval(range.start, other.start)] : []),
        ...(range.end > other.end ? [interval(other.end, range.end)] : []),
      ];

/** Whether the gap has this sign, or may have it: that of a gap in a foreign unit may be wrong. Pure. */
export const mayHaveSign = (
  { gap, unit }: Pick<StoredComparison, 'gap' | 'unit'>,
  sign: 1 | -1,
  currency: string,
): boolean => gap === 'unknown' || unit !== currency || compareMoney(gap, zero) * sign > 0;

/** Whether the total shows that the log lacks rows. */
const isShort = (total: StoredComparison, currency: string): boolean => {
  const { source, verdict } = total;
  return (
    verdict === 'truncated' ||
    (verdict === 'unexplained' &&
      (source === 'statistics' || source === 'usage by model' || source === 'usage by key') &&
      mayHaveSign(total, 1, currency))
  );
};

/** Ranges whose last comparison with some source is disputed, and that no search has examined since. */
const disputedRanges = (
  totals: readonly StoredComparison[],
  searches: readonly PastSearch[],
  isDisputed: (total: StoredComparison) => boolean,
): readonly Range[] => {
  const open = new Map<string, readonly Range[]>();
  const events = [
    ...totals.map((total) => ({ at: total.comparedAt, range: total.range, total })),
    ...searches.map(({ range, searchedAt }) => ({ at: searchedAt, range, total: undefined })),
  ].toSorted((left, right) => left.at - right.at);
  for (const { range, total } of events) {
    const sources = total === undefined ? [...open.keys()] : [total.source];
    for (const source of sources) {
      const rest = (open.get(source) ?? []).flatMap((one) => without(one, range));
      open.set(source, total !== undefined && isDisputed(total) ? [...rest, range] : rest);
    }
  }
  return joinRanges([...open.values()].flat());
};

/**
 * Ranges for which the last comparison with some source shows that the log lacks rows, and that no search has examined
 * since; sorted by time. The totals are given in the order of their creation. Pure.
 */
export const shortRanges = (
  totals: readonly StoredComparison[],
  searches: readonly PastSearch[],
  currency: string,
): readonly Range[] => disputedRanges(totals, searches, (total) => isShort(total, currency));

/** Ranges for which the last comparison shows that this usage export lacks spend of the log. Pure. */
export const shortUsageRanges = (
  totals: readonly StoredComparison[],
  source: StoredComparison['source'],
  currency: string,
): readonly Range[] =>
  disputedRanges(
    totals.filter((total) => total.source === source),
    [],
    (total) => total.verdict === 'unexplained' && mayHaveSign(total, -1, currency),
  );

const lengthOf = ({ window }: LedgerLanding): number => window.end - window.start;

/** The landings that now cover the range: of an older one, the part that no later one replaced. Pure. */
export const landedPieces = (range: Range, landings: readonly LedgerLanding[]): readonly LandedPiece[] => {
  let pieces: readonly LandedPiece[] = [];
  // Of landings at the same moment, halves follow their whole.
  const inTurn = landings.toSorted(
    (left, right) => left.landedAt - right.landedAt || lengthOf(right) - lengthOf(left),
  );
  for (const { window, rows, served } of inTurn) {
    const kept = pieces.flatMap((piece): readonly LandedPiece[] => {
      const parts = without(piece.window, window);
      return parts[0] === piece.window ? [piece] : parts.map((part) => ({ window: part }));
    });
    pieces = [...kept, { window, rows, served }];
  }
  return pieces
    .filter(({ window }) => window.start < range.end && window.end > range.start)
    .toSorted((left, right) => left.window.start - right.window.start);
};

/** Windows with exactly as many rows as the cap that no search has examined since they landed. Pure. */
export const cappedRanges = (
  landings: readonly LedgerLanding[],
  searches: readonly PastSearch[],
  rowCap: number,
): readonly Range[] => {
  const all = joinRanges(landings.map(({ window }) => window));
  const capped = all
    .flatMap((range) => landedPieces(range, landings))
    .filter(({ served }) => served === rowCap)
    .map(({ window }) => window);
  const landedAt = ({ start, end }: Range): number =>
    Math.max(
      ...landings
        .filter(({ window }) => window.start === start && window.end === end)
        .map((landing) => landing.landedAt),
    );
  return capped.filter(
    (window) =>
      !searches.some(
        ({ range, searchedAt }) =>
          searchedAt >= landedAt(window) && range.start <= window.start && range.end >= window.end,
      ),
  );
};
