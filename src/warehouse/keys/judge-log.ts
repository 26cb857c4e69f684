import {
  mergeRanges,
  unixSeconds,
  type Interval,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import type { LogCompleteness } from './key-table.ts';

type Range = Interval<UnixSeconds>;

/** Maximum observed delay of late rows, in seconds (docs/gateway.md G16.1). */
const lateness = 600;

/** A landing; according to the lag of the pull, everything older than `settled` had arrived by then. */
export type BelievedLanding = {
  readonly window: Range;
  readonly settled: UnixSeconds;
  readonly landedAt: UnixMillis;
};

/** Facts about a range of the call log. */
export type LogFacts = {
  /** What regular pulls have covered without a gap. */
  readonly covered: Range | undefined;
  readonly landings: readonly BelievedLanding[];
  /** Quarantined rows, and the first second that one of them may belong to. */
  readonly quarantined: { readonly rows: number; readonly from: UnixSeconds } | undefined;
  /** Calls without the name of a key. */
  readonly nameless: { readonly calls: number; readonly from: UnixSeconds } | undefined;
  /** The first second from which the log has an unexplained gap to another source. */
  readonly gap: { readonly message: string; readonly from: UnixSeconds } | undefined;
};

/** The time up to which the log is complete if no earlier stop exists, and the reason. */
type Stop = { readonly at: number; readonly why: string };

const moment = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/**
 * The part of a landing that was requested after late rows had arrived: a short lag does not make rows arrive sooner.
 */
const settledPart = ({ window, settled, landedAt }: BelievedLanding): Range => ({
  start: window.start,
  end: unixSeconds(
    Math.max(window.start, Math.min(window.end, settled, Math.floor(landedAt / 1000) - lateness)),
  ),
});

const settledUpTo = (range: Range, landings: readonly BelievedLanding[]): number => {
  const parts = mergeRanges(landings.map(settledPart));
  return Math.max(
    range.start,
    parts.find(({ start, end }) => start <= range.start && end > range.start)?.end ?? 0,
  );
};

const stops = (
  range: Range,
  { covered, landings, quarantined, nameless, gap }: LogFacts,
): readonly Stop[] => {
  if (covered === undefined) return [{ at: range.start, why: 'no call log has been pulled yet' }];
  if (covered.start > range.start)
    return [
      {
        at: range.start,
        why: `the call log begins at ${moment(covered.start)}, but is needed from ${moment(range.start)}`,
      },
    ];
  const settled = settledUpTo(range, landings);
  return [
    {
      at: Math.max(range.start, covered.end),
      why: `the call log ends at ${moment(covered.end)}, but is needed until ${moment(range.end)}`,
    },
    {
      at: settled,
      why: `calls after ${moment(settled)} were last pulled less than ten minutes after they were made; later calls may be missing`,
    },
    ...(quarantined === undefined
      ? []
      : [
          {
            at: quarantined.from,
            why: `unreadable rows in quarantine may belong to this time range (${quarantined.rows})`,
          },
        ]),
    ...(gap === undefined ? [] : [{ at: gap.from, why: `the call log does not reconcile: ${gap.message}` }]),
    ...(nameless === undefined
      ? []
      : [
          {
            at: nameless.from,
            why: `the log contains calls without a key name (${nameless.calls}, first at ${moment(nameless.from)}); any key may have made them`,
          },
        ]),
  ];
};

/**
 * Whether the log is proven to contain every call of the range. Of several reasons against it, returns the earliest.
 * Pure.
 */
export const judgeLog = (range: Range, facts: LogFacts): LogCompleteness => {
  const [first] = stops(range, facts)
    .filter(({ at }) => at < range.end)
    .toSorted((left, right) => left.at - right.at);
  if (first === undefined) return { complete: true };
  return {
    complete: false,
    why: first.why,
    ...(first.at > range.start ? { through: unixSeconds(first.at) } : {}),
  };
};
