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

/** The interval that a backfill pulls again; undefined for other runs, which continue from the end of the last one. */
export const backfilled = ({
  trigger,
  interval,
}: Pick<JobContext, 'trigger' | 'interval'>): Interval<UnixMillis> | undefined =>
  trigger === 'backfill' ? interval : undefined;

/** The whole seconds that the interval touches. */
export const wholeSeconds = ({ start, end }: Interval<UnixMillis>): Interval<UnixSeconds> => ({
  start: toSeconds(start),
  end: toSeconds(unixMillis(end + 999)),
});

/** Limits of a backfill in milliseconds; `reached` is the end of the range covered without a gap. */
export type BackfillBounds = {
  readonly since: UnixMillis;
  readonly until: UnixMillis;
  readonly watermark: UnixMillis | undefined;
};

/** Sentences on the parts of the interval that a backfill omits, and on gaps that it leaves; times in the given zone. Pure. */
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

/** For data stored in seconds. */
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
