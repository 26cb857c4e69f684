import { unixSeconds, type Interval, type UnixSeconds } from '../core/index.ts';
import { settledThrough } from '../ingest/index.ts';
import { findingOf, type Explanation, type Finding } from './finding.ts';
import { explainGrowth, momentText } from './late.ts';
import { matchTotal, type ReconcileDeps, type SourcePart } from './total.ts';
import { agreement } from './verdict.ts';
import type { Match } from './match-figures.ts';

type Range = Interval<UnixSeconds>;

/** The number of parts of a range that are requested to prove a rate. */
const rateParts = 6;

/**
 * The statistics' sum of a range can't be trimmed, so its end is requested in both readings: up to the last second,
 * and, if that is not exactly equal, up to the first second after it.
 */
const matchStatistics = async (range: Range, deps: ReconcileDeps): Promise<Match> => {
  const { account, warehouse, signal, impatient } = deps.context;
  const sums = await warehouse.comparisons.totals(account.name, range);
  const ask = async (end: UnixSeconds) =>
    (await account.gateway.statistics({ start: range.start, end }, { signal, impatient })).quota;
  const inclusive = await ask(unixSeconds(range.end - 1));
  const parts = async (): Promise<readonly SourcePart[]> => {
    const length = Math.ceil((range.end - range.start) / rateParts);
    const found: SourcePart[] = [];
    for (let start = range.start; start < range.end; start = unixSeconds(start + length)) {
      const part = { start, end: unixSeconds(Math.min(start + length, range.end)) };
      const { quota } = await account.gateway.statistics(
        { start, end: unixSeconds(part.end - 1) },
        { signal, impatient },
      );
      found.push({ sums: await warehouse.comparisons.totals(account.name, part), reading: quota, cells: 1 });
    }
    return found;
  };
  const request = { source: 'statistics' as const, range, sums, parts };
  const first = await matchTotal(
    { ...request, readings: [{ value: inclusive }], written: [inclusive] },
    { ...deps, others: undefined },
  );
  if (first.fit === 'exact') return first;
  const exclusive = await ask(range.end);
  const written = [inclusive, exclusive];
  return matchTotal({ ...request, readings: written.map((value) => ({ value })), written }, deps);
};

export const compareStatistics = async (range: Range, deps: ReconcileDeps): Promise<Finding> => {
  const { context } = deps;
  const { account, warehouse } = context;
  const match = await matchStatistics(range, deps);
  const explain = async (): Promise<Explanation | undefined> => {
    const landings = await warehouse.comparisons.landings(account.name, range);
    const settled = settledThrough(range, landings);
    if (settled < range.end) {
      const why = `it is after ${momentText(settled, context)}, and rows may still arrive`;
      if (settled <= range.start) return { verdict: 'late data', why };
      const part = await matchStatistics({ start: range.start, end: settled }, deps);
      if (agreement(part) !== undefined) return { verdict: 'late data', why };
    }
    return explainGrowth(range, match, context);
  };
  return findingOf({ source: 'statistics', range, match }, explain);
};
