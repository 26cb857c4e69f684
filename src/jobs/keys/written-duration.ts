const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Milliseconds as `48h` or `14d`, as they may be written. */
export const writtenDuration = (millis: number): string => {
  if (millis > 0 && millis % day === 0) return `${millis / day}d`;
  if (millis > 0 && millis % hour === 0) return `${millis / hour}h`;
  return millis > 0 && millis % minute === 0 ? `${millis / minute}m` : `${millis / 1000}s`;
};
