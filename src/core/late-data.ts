import { toSeconds, type UnixMillis } from './units.ts';
import { formatMoment } from './zone.ts';

/** How far the data of the jobs that a run needs reaches, where that is not far enough. */
export type LateData = {
  readonly needs: readonly {
    readonly job: string;
    /** Undefined while the job has no data. */
    readonly reaches: UnixMillis | undefined;
    readonly isSuspended: boolean;
  }[];
  /** The moment up to which the run needs data. */
  readonly through: UnixMillis;
  /** Time zone of the job, in which moments are shown. */
  readonly zone: string;
};

/** `pull-logs reaches 2026-11-20 11:50 UTC; the run needs data through 2026-11-21 00:00 UTC` */
export const lateText = ({ needs, through, zone }: LateData): string => {
  const shown = (moment: UnixMillis): string => formatMoment(toSeconds(moment), zone);
  const each = needs.map(
    ({ job, reaches, isSuspended }) =>
      `${job} ${reaches === undefined ? 'has no data yet' : `reaches ${shown(reaches)}`}${isSuspended ? ' and is suspended' : ''}`,
  );
  return `${each.join('; ')}; the run needs data through ${shown(through)}`;
};
