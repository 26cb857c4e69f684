import { compareMoney, interval, zero } from '../base/index.ts';
import type { Interval, UnixMillis, UnixSeconds } from '../base/index.ts';
import type { StoredComparison } from '../warehouse/index.ts';
import type { LandedPiece } from './gap-search.ts';
import type { LogWindow } from './log-windows.ts';
import { joinSpans } from './reconcile-settled.ts';

type Span = Interval<UnixSeconds>;

/** A search that went through a span to its end; milliseconds UTC. */
export type PastSearch = { readonly span: Span; readonly searchedAt: UnixMillis };

/** A landing of the log, as the ledger has it. */
export type LedgerLanding = {
  readonly window: LogWindow;
  readonly rows: number;
  readonly served: number;
  readonly landedAt: UnixMillis;
};

/** What is left of the span without the other. */
const without = (span: Span, other: Span): readonly Span[] =>
  other.end <= span.start || other.start >= span.end
    ? [span]
    : [
        ...(span.start < other.start ? [interval(span.start, other.start)] : []),
        ...(span.end > other.end ? [interval(other.end, span.end)] : []),
      ];

/** Whether the total says that the log lacks rows; a gap in a foreign unit may have been named the wrong way round. */
const isShort = ({ source, verdict, gap, unit }: StoredComparison, currency: string): boolean =>
  verdict === 'truncated' ||
  (verdict === 'unexplained' &&
    (source === 'statistics' || source === 'usage by model' || source === 'usage by key') &&
    (compareMoney(gap, zero) > 0 || unit !== currency));

/** Spans whose last comparison with some source is disputed, and that no search has gone through since. */
const disputedSpans = (
  totals: readonly StoredComparison[],
  searches: readonly PastSearch[],
  isDisputed: (total: StoredComparison) => boolean,
): readonly Span[] => {
  const open = new Map<string, readonly Span[]>();
  const events = [
    ...totals.map((total) => ({ at: total.comparedAt, span: total.span, total })),
    ...searches.map(({ span, searchedAt }) => ({ at: searchedAt, span, total: undefined })),
  ].toSorted((left, right) => left.at - right.at);
  for (const { span, total } of events) {
    const sources = total === undefined ? [...open.keys()] : [total.source];
    for (const source of sources) {
      const rest = (open.get(source) ?? []).flatMap((one) => without(one, span));
      open.set(source, total !== undefined && isDisputed(total) ? [...rest, span] : rest);
    }
  }
  return joinSpans([...open.values()].flat());
};

/**
 * Spans of which the last comparison with some source says that the log is short, and that no search has gone through
 * since; in the order of time. The totals are given by the moment they were made. Pure.
 */
export const shortSpans = (
  totals: readonly StoredComparison[],
  searches: readonly PastSearch[],
  currency: string,
): readonly Span[] => disputedSpans(totals, searches, (total) => isShort(total, currency));

/** Spans of which the last comparison says that this usage export is short of the log. Pure. */
export const shortUsageSpans = (
  totals: readonly StoredComparison[],
  source: StoredComparison['source'],
  currency: string,
): readonly Span[] =>
  disputedSpans(
    totals.filter((total) => total.source === source),
    [],
    ({ verdict, gap, unit }) =>
      verdict === 'unexplained' && (compareMoney(gap, zero) < 0 || unit !== currency),
  );

const lengthOf = ({ window }: LedgerLanding): number => window.end - window.start;

/** What holds the span now, by its landings: of an older one, the part that no later one replaced. Pure. */
export const landedPieces = (span: Span, landings: readonly LedgerLanding[]): readonly LandedPiece[] => {
  let pieces: readonly LandedPiece[] = [];
  // Of landings of one moment, halves came after their whole.
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
    .filter(({ window }) => window.start < span.end && window.end > span.start)
    .toSorted((left, right) => left.window.start - right.window.start);
};

/** Windows that hold exactly as many rows as the cap, and that no search has gone through since they landed. Pure. */
export const cappedSpans = (
  landings: readonly LedgerLanding[],
  searches: readonly PastSearch[],
  rowCap: number,
): readonly Span[] => {
  const all = joinSpans(landings.map(({ window }) => window));
  const capped = all
    .flatMap((span) => landedPieces(span, landings))
    .filter(({ served }) => served === rowCap)
    .map(({ window }) => window);
  const landedAt = ({ start, end }: Span): number =>
    Math.max(
      ...landings
        .filter(({ window }) => window.start === start && window.end === end)
        .map((landing) => landing.landedAt),
    );
  return capped.filter(
    (window) =>
      !searches.some(
        ({ span, searchedAt }) =>
          searchedAt >= landedAt(window) && span.start <= window.start && span.end >= window.end,
      ),
  );
};
