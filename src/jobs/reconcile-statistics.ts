import { unixSeconds } from '../base/index.ts';
import type { Interval, UnixSeconds } from '../base/index.ts';
import { agreement, settledThrough } from '../ingest/index.ts';
import type { Match } from '../ingest/index.ts';
import { findingOf } from './reconcile-finding.ts';
import type { Explanation, Finding } from './reconcile-finding.ts';
import { explainGrowth, momentText } from './reconcile-late.ts';
import { matchTotal } from './reconcile-total.ts';
import type { ReconcileMeans, SourcePart } from './reconcile-total.ts';

type Span = Interval<UnixSeconds>;

/** So many parts of a span are asked for to prove a rate. */
const rateParts = 6;

/**
 * The sum of a span as the statistics have it can't be trimmed, so both readings of its end are asked for: up to the last
 * second, and, where that does not agree to the digit, up to the first second after it.
 */
const matchStatistics = async (span: Span, means: ReconcileMeans): Promise<Match> => {
  const { account, warehouse, signal } = means.context;
  const sums = await warehouse.comparisons.totals(account.name, span);
  const ask = async (end: UnixSeconds) =>
    (await account.gateway.statistics({ start: span.start, end }, { signal })).quota;
  const inclusive = await ask(unixSeconds(span.end - 1));
  const parts = async (): Promise<readonly SourcePart[]> => {
    const length = Math.ceil((span.end - span.start) / rateParts);
    const found: SourcePart[] = [];
    for (let start = span.start; start < span.end; start = unixSeconds(start + length)) {
      const part = { start, end: unixSeconds(Math.min(start + length, span.end)) };
      const { quota } = await account.gateway.statistics(
        { start, end: unixSeconds(part.end - 1) },
        { signal },
      );
      found.push({ sums: await warehouse.comparisons.totals(account.name, part), reading: quota, cells: 1 });
    }
    return found;
  };
  const request = { source: 'statistics' as const, span, sums, parts };
  const first = await matchTotal(
    { ...request, readings: [{ value: inclusive }], written: [inclusive] },
    { ...means, others: undefined },
  );
  if (first.fit === 'exact') return first;
  const exclusive = await ask(span.end);
  const written = [inclusive, exclusive];
  return matchTotal({ ...request, readings: written.map((value) => ({ value })), written }, means);
};

export const compareStatistics = async (span: Span, means: ReconcileMeans): Promise<Finding> => {
  const { context } = means;
  const { account, warehouse } = context;
  const match = await matchStatistics(span, means);
  const explain = async (): Promise<Explanation | undefined> => {
    const landings = await warehouse.comparisons.landings(account.name, span);
    const settled = settledThrough(span, landings);
    if (settled < span.end) {
      const why = `it lies after ${momentText(settled, context)}, where rows may still come`;
      if (settled <= span.start) return { verdict: 'late data', why };
      const part = await matchStatistics({ start: span.start, end: settled }, means);
      if (agreement(part) !== undefined) return { verdict: 'late data', why };
    }
    return explainGrowth(span, match, context);
  };
  return findingOf({ source: 'statistics', span, match }, explain);
};
