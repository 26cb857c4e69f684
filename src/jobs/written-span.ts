const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Milliseconds as `48h` or `14d`, as they may be written. */
export const writtenSpan = (millis: number): string => {
  if (millis % day === 0) return `${millis / day}d`;
  return millis % hour === 0 ? `${millis / hour}h` : `${millis / minute}m`;
};
