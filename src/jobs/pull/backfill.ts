import {
  toMillis,
  toSeconds,
  unixMillis,
  rangeText,
  type Interval,
  type UnixMillis,
  type UnixSeconds,
} from '../../core/index.ts';
import type { JobContext } from '../job-kind.ts';

/** The span that a backfill pulls again; no other run is held to its interval: it goes on from where the last one ended. */
export const backfilled = ({
  trigger,
  interval,
}: Pick<JobContext, 'trigger' | 'interval'>): Interval<UnixMillis> | undefined =>
  trigger === 'backfill' ? interval : undefined;

/** The whole seconds that a span touches. */
export const wholeSeconds = ({ start, end }: Interval<UnixMillis>): Interval<UnixSeconds> => ({
  start: toSeconds(start),
  end: toSeconds(unixMillis(end + 999)),
});

/** What bounds a backfill, in milliseconds; `reached` is the end of what is covered without a gap. */
export type BackfillBounds = {
  readonly since: UnixMillis;
  readonly until: UnixMillis;
  readonly watermark: UnixMillis | undefined;
};

/** What of a backfill's interval is left out, and what it leaves open, a sentence each; moments in the zone given. Pure. */
export const backfillNotes = (
  { start, end }: Interval<UnixMillis>,
  { since, until, watermark }: BackfillBounds,
  zone: string,
): readonly string[] => {
  const at = (moment: UnixMillis): string => rangeText.moment(toSeconds(moment), zone);
  const covered = watermark ?? since;
  return [
    ...(start < since ? [`the time before ${at(since)} is excluded: since starts there`] : []),
    ...(end > until ? [`the time after ${at(until)} is left to later runs: it may still change`] : []),
    ...(start > covered && start < until && end > start
      ? [
          `the watermark stays at ${at(covered)}: the next run continues from there and includes this time range`,
        ]
      : []),
  ];
};

/** The same for data kept in seconds. */
export const inMillis = ({
  since,
  until,
  watermark,
}: {
  readonly since: UnixSeconds;
  readonly until: UnixSeconds;
  readonly watermark: UnixSeconds | undefined;
}): BackfillBounds => ({
  since: toMillis(since),
  until: toMillis(until),
  watermark: watermark === undefined ? undefined : toMillis(watermark),
});
