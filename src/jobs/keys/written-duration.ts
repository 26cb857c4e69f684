import { minuteMillis, hourMillis, dayMillis } from '../../core/index.ts';

/** Milliseconds as `48h` or `14d`, the notation of the config. */
export const writtenDuration = (millis: number): string => {
  if (millis > 0 && millis % dayMillis === 0) return `${millis / dayMillis}d`;
  if (millis > 0 && millis % hourMillis === 0) return `${millis / hourMillis}h`;
  return millis > 0 && millis % minuteMillis === 0 ? `${millis / minuteMillis}m` : `${millis / 1000}s`;
};
