import {
  interval,
  mergeRanges,
  runsOf,
  type Interval,
  type LocalDay,
  type UnixSeconds,
} from '../../core/index.ts';
import type { CubePeriod, CubePeriodName } from './cube-request.ts';

/** The position of a day in a period. */
export type DayOfPeriod = { readonly period: CubePeriodName; readonly number: number };

/** A day of any of the periods. */
export type TimelineDay = LocalDay & {
  readonly index: number;
  /** Days that belong to the same periods share a segment. */
  readonly segment: number;
  readonly of: readonly DayOfPeriod[];
};

/** Consecutive days of one length, for sums by day; days of one segment, for sums by segment. */
type Run = { readonly days: readonly TimelineDay[]; readonly start: number; readonly length: number };

export type Timeline = {
  readonly days: readonly TimelineDay[];
  /** Ranges without gaps that contain all days. */
  readonly ranges: readonly Interval<UnixSeconds>[];
};

/** The days of all periods, each once: periods of one report share days, and each call is read only once. */
export const timelineOf = (periods: readonly CubePeriod[]): Timeline => {
  const byStart = new Map<number, { day: LocalDay; of: DayOfPeriod[] }>();
  for (const { name, days } of periods)
    for (const [number, day] of days.entries()) {
      const known = byStart.get(day.start) ?? { day, of: [] };
      known.of.push({ period: name, number });
      byStart.set(day.start, known);
    }
  const segments = new Map<string, number>();
  const segmentOf = (of: readonly DayOfPeriod[]): number => {
    const name = of.map(({ period }) => period).join(' ');
    const segment = segments.get(name) ?? segments.size;
    segments.set(name, segment);
    return segment;
  };
  const days = [...byStart.values()]
    .sort((left, right) => left.day.start - right.day.start)
    .map(({ day, of }, index): TimelineDay => ({ ...day, index, of, segment: segmentOf(of) }));
  return { days, ranges: mergeRanges(days.map(({ start, end }) => interval(start, end))) };
};

const dayRuns = (
  days: readonly TimelineDay[],
  goesOn: (last: TimelineDay, next: TimelineDay) => boolean,
): Run[] =>
  runsOf(days, (last, next) => last.end === next.start && goesOn(last, next)).map((run) => ({
    days: run,
    start: run[0].start,
    length: run[0].end - run[0].start,
  }));

const caseOf = (runs: readonly Run[], valueOf: (run: Run) => string): string => {
  const [last, ...earlier] = runs.toReversed();
  if (last === undefined) return 'NULL';
  const ends = earlier
    .reverse()
    .map((run) => `WHEN created_at < ${run.days.at(-1)?.end} THEN ${valueOf(run)}`);
  return ends.length === 0 ? valueOf(last) : `CASE ${ends.join(' ')} ELSE ${valueOf(last)} END`;
};

/** The times at which one segment ends and another begins. */
export const segmentCuts = ({ days }: Timeline): readonly UnixSeconds[] =>
  days.flatMap(({ start, segment }, at) => (days[at - 1]?.segment === segment ? [] : [start]));

const lengthOf = ({ start, end }: LocalDay): number => end - start;

/**
 * SQL for the day or segment of a call in the range. Days are numbered by length, run by run: a call costs one division
 * however many days there are, and days of 23 and 25 hours are correct. All numbers in the SQL come from code.
 */
export const slotSql = ({ days }: Timeline, range: Interval<UnixSeconds>, by: 'day' | 'segment'): string => {
  const within = days.filter(({ start, end }) => start >= range.start && end <= range.end);
  const sql =
    by === 'segment'
      ? caseOf(
          dayRuns(within, (last, next) => last.segment === next.segment),
          (run) => String(run.days[0]?.segment ?? 0),
        )
      : caseOf(
          dayRuns(within, (last, next) => lengthOf(last) === lengthOf(next)),
          (run) => `${run.days[0]?.index ?? 0} + (created_at - ${run.start}) // ${run.length}`,
        );
  return `CAST(${sql} AS INTEGER)`;
};
