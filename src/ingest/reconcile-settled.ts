import { interval, unixSeconds } from '../base/index.ts';
import type { Interval, UnixMillis, UnixSeconds } from '../base/index.ts';

type Span = Interval<UnixSeconds>;

/** A landing, and when it was. */
export type PastMoment = { readonly window: Span; readonly landedAt: UnixMillis };

/** Seconds that rows are seen to come late by (docs/gateway.md G16.1). */
export const lateness = 600;

/** Where spans overlap or touch they become one; in the order of time. Pure. */
export const joinSpans = (spans: readonly Span[]): readonly Span[] => {
  const joined: Span[] = [];
  for (const span of spans.toSorted((left, right) => left.start - right.start)) {
    const last = joined.at(-1);
    if (span.end <= span.start) continue;
    if (last === undefined || span.start > last.end) joined.push(span);
    else if (span.end > last.end) joined[joined.length - 1] = interval(last.start, span.end);
  }
  return joined;
};

const reachedBy = (span: Span, held: readonly Span[]): UnixSeconds => {
  const around = joinSpans(held).find(({ start, end }) => start <= span.start && end > span.start);
  return around === undefined ? span.start : unixSeconds(Math.min(around.end, span.end));
};

/** Up to where the span, from its start on, was landed when all late rows had come; its start where nothing of it was. Pure. */
export const settledThrough = (span: Span, landings: readonly PastMoment[]): UnixSeconds =>
  reachedBy(
    span,
    landings.flatMap(({ window, landedAt }) => {
      const end = Math.min(window.end, Math.floor(landedAt / 1000) - lateness);
      return end > window.start ? [interval(window.start, unixSeconds(end))] : [];
    }),
  );

/** A comparison that came out well, of a span, at a moment. */
export type PastAgreement = { readonly span: Span; readonly comparedAt: UnixMillis };

/** Whether the whole span agreed when it was last landed: what the source has more by now has come since. Pure. */
export const agreedWhenLanded = (
  span: Span,
  agreements: readonly PastAgreement[],
  landings: readonly PastMoment[],
): boolean => {
  const overlaps = (left: Span, right: Span): boolean => left.start < right.end && left.end > right.start;
  const valid = agreements.filter(
    (agreed) =>
      !landings.some(({ window, landedAt }) => landedAt > agreed.comparedAt && overlaps(window, agreed.span)),
  );
  return (
    reachedBy(
      span,
      valid.map((agreed) => agreed.span),
    ) >= span.end
  );
};
