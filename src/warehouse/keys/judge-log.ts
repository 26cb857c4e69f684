import { unixSeconds } from '../../base/index.ts';
import type { Interval, UnixMillis, UnixSeconds } from '../../base/index.ts';
import { mergeSpans } from '../restatements/landed-spans.ts';
import type { LogCompleteness } from './key-table.ts';

type Span = Interval<UnixSeconds>;

/** Seconds that rows are seen to come late by (docs/gateway.md G16.1). */
const lateness = 600;

/** A landing; all that is older than `settled` had come by then, as far as the lag of the pull tells. */
export type BelievedLanding = {
  readonly window: Span;
  readonly settled: UnixSeconds;
  readonly landedAt: UnixMillis;
};

/** What is known of a span of the call log. */
export type LogFacts = {
  /** What regular pulls have covered without a gap. */
  readonly covered: Span | undefined;
  readonly landings: readonly BelievedLanding[];
  /** Rows that could not be read, and the first second that one of them may be of. */
  readonly quarantined: { readonly rows: number; readonly from: UnixSeconds } | undefined;
  /** Calls that carry no key's name. */
  readonly nameless: { readonly calls: number; readonly from: UnixSeconds } | undefined;
  /** The first second at which the log is known not to add up to another source. */
  readonly gap: { readonly words: string; readonly from: UnixSeconds } | undefined;
};

/** Up to where the log is complete, if nothing else stops it before, and what stops it there. */
type Stop = { readonly at: number; readonly why: string };

const moment = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** The part of a landing that was asked for when late rows had come: a short lag does not make rows come sooner. */
const settledPart = ({ window, settled, landedAt }: BelievedLanding): Span => ({
  start: window.start,
  end: unixSeconds(
    Math.max(window.start, Math.min(window.end, settled, Math.floor(landedAt / 1000) - lateness)),
  ),
});

const settledUpTo = (span: Span, landings: readonly BelievedLanding[]): number => {
  const parts = mergeSpans(landings.map(settledPart));
  return Math.max(
    span.start,
    parts.find(({ start, end }) => start <= span.start && end > span.start)?.end ?? 0,
  );
};

const stops = (span: Span, { covered, landings, quarantined, nameless, gap }: LogFacts): readonly Stop[] => {
  if (covered === undefined) return [{ at: span.start, why: 'no call log has been pulled yet' }];
  if (covered.start > span.start)
    return [
      {
        at: span.start,
        why: `the call log begins at ${moment(covered.start)}, and is needed from ${moment(span.start)} on`,
      },
    ];
  const settled = settledUpTo(span, landings);
  return [
    {
      at: Math.max(span.start, covered.end),
      why: `the call log is pulled up to ${moment(covered.end)} only, and is needed up to ${moment(span.end)}`,
    },
    {
      at: settled,
      why: `calls after ${moment(settled)} were last asked for less than ten minutes after they were made, and some may have come later`,
    },
    ...(quarantined === undefined
      ? []
      : [
          {
            at: quarantined.from,
            why: `${quarantined.rows} of the rows that may be of this time could not be read and ${quarantined.rows === 1 ? 'is' : 'are'} in quarantine`,
          },
        ]),
    ...(gap === undefined ? [] : [{ at: gap.from, why: `the call log does not add up: ${gap.words}` }]),
    ...(nameless === undefined
      ? []
      : [
          {
            at: nameless.from,
            why: `${nameless.calls} of the calls in the log carry no key’s name, the first at ${moment(nameless.from)}: any key may have made them`,
          },
        ]),
  ];
};

/** Whether the log is known to hold every call of the span; of several reasons against it the first in time is told. Pure. */
export const judgeLog = (span: Span, facts: LogFacts): LogCompleteness => {
  const [first] = stops(span, facts)
    .filter(({ at }) => at < span.end)
    .toSorted((left, right) => left.at - right.at);
  if (first === undefined) return { complete: true };
  return {
    complete: false,
    why: first.why,
    ...(first.at > span.start ? { through: unixSeconds(first.at) } : {}),
  };
};
