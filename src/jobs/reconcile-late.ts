import { compareMoney, unixSeconds, zero } from '../base/index.ts';
import type { Interval, UnixSeconds } from '../base/index.ts';
import { agreedWhenLanded, isGood } from '../ingest/index.ts';
import type { Match } from '../ingest/index.ts';
import type { JobContext } from './job-kind.ts';
import type { Explanation } from './reconcile-finding.ts';
import { range as words } from './messages.ts';

/** Moments of such texts are shown in the zone of the run. */
export const momentText = (moment: number, { zone }: JobContext): string =>
  words.moment(unixSeconds(Math.floor(moment)), zone);

/** What a source has more than the log that agreed with the statistics when it was landed has come since. */
export const explainGrowth = async (
  range: Interval<UnixSeconds>,
  match: Match,
  context: JobContext,
): Promise<Explanation | undefined> => {
  if (compareMoney(match.gap, zero) <= 0) return undefined;
  const { account, warehouse } = context;
  const stored = await warehouse.comparisons.list(account.name, { range, source: 'statistics' });
  const agreements = stored.filter(({ entry, verdict }) => entry === undefined && isGood(verdict));
  if (agreements.length === 0) return undefined;
  const landings = await warehouse.comparisons.landings(account.name, range);
  return agreedWhenLanded(range, agreements, landings)
    ? {
        verdict: 'late data',
        why: 'the statistics agreed when the log was landed, and have grown since: pull the span again',
      }
    : undefined;
};
