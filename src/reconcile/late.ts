import { unixSeconds, rangeText, type Interval, type UnixSeconds } from '../core/index.ts';
import { agreedWhenLanded } from '../ingest/index.ts';
import type { ReconcileContext } from './context.ts';
import type { Explanation } from './finding.ts';
import { isGood } from './verdict.ts';
import { directionOf, type Match } from './match-figures.ts';

/** These texts show moments in the zone of the run. */
export const momentText = (moment: number, { zone }: ReconcileContext): string =>
  rangeText.moment(unixSeconds(Math.floor(moment)), zone);

/** If the log agreed with the statistics when it landed, the source's surplus arrived later. */
export const explainGrowth = async (
  range: Interval<UnixSeconds>,
  match: Match,
  context: ReconcileContext,
): Promise<Explanation | undefined> => {
  if (directionOf(match) <= 0) return undefined;
  const { account, warehouse } = context;
  const stored = await warehouse.comparisons.list(account.name, { range, source: 'statistics' });
  const agreements = stored.filter(({ entry, verdict }) => entry === undefined && isGood(verdict));
  if (agreements.length === 0) return undefined;
  const landings = await warehouse.comparisons.landings(account.name, range);
  return agreedWhenLanded(range, agreements, landings)
    ? {
        verdict: 'late data',
        why: 'the statistics matched when the log landed and have grown since; pull the time range again',
      }
    : undefined;
};
