import { localDay, startOfLocalDay } from '../time-zone.ts';
import { HOUR } from '../traffic/rhythm.ts';

export type Granularity = 'hour' | 'day' | 'week';

/** Monday of the week; 1970-01-01 was a Thursday. */
const monday = (day: number): number => day - ((day + 3) % 7);

/** Maps the start of a UTC hour to the start of its bucket (Unix seconds). */
export const bucketOf = (zone: string, granularity: Granularity): ((hour: number) => number) => {
  if (granularity === 'hour') return (hour) => hour;
  const starts = new Map<number, number>();
  return (hour) => {
    const day = localDay(zone, hour);
    const first = granularity === 'day' ? day : monday(day);
    const start = starts.get(first) ?? startOfLocalDay(zone, first);
    starts.set(first, start);
    return start;
  };
};

/** Starts of all buckets that contain an hour of first <= hour < end. */
export const buckets = (
  zone: string,
  granularity: Granularity,
  first: number,
  end: number,
): readonly number[] => {
  const bucket = bucketOf(zone, granularity);
  const starts = new Set<number>();
  for (let hour = first; hour < end; hour += HOUR) starts.add(bucket(hour));
  return [...starts];
};
